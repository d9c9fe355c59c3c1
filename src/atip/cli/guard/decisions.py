"""Decisions of the guard in the audit, newest first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from atip.system.clock import now

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.execution.audit.chain import Audit

ANSWERS = ("allow", "confine", "ask", "deny")
MAX_LOOK_BACK = 5_000
"""Records to search for the last call of a client."""


def decisions(audit: Audit) -> Iterator[dict[str, Any]]:
    """Every recorded decision, newest first."""
    return (record for record in audit.newest() if record.get("event") == "decision")


def count_today(audit: Audit) -> dict[str, int]:
    """Count each answer since midnight, by the local clock."""
    today = time.localtime(now())
    midnight = time.mktime((today.tm_year, today.tm_mon, today.tm_mday, 0, 0, 0, 0, 0, -1))
    counts = dict.fromkeys(ANSWERS, 0)
    for record in audit.newest():
        if _time(record) < midnight:
            break
        answer = record.get("answer", record.get("decision"))
        if record.get("event") == "decision" and answer in counts:
            counts[answer] += 1
    return counts


def last_call(audit: Audit, client: str) -> float | None:
    """When a client last called the guard; None: not recorded."""
    for number, record in enumerate(audit.newest()):
        if number >= MAX_LOOK_BACK:
            break
        if record.get("event") == "decision" and record.get("client") == client:
            return _time(record)
    return None


def _time(record: dict[str, Any]) -> float:
    moment = record.get("time")
    return float(moment) if isinstance(moment, int | float) else 0.0
