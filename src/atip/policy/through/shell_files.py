"""Script files as lines, and programs that a repository's own settings start. Pure."""

from __future__ import annotations

from atip.model.text.regex import LazyRegex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh"))
_SHEBANG = LazyRegex(r"#!\s*(\S+)(?:[ \t]+(?:-\S+[ \t]+)*(\S+))?")
_READING = LazyRegex(
    r"core\.(fsmonitor|pager|alternaterefscommand)|pager\..+|diff\.external|diff\..+\.(textconv|command)"
    r"|filter\..+\.(clean|smudge|process)|include(if)?(\..+)?\.path|gpg(\..+)?\.program|browser\..+\.(cmd|path)|man\..+\.cmd"
)
"""Settings that start a program, or lead to further settings, also where git only reads."""
_PROGRAMS = LazyRegex(
    r"core\.(sshcommand|editor|hookspath|askpass|gitproxy)|credential(\..+)?\.helper"
    r"|sequence\.editor|merge\..+\.driver"
)
_READERS = frozenset(
    (
        "status", "diff", "log", "show", "blame", "grep", "ls-files", "branch", "rev-parse", "describe", "shortlog",
        "config", "help",
    )
)  # fmt: skip
_PLAIN = {"core.fsmonitor": frozenset(("true", "false", "0", "1", ""))}
_LFS = LazyRegex(r"git[- ]lfs (clean|smudge|filter-process)( --?(skip|f|%f))*( --)?( %f)?\Z")
_SECTION = LazyRegex(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\s*\]')
_SETTING = LazyRegex(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?\Z")


def script_interpreter(text: str) -> str:
    """Name of the program in the first line; empty: there is none."""
    match = _SHEBANG.match(text)
    if match is None:
        return ""
    name = match[1].rpartition("/")[2]
    return (match[2] or "").rpartition("/")[2] if name == "env" else name


def script_lines(text: str, _argv: Sequence[str] = ()) -> tuple[str, ...] | None:
    """A shell script as one line; None: another language."""
    return (text,) if script_interpreter(text) in _SHELLS else None


def whole_file(text: str, _argv: Sequence[str] = ()) -> tuple[str, ...] | None:
    """A file that a shell runs, whatever its first line says."""
    return (text,)


def git_settings(text: str) -> dict[str, str] | None:
    """Settings of a repository, `section.sub.key` → value (the last one counts); None: not readable."""
    settings: dict[str, str] = {}
    section = ""
    for line in text.replace("\\\r\n", "").replace("\\\n", "").splitlines():
        rest = line.strip()
        while header := _SECTION.match(rest):
            section = ".".join(part for part in (header[1].lower(), header[2]) if part)
            rest = rest[header.end() :].strip()
        if not rest or rest[0] in "#;":
            continue
        setting = _SETTING.match(rest)
        if setting is None or not section:
            return None
        settings[f"{section}.{setting[1].lower()}"] = (setting[2] or "true").strip().strip('"')
    return settings


_HOOKS = {
    "commit": ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"),
    "merge": ("pre-merge-commit", "commit-msg", "post-merge"),
    "pull": ("pre-merge-commit", "post-merge", "pre-rebase"),
    "push": ("pre-push",),
    "rebase": ("pre-rebase", "post-rewrite", "post-checkout"),
    "checkout": ("post-checkout",),
    "switch": ("post-checkout",),
    "worktree": ("post-checkout",),
    "am": ("applypatch-msg", "pre-applypatch", "post-applypatch"),
    "cherry-pick": ("prepare-commit-msg", "commit-msg", "post-commit"),
    "revert": ("prepare-commit-msg", "commit-msg", "post-commit"),
}


def git_hooks(subcommand: str) -> tuple[str, ...]:
    """Names of the hooks that a command of git starts."""
    return _HOOKS.get(subcommand, ())


def git_programs(text: str, subcommand: str) -> tuple[tuple[str, str], ...] | None:
    """Settings that make git start a program, as (name, line), and the alias of the subcommand; None: not readable."""
    settings = git_settings(text)
    if settings is None:
        return None
    programs = [
        (name, f"./{value}" if name.endswith("path") else value)
        for name, value in settings.items()
        if _READING.fullmatch(name) or (subcommand not in _READERS and _PROGRAMS.fullmatch(name))
        if value not in _PLAIN.get(name, ()) and not _LFS.match(value)
    ]
    alias = settings.get(f"alias.{subcommand}")
    if alias is not None:
        programs.append(
            (f"alias.{subcommand}", alias[1:] if alias.startswith("!") else f"git {alias}")
        )
    return tuple(programs)
