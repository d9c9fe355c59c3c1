"""Whether what is stored about a tool can still be used (0.1 §3.5.1, 0.6 §4.3)."""

from __future__ import annotations

import os

from atip.system.files import stat_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

DEFAULT_MAX_AGE_S = 7 * 86400.0
"""After this time metadata is refreshed; `maxAge` in config.json may be longer."""


def why_stale(
    entry: Mapping[str, Any] | None, config: Callable[[], Mapping[str, Any]]
) -> str | None:
    """`unknown`, `changed`, `expired`, or None when the entry can be used as it is."""
    if entry is None:
        return "unknown"
    extension = entry.get("x-atip")
    seen = extension.get("stat") if isinstance(extension, dict) else None
    if seen is None:
        return None  # written by another agent, without what we would compare
    try:
        status = os.stat(entry["path"])
    except OSError:
        return "changed"
    if seen != list(stat_key(status)):
        return "changed"
    return "expired" if _is_expired(entry, config) else None


def _is_expired(entry: Mapping[str, Any], config: Callable[[], Mapping[str, Any]]) -> bool:
    from atip.system.clock import from_iso, iso, now

    checked_at = str(entry.get("lastChecked", ""))
    if (
        len(checked_at) == 20
        and checked_at.endswith("Z")
        and checked_at >= iso(now() - DEFAULT_MAX_AGE_S)
    ):
        return False  # our own form sorts like the time it means: no calendar is needed
    checked = from_iso(checked_at)
    if checked is None or now() - checked < DEFAULT_MAX_AGE_S:
        return False  # the configured age is read only when the default one has passed
    from atip.model.text.durations import parse_duration

    configured = parse_duration(str(config().get("maxAge", "")))
    return now() - checked > (configured[1] if configured else DEFAULT_MAX_AGE_S)
