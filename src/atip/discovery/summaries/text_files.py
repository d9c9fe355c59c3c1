"""Files that packages leave beside their programs, as text. A missing or unreadable one says nothing, so it is empty."""

from __future__ import annotations

import os

from atip.errors import AtipError
from atip.system.files import read_bytes

MAX_FILE = 64_000_000
"""The status file of a machine with all of Debian has fewer bytes."""


def read_text(path: str) -> str:
    """The text of a regular file; empty when there is none that can be read."""
    try:
        return read_bytes(path, MAX_FILE).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except AtipError:
        return ""
