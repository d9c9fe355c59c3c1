"""Durations as documents write them: `5s`, `1-5s`, `250ms`, `instant`, `7d`, ISO 8601 (A9, P21).

Read without regular expressions: every start of `show` looks at one, and importing `re` costs a third of starting Python.
"""

from __future__ import annotations

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_ISO_DATE = (("W", 604800.0), ("D", 86400.0))
_ISO_TIME = (("H", 3600.0), ("M", 60.0), ("S", 1.0))
_MAX_DIGITS, _MAX_DECIMALS = 9, 6


def parse_duration(text: str) -> tuple[float, float] | None:
    """Seconds from and to, or None if the text is not a duration. `instant` is (0, 0)."""
    if text == "instant":
        return (0.0, 0.0)
    return _iso(text[1:]) if text.startswith("P") else _with_unit(text)


def _with_unit(text: str) -> tuple[float, float] | None:
    unit = next((unit for unit in _UNITS if text.endswith(unit)), "")
    if not unit:
        return None
    first, dash, last = text.removesuffix(unit).partition("-")
    low = _number(first)
    high = _number(last) if dash else low
    if low is None or high is None or low > high:
        return None
    return (low * _UNITS[unit], high * _UNITS[unit])


def _number(text: str) -> float | None:
    integer, point, decimals = text.partition(".")
    if not _is_digits(integer, _MAX_DIGITS) or (point and not _is_digits(decimals, _MAX_DECIMALS)):
        return None
    return float(text)


def _iso(text: str) -> tuple[float, float] | None:
    date, mark, time = text.partition("T")
    if bool(mark) != bool(time) or not text:
        return None
    days, seconds = _total(date, _ISO_DATE), _total(time, _ISO_TIME)
    if days is None or seconds is None:
        return None
    return (days + seconds, days + seconds)


def _total(text: str, units: tuple[tuple[str, float], ...]) -> float | None:
    """Seconds of `3W2D` or `1H30M`: each unit at most once, in this order; None for anything else."""
    total = 0.0
    for letter, seconds in units:
        number, present, rest = text.partition(letter)
        if present:
            if not _is_digits(number, _MAX_DIGITS):
                return None
            total += float(number) * seconds
            text = rest
    return None if text else total


def _is_digits(text: str, most: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= most
