"""Durations as documents write them: `5s`, `1-5s`, `250ms`, `instant`, `7d`, ISO 8601 (A9, P21)."""

from __future__ import annotations

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_WRITTEN = r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(?:-([0-9]{1,9}(?:\.[0-9]{1,6})?))?(ms|s|m|h|d|w)\Z"
_ISO = (
    r"P(?=[0-9T])(?:([0-9]{1,9})W)?(?:([0-9]{1,9})D)?"
    r"(?:T(?=[0-9])(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})S)?)?\Z"
)


def parse_duration(text: str) -> tuple[float, float] | None:
    """Seconds from and to, or None when the text is no duration. `instant` is (0, 0)."""
    if text == "instant":
        return (0.0, 0.0)
    digits, unit = text[:-1], _UNITS.get(text[-1:])
    if unit and digits.isascii() and digits.isdigit() and len(digits) < 10:
        return (float(digits) * unit, float(digits) * unit)
    import re  # start-up must not pay for it where no document speaks of time in another way

    written = re.match(_WRITTEN, text)
    if written:
        unit = _UNITS[written[3]]
        low = float(written[1]) * unit
        high = float(written[2]) * unit if written[2] else low
        return (low, high) if low <= high else None
    iso = re.match(_ISO, text)
    if iso:
        weeks, days, hours, minutes, seconds = (float(part or 0) for part in iso.groups())
        total = weeks * 604800 + days * 86400 + hours * 3600 + minutes * 60 + seconds
        return (total, total)
    return None
