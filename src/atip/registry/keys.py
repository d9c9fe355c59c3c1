"""Public keys in settings: inline, or in a file beside the settings; with readable times."""

from __future__ import annotations

import os
from typing import Any

from atip.errors import FormatError
from atip.system.clock import from_iso
from atip.system.files import read_bytes

MAX_KEY = 1_000_000


def read_key(key: Any, folder: str) -> Any:
    """A key given as `file` is read, relative to `folder`; `validFrom` and `validUntil` become seconds.

    Raises:
        FormatError: `trust.policy` for an invalid time.
        NotFoundError, AtipError: the file cannot be read.
    """
    if not isinstance(key, dict):
        return key
    read = dict(key)
    if isinstance(key.get("file"), str):
        path = os.path.join(folder, os.path.expanduser(key["file"]))
        read["key"] = read_bytes(path, MAX_KEY)
    for name in ("validFrom", "validUntil"):
        if isinstance(key.get(name), str):
            read[name] = _seconds(key[name])
    return read


def _seconds(text: str) -> int:
    moment = from_iso(text)
    if moment is None:
        raise FormatError(
            "trust.policy",
            f"`{text[:40]}` is not a valid time",
            hint="write it as 2026-01-15T00:00:00Z",
        )
    return int(moment)
