"""Habits of well-known programs that effects do not cover: which words are names only, which are not paths,
whose output is a list of files. Data.

Nothing here lowers an effect; the tables decide only whether a word is looked at as a path, and whether
text that is not known yet may be a secret's name or an option.
"""

from __future__ import annotations

NAMES_ONLY = frozenset(
    """ls dir vdir eza exa lsd tree stat test [ [[ (( for case cd pushd popd find fd fdfind realpath readlink basename dirname
    du df which whereis type command hash echo printf true false : pwd file mkdir touch codesign spctl""".split()  # noqa: SIM905
)
"""Programs that show or take names, sizes and dates of their operands, never contents."""
NAMES_ONLY_COMMANDS = {
    "git": frozenset(
        """status ls-files check-ignore check-attr rev-parse branch tag remote describe log-tree worktree
        ls-tree for-each-ref symbolic-ref merge-base rev-list name-rev count-objects var""".split()  # noqa: SIM905
    )
}
PATTERN_FIRST = {
    # program: options that hold the pattern instead of the first operand
    "grep": ("-e", "--regexp", "-f", "--file"), "egrep": ("-e", "-f"), "fgrep": ("-e", "-f"),
    "zgrep": ("-e", "-f"), "rg": ("-e", "--regexp", "-f", "--file", "--files"), "ag": (), "ack": (),
    "sed": ("-e", "--expression", "-f", "--file"), "gsed": ("-e", "-f"), "awk": ("-f", "--file"),
    "gawk": ("-f", "--file"), "mawk": ("-f",), "nawk": ("-f",), "jq": ("-f", "--from-file", "--arg", "--argjson", "--rawfile", "--slurpfile", "--argfile"),
    "yq": ("--from-file",), "gojq": ("-f",), "sd": (), "ast-grep": (), "tr": (), "expr": (),
}  # fmt: skip
PATTERN_FIRST_COMMANDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("git", "grep"): ("-e", "-f"),
    ("gh", "api"): (),
}
READS_NAMES = {"tree": ("--fromfile", "--fromtabfile")}
"""Options that make a program of `NAMES_ONLY` read its operands."""
LISTERS = frozenset(
    "find fd fdfind ls pwd realpath readlink basename dirname which echo printf seq for".split()  # noqa: SIM905
)
"""Programs that print names; their own words are then judged as if they were read."""
LISTING_COMMANDS = {
    "git": frozenset(
        ("ls-files", "ls-tree", "rev-parse", "merge-base", "rev-list", "branch", "tag")
    )
}
LISTING_FLAGS = {
    "rg": ("-l", "--files", "--files-with-matches", "--files-without-match"),
    "grep": ("-l", "-L", "--files-with-matches", "--files-without-match"),
    "git": ("--name-only",),
}
FILTERS = frozenset("sort uniq head tail grep egrep fgrep rg tac shuf cat read while".split())  # noqa: SIM905
"""Programs that only leave out or reorder what they read."""
PLAIN_OUTPUT = frozenset(
    "find pwd realpath readlink nproc date whoami id uname hostname wc seq arch tty stat".split()  # noqa: SIM905
)
"""Programs whose output does not begin with a dash."""
PLAIN_OUTPUT_COMMANDS = {
    "git": frozenset(
        "rev-parse merge-base rev-list describe symbolic-ref hash-object write-tree branch tag".split()  # noqa: SIM905
    )
}

HARMLESS_VARIABLES = frozenset(
    """LANG LANGUAGE TZ TERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI COLORTERM GIT_OPTIONAL_LOCKS
    GIT_TERMINAL_PROMPT GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
    GIT_COMMITTER_DATE PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONIOENCODING PYTHONHASHSEED PYTHONUTF8 NODE_ENV RUST_BACKTRACE
    RUST_LOG DEBIAN_FRONTEND SYSTEMD_PAGER SYSTEMD_COLORS BLOCKSIZE TIMEFORMAT GREP_COLORS LS_COLORS QUOTING_STYLE
    TIME_STYLE GIT_FLUSH AGENT""".split()  # noqa: SIM905
)
"""Variables that do not change what programs do; any other before a command makes it unknown."""
PAGERS = frozenset(
    (
        "PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "GH_PAGER", "AWS_PAGER", "BAT_PAGER", "DELTA_PAGER",
    )
)  # fmt: skip
CODE_VARIABLES = frozenset(
    """PATH HOME CDPATH IFS ENV BASH_ENV BASHOPTS SHELLOPTS PROMPT_COMMAND PS0 PS1 PS2 PS4 SHELL EDITOR VISUAL BROWSER FCEDIT
    LESSOPEN LESSCLOSE LESSEDIT LESS MAKEFLAGS TAR_OPTIONS GLOBIGNORE EXECIGNORE FIGNORE TMPDIR POSIX_ME_HARDER POSIXLY_CORRECT
    JAVA_TOOL_OPTIONS _JAVA_OPTIONS RIPGREP_CONFIG_PATH KUBECONFIG http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
    SSL_CERT_FILE SSL_CERT_DIR GCONV_PATH XDG_CONFIG_HOME XDG_DATA_HOME XDG_CONFIG_DIRS CC CXX LD RUSTC_WRAPPER GOFLAGS""".split()  # noqa: SIM905
)
"""Variables that change what runs, even when the line sets them without exporting."""
CODE_PREFIXES = ("LD_", "HIST", "DYLD_", "GIT_", "PYTHON", "PERL", "RUBY", "NODE_", "npm_config_", "BASH_", "PAGER", "MANPAGER",
                 "GIT_PAGER", "SSH_", "AWKPATH", "AWKLIBPATH", "JQ_")  # fmt: skip
DEAF = frozenset(
    """echo printf test [ [[ (( for case true false : pwd cd ls cat tac head tail wc cut tr uniq basename dirname seq rev nl fold
    export read set shift return exit wait sleep date expr sha256sum md5sum stat readlink realpath env printenv
    paste join comm""".split()  # noqa: SIM905
)
"""Programs that no variable beyond those above affects."""
IN_REPOSITORY = frozenset(("git",))
"""Programs whose operands are names inside of a repository, unless `--no-index` says otherwise."""
PLAIN_TEXT_OPERANDS = frozenset(("test", "[", "printf", "cd", "pushd", "exit", "return", "shift"))
"""Builtins that evaluate no operand but that of `-v`."""
DECLARES = frozenset(("declare", "typeset", "local", "export", "readonly"))
SHELLS = frozenset("bash sh zsh dash ksh ash mksh".split())  # noqa: SIM905
PRIVILEGE = frozenset(("sudo", "doas", "su", "pkexec", "runuser", "run0"))
_RISKY_WORDS = frozenset(
    """out output outfile write save exec execute cmd command run shell eval script program pager editor hook plugin load config
    delete remove force upload inplace logfile""".split()  # noqa: SIM905
)
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz-")
_SECRET_SETTINGS = tuple(
    """secret token passw credential apikey api_key accesskey access_key privatekey private_key extraheader authtoken""".split()  # noqa: SIM905
)


SHOWS_NAMES = frozenset(
    (("security", "find-generic-password"), ("security", "find-internet-password"))
)
"""Commands that show the name of a secret; the secret itself only with an option listed in knowledge."""


def is_risky_flag(flag: str) -> bool:
    """Whether an unlisted flag counts as risky, even where knowledge says that unlisted flags are harmless."""
    lowered = flag.lower()
    if lowered.startswith(("-wp,", "-wa,", "-wl,")):
        return True  # a compiler hands these words on: to preprocessor, assembler, linker
    if not lowered.startswith("-") or not _LETTERS.issuperset(lowered):
        return False
    plain = lowered.replace("in-place", "inplace").replace("log-file", "logfile")
    return not _RISKY_WORDS.isdisjoint(plain.split("-"))


def names_secret(word: str) -> bool:
    """Whether a word names a setting that holds a secret."""
    lowered = word.lower()
    return any(text in lowered for text in _SECRET_SETTINGS)


def is_harmless(name: str) -> bool:
    """Whether a variable does not change what programs do."""
    return name.startswith("LC_") or name in HARMLESS_VARIABLES


def changes_what_runs(name: str) -> bool:
    """Whether a variable changes what runs, even when the line sets it without exporting it."""
    return not is_harmless(name) and (name in CODE_VARIABLES or name.startswith(CODE_PREFIXES))


FILE_FLAGS_COMMANDS = {("git", "blame"): ("-S",), ("git", "annotate"): ("-S",)}
"""Flags that take a file in one command and text in the others of the same program."""
