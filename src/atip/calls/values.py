"""Values: checks of a single argument before it becomes a word of an argv.

Two questions. `why_unusable`: can it be a word at all (NUL, lone surrogates, length)? `why_injection`: would a
program read it as something other than a value – a response file, a transport helper, a start-up
command, a meta command of its own language? Leading dashes are not checked here, because that
depends on the position of the word (`build.py`, `calls/templates/template.py`). Implements ATIP 0.6 §11.2 `check_injection`.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_WORD_BYTES = 131_071
"""Linux takes 128 KiB per word with its terminating NUL (MAX_ARG_STRLEN)."""
MAX_ARGV_BYTES = 1_000_000
"""Half of the usual ARG_MAX, so that the environment still fits."""
MAX_ITEMS = 4_096
"""Items of one repeated parameter."""

_HELPERS = re.compile(
    r"(?:(?:ext|fd|transport)::"
    r"|file:(?=\S)"
    r"|(?:gopher|dict|ldaps?|jar|netdoc|php|phar|expect|javascript|vbscript|view-source)://?"
    r"|(?:concat|concatf|subfile|crypto|msl|mvg|ephemeral|inline|pango|mpri|vid|tee|pipe|shm|exec|system"
    r"|shell|expect|caption:@|label:@|text):(?=[^\s/]|/[^/]))",
    re.IGNORECASE,
)
"""Prefixes that make a program open, include or run something: git helpers, curl and ffmpeg protocols,
ImageMagick coders, socat addresses."""
_ANY_HELPER = re.compile(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_DASH_HOST = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://)(?:[^/@\s]*@)?-|[^/\s@:]*@-[^/\s]*:")
"""`ssh://-oProxyCommand=…`: the host becomes an option of the program that connects."""
_FORM_AT = re.compile(r"[^=\s]{0,200}:?=[@<]")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*[ \t]*(?:[:+?!]{0,3})=")
_REMOTE = re.compile(r"[^/\s]+:")
_PATH_AFTER_AT = re.compile(r"@(?:[/.~\\-]|[A-Za-z]:[\\/])")

_START_COMMAND = frozenset(
    {
        "ex", "emacs", "emacsclient", "gvim", "gview", "joe", "kak", "less", "more", "most", "mvim",
        "nano", "nvim", "pg", "pico", "rview", "rvim", "vi", "view", "vim", "vimdiff",
    }
)  # fmt: skip
"""Programs where a leading `+` is a command or a position."""
_META = {
    "psql": "\\",
    "mysql": "\\",
    "mariadb": "\\",
    "sqlite3": ".",
    "gdb": "!",
    "ftp": "!",
    "sftp": "!",
    "lftp": "!",
    "mail": "~",
    "mailx": "~",
}
"""Programs whose language has commands that leave it, by the character they start with."""
_READ_AT = frozenset(
    {
        "7z", "7za", "7zr", "ar", "c++", "cc", "clang", "clang++", "cl", "cpp", "curl", "g++",
        "gcc", "gcc-ar", "gfortran", "gold", "http", "https", "httpie", "jar", "java", "javac",
        "javadoc", "jlink", "jpackage", "ld", "ld.bfd", "ld.gold", "lld", "link", "ml", "msbuild",
        "nm", "objcopy", "objdump", "ranlib", "rar", "rustc", "size", "strip", "swiftc", "wget",
        "xh",
    }
)  # fmt: skip
"""Programs that read `@FILE` as a list of arguments or as the content of a value."""
_PLAIN_AT = frozenset(
    {
        "bun", "cal", "date", "deno", "docker", "echo", "gh", "git", "hub", "glab", "jj", "lerna",
        "ng", "npm", "npx", "nx", "pnpm", "pnpx", "podman", "printf", "sl", "ssh", "scp", "rsync",
        "turbo", "vercel", "yarn",
    }
)  # fmt: skip
"""Programs where a leading `@` is a scope, a user, a revision or plain text."""
_ASSIGN = frozenset({"make", "gmake", "bmake", "nmake", "env", "sudo", "doas", "just"})
"""Programs where a word `NAME=VALUE` sets a variable that changes what is run."""
_PIPE = frozenset(
    {"convert", "magick", "identify", "mogrify", "composite", "montage", "perl", "gnuplot"}
)
"""Programs that run a file name beginning or ending with a pipe."""
_PRINTS = frozenset({"echo", "printf", "expr", "test", "[", "true", "false", "seq"})
"""Programs for which a word is never more than its text."""
_GIT_LIKE = frozenset({"git", "hg", "svn", "jj"})


def why_unusable(text: str) -> str | None:
    """Why a text cannot be a word of an argv; None if it can."""
    if "\0" in text:
        return "it contains a NUL character, which cannot be part of an argument"
    if not text.isascii():
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError:
            return "it contains half of a surrogate pair, which cannot be encoded"
    else:
        size = len(text)
    if size > MAX_WORD_BYTES:
        return f"it has {size} bytes; the limit per argument is {MAX_WORD_BYTES}"
    return None


def why_too_long(argv: Sequence[str]) -> str | None:
    """Why an argv cannot be passed to a program; None if it can."""
    size = sum(len(word.encode("utf-8", "surrogatepass")) + 9 for word in argv)
    if size > MAX_ARGV_BYTES:
        return f"the arguments have {size} bytes in total; the limit is {MAX_ARGV_BYTES}"
    return None


def why_injection(
    tool: str,
    text: str,
    *,
    is_text: bool = False,
    in_list: bool = False,
    in_template: bool = False,
    is_joined: bool = False,
) -> str | None:
    """Why `tool` would treat a value as more than a value; None if no reason is known.

    Args:
        is_text: the value is free text of an option (a message, a title), not a name, path or address.
        in_list: the document itself lists this value, so it is intended.
        in_template: the word is part of a fixed line, where a variable or a remote name would change
            the meaning.
        is_joined: the value follows its flag in one word, where no parser looks for `@file`.
    """
    if in_list or not text or tool in _PRINTS:
        return None
    first = text[0]
    if first == "@" and _reads_at(tool, text, is_joined):
        return "a leading `@` makes the program read a file instead"
    if tool in _READ_AT and _FORM_AT.match(text):
        return "`=@` and `=<` make the program read a file"
    if first == "+" and (tool in _START_COMMAND or text[1:2] in ("!", "|", ":")):
        return "a leading `+` is a command that the program runs at start"
    mark = _META.get(tool)
    if mark is not None and text.lstrip()[:1] == mark:
        return f"a leading `{mark}` leaves the language of `{tool}` and may run commands"
    return None if is_text else _why_address(tool, text, in_template)


def _why_address(tool: str, text: str, in_template: bool) -> str | None:
    """The same for names, paths and addresses, where a prefix decides what is opened."""
    if _HELPERS.match(text) or (tool in _GIT_LIKE and _ANY_HELPER.match(text)):
        return "the prefix makes the program open or run something other than an address"
    if _DASH_HOST.match(text):
        return "the host begins with a dash and becomes an option of the program that connects"
    if tool in _PIPE and (text[0] == "|" or text[-1] == "|"):
        return "a pipe at the start or end makes the program run a command"
    if in_template and tool in _ASSIGN and _ASSIGNMENT.match(text):
        return "it sets a variable that can change what is run"
    if in_template and tool == "tar" and _REMOTE.match(text):
        return "`HOST:FILE` makes the program run a remote shell"
    return None


def _reads_at(tool: str, text: str, is_joined: bool) -> bool:
    if tool in _READ_AT or _PATH_AFTER_AT.match(text):
        return True
    # SECURITY: parsers of unknown programs may expand `@file` (argparse, picocli, JCommander).
    return not is_joined and tool not in _PLAIN_AT
