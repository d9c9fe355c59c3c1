"""Names that may become file names, URL parts, function names: which are safe, which are refused.

ASCII `[A-Za-z0-9][A-Za-z0-9._+-]{0,63}` (A43), no device name of Windows, no trailing dot. The empty
name is legal for a root command (A11) and is handled by the caller. Command names inside a tool are
wider: see `is_command_name`.
"""

from __future__ import annotations

_ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_FIRST = frozenset(_ALNUM + "_[")
_TOOL = frozenset(_ALNUM + "._+[-")
_COMMAND = frozenset(_ALNUM + "@_.+:/?!*%^~=,[]-")
MAX_COMMAND = 128
_DEVICES = frozenset(
    [
        "con",
        "prn",
        "aux",
        "nul",
        *(f"com{n}" for n in range(1, 10)),
        *(f"lpt{n}" for n in range(1, 10)),
    ]
)


def why_unsafe(name: str) -> str | None:
    """Why `name` is not safe as a tool's name; None if it is."""
    if not name:
        return "the name is empty"
    if len(name) > 64:
        return "the name is longer than 64 characters"
    if name != "[" and ("[" in name or name[0] not in _FIRST or not _TOOL.issuperset(name)):
        if not name.isascii():
            return "the name has characters outside ASCII that may look like others"
        if name[0] == "-":
            return "the name begins with a dash and would be read as an option"
        if name[0] == ".":
            return "the name begins with a dot"
        return "only letters, digits and `. _ + -` are allowed"
    if name.endswith("."):
        return "the name ends with a dot"
    if name.split(".", 1)[0].lower() in _DEVICES:
        return "the name is reserved on Windows"
    return None


def is_command_name(name: str) -> bool:
    """Whether `name` may be a command below a tool: printable ASCII without spaces or quotes,
    and never something that a parser would take for an option."""
    return 0 < len(name) <= MAX_COMMAND and _COMMAND.issuperset(name) and name[0] != "-"
