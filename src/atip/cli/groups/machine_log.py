"""Records of the audit log as rows for people. Texts are redacted and escaped here, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.text.visible_text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Record = Mapping[str, Any]
    Rows = list[dict[str, Any]]

_ABOUT = ("bundle", "tool", "step", "method", "from", "to", "state", "problem")
"""Keys shown for records without a command line, in this order."""


def log_rows(records: Iterable[Record], after: int, limit: int) -> Rows:
    """The newest `limit` records with a number above `after`, the newest first.

    Every record is read, as the end of a run names its command only by the id of its start.
    """
    started: dict[str, Sequence[object]] = {}
    newer = []
    for number, record in enumerate(records, 1):
        argv, run = record.get("argv"), str(record.get("run", ""))
        if isinstance(argv, list) and run:
            started[run] = argv
        if number > after:
            newer.append((number, record, started.get(run, ())))
        if record.get("event") == "end":
            started.pop(run, None)
    return [_row(*one) for one in newer[: -limit - 1 : -1]]


def _row(number: int, record: Record, argv: Sequence[object]) -> dict[str, Any]:
    from atip.system.clock import iso

    moment, decision = record.get("time"), record.get("decision")
    time = iso(float(moment)) if isinstance(moment, int | float) else ""
    fields = decision if isinstance(decision, dict) else {**record, "decision": decision}
    return {
        "number": number,
        "time": time.replace("T", " ").rstrip("Z"),
        "event": shown(record.get("event", "")),
        "decision": shown(fields.get("decision") or ""),
        "text": _text(record, argv),
        "rule": shown(fields.get("rule") or ""),
    }


def _text(record: Record, argv: Sequence[object]) -> str:
    """Subject of a record: its command line, or the keys of `_ABOUT`; at the end of a run, its result first."""
    if record.get("event") == "end":
        failed, code = record.get("failed"), record.get("exitCode", "?")
        ending = shown(f"failed ({failed})" if failed else f"exit {code}")
        return f"{ending}: {shown_words(argv)}" if argv else ending
    own = record.get("argv")
    if isinstance(own, list):
        return shown_words(own)
    return shown(
        record.get("line") or " ".join(str(record[key]) for key in _ABOUT if key in record)
    )


def shown_words(argv: Sequence[object]) -> str:
    return " ".join(shown(word) for word in argv)


def shown(value: object) -> str:
    """SECURITY: text for display or export, with known kinds of secrets redacted."""
    from atip.execution.redaction.redact import redact_text

    return clean(redact_text(str(value)))
