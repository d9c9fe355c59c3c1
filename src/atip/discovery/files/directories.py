"""Directories to scan, and those to skip with a reason. The judgment itself is in `safety.py`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.discovery.files.safety import why_unsafe_directory
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable


class SkippedPath(Value):
    """Something that was not looked at, and why."""

    path: str
    reason: str
    """Stable slug such as `relative` or `world-writable`."""

    def to_json(self) -> dict[str, str]:
        return {"path": self.path, "reason": self.reason}


class Directories(Value):
    """Directories to scan, in order, and those skipped."""

    chosen: tuple[str, ...] = ()
    skipped: tuple[SkippedPath, ...] = ()


def choose_directories(entries: Iterable[str], *, is_explicit: bool = False) -> Directories:
    """Decide on PATH entries (or on directories named by the user, `named`)."""
    chosen: list[str] = []
    skipped: list[SkippedPath] = []
    seen: set[tuple[int, int]] = set()
    for entry in entries:
        if not entry or not os.path.isabs(entry):
            skipped.append(SkippedPath(path=entry or ".", reason="relative"))
            continue
        try:
            status = os.stat(entry)
        except OSError:
            skipped.append(SkippedPath(path=entry, reason="missing"))
            continue
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        reason = why_unsafe_directory(entry, is_explicit=is_explicit)
        if reason:
            skipped.append(SkippedPath(path=entry, reason=reason))
        else:
            chosen.append(entry)
    return Directories(chosen=tuple(chosen), skipped=tuple(skipped))
