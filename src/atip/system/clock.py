"""Time: the only access to the clock. Deadlines use `monotonic`; documents use `now_iso`."""

from __future__ import annotations

import time

monotonic = time.monotonic
now = time.time


def now_iso() -> str:
    """This moment in UTC, to the second, as documents write it."""
    return iso(now())


def iso(seconds: float) -> str:
    """Seconds since the epoch → `2026-01-15T10:30:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def from_iso(text: str) -> float | None:
    """The reverse of `iso`, tolerant of fractions and offsets; None for anything else."""
    import datetime

    try:
        moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return moment.timestamp()
