"""The login state machine, pure: five states, the events that move it, and the three that are reported (P20).

    unknown ─version-ok→ unauthed ─login-started→ logging-in ─login-done→ authed ─expired→ expired ─login-started→ …

Implements AIP-29 "Login state machine".
"""

from __future__ import annotations

UNKNOWN, UNAUTHED, LOGGING_IN = "unknown", "unauthed", "logging-in"
AUTHED, EXPIRED = "authed", "expired"
STATES = (UNKNOWN, UNAUTHED, LOGGING_IN, AUTHED, EXPIRED)

MOVES: dict[tuple[str, str], str] = {
    (UNKNOWN, "version-ok"): UNAUTHED,
    (UNAUTHED, "login-started"): LOGGING_IN,
    (EXPIRED, "login-started"): LOGGING_IN,
    (AUTHED, "login-started"): LOGGING_IN,
    (LOGGING_IN, "login-started"): LOGGING_IN,  # the one before was killed
    (LOGGING_IN, "login-done"): AUTHED,
    (LOGGING_IN, "login-failed"): UNAUTHED,
    (UNAUTHED, "seen-logged-in"): AUTHED,
    (EXPIRED, "seen-logged-in"): AUTHED,
    (LOGGING_IN, "seen-logged-in"): AUTHED,
    (AUTHED, "seen-logged-in"): AUTHED,
    (AUTHED, "expired"): EXPIRED,
    (AUTHED, "logged-out"): UNAUTHED,
    (EXPIRED, "logged-out"): UNAUTHED,
}
"""State and event → state; every other event changes nothing, except `version-bad`, which resets to `unknown`."""


def next_state(state: str, event: str) -> str:
    """The state after an event."""
    if event == "version-bad":
        return UNKNOWN
    return MOVES.get((state, event), state)


def reported_state(state: str) -> str:
    """One of the three states of the text."""
    return state if state in (UNKNOWN, AUTHED) else UNAUTHED


def is_due(refreshed_at: float | None, every_s: float | None, now: float) -> bool:
    """Whether a refresh is due; a clock that went backwards makes it due too."""
    if every_s is None:
        return False
    return refreshed_at is None or now - refreshed_at >= every_s or refreshed_at > now
