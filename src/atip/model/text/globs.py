"""Globs of `fs.read`, `fs.write`, `fs.deny`: their kinds, and when one surely lies within another.

Three kinds: a literal path, a subtree `dir/**`, and anything else with `*`, `?` or `[`. Only the first
two can be enforced exactly; the third is expanded when a sandbox starts. Paths begin with `/` or
`~/`, or with `**/`, which means below the working directory. `..` is refused: after links it would
refer to another path. Implements AIP-29 "Sandbox" fs; RESOLUTIONS P19.
"""

from __future__ import annotations

from atip.errors import FormatError
from atip.model.value import Value

_WILD = frozenset("*?[]{}")


class Glob(Value):
    """One checked entry."""

    text: str
    """Normal form: no double slash, no `.`, no slash at the end."""
    literal: str
    """The directory or file before the first wildcard; the whole path for a literal."""
    kind: str
    """`literal`, `subtree` or `pattern`."""

    def surely_covers(self, other: Glob) -> bool:
        """Whether every path of `other` is one of ours; False when in doubt."""
        if self.text == other.text:
            return True
        if self.kind != "subtree" or not other.literal:
            return False
        return _inside(other.literal, self.literal)


def parse_glob(text: str) -> Glob:
    """Check and normalize one entry.

    Raises:
        FormatError: `glob.relative`, `glob.parent` or `glob.form`.
    """
    if not text or "\0" in text or "\\" in text:
        raise FormatError("glob.form", f"`{text}` is not a path pattern")
    if not text.startswith(("/", "~/", "**/")) and text != "~":
        raise FormatError(
            "glob.relative", f"`{text}` is relative", hint="begin with `/`, `~/` or `**/`"
        )
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise FormatError("glob.parent", f"`{text}` contains `..`")
    lead = "/" if text.startswith("/") else ""
    wild = next((at for at, part in enumerate(parts) if _WILD & set(part)), len(parts))
    literal = lead + "/".join(parts[:wild])
    if wild == len(parts):
        kind = "literal"
    elif wild == len(parts) - 1 and parts[wild] == "**" and literal:
        kind = "subtree"
    else:
        kind = "pattern"
    return Glob(text=lead + "/".join(parts), literal=literal, kind=kind)


def _inside(path: str, directory: str) -> bool:
    if directory == "/":
        return True
    return path == directory or path.startswith(directory + "/")
