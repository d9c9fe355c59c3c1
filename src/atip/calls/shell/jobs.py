"""Jobs: whether a shell line leaves something in the background. Pure."""

from __future__ import annotations

from atip.calls.shell.reader import ShellReader
from atip.errors import FormatError


def leaves_jobs(line: str) -> bool:
    """Whether a line starts something in the background; false for a line that cannot be parsed, which never runs."""
    try:
        nodes = ShellReader(line).script("")
    except (FormatError, RecursionError):
        return False
    return any(node.kind == "background" for node in nodes)
