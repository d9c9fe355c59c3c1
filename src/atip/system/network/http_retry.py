"""When to try again: few tries, jittered, inside one budget; and how long to leave a failed server alone. Pure.

The random number is a parameter, so that the rules can be tested: thousands of clients that failed together must not
come back together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_TRIES = 3
RETRIED = frozenset([429, 500, 502, 503, 504])
FIRST_DELAY_S = 0.25
MAX_DELAY_S = 4.0
REST_S = 60.0
MAX_REST_S = 3600.0


def delay_s(tries: int, random: float, server_delay_s: float | None = None) -> float:
    """Seconds to wait after `tries` failed tries; full jitter, never less than the server requested."""
    spread = random * min(MAX_DELAY_S, FIRST_DELAY_S * float(2**tries))
    return spread if server_delay_s is None else server_delay_s + spread


def rest_s(failures: int, random: float, server_delay_s: float | None = None) -> float:
    """Seconds that background sessions leave a server alone after `failures` failed sessions in a row.

    Between half and one and a half times the step: the spread of many clients is never below a minute.
    """
    step = min(MAX_REST_S, REST_S * float(2 ** max(0, failures - 1)))
    return step * (0.5 + random) + (server_delay_s or 0.0)


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """`Retry-After` in seconds, from a number or a date; None when absent or unreadable."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return float(min(int(text[:9]), 86_400))
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError):
        return None
    return min(86_400.0, max(0.0, moment - now))
