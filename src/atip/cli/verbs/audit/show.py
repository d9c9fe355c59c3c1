"""What was run and decided: the latest records of the audit, newest last. Believe them only after `atip audit verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip audit show", "atip audit show --last 5 --json", "atip audit show --decisions")
DECISIONS = ("decision", "start", "refused")
"""Events that hold a decision: about a line that was only judged, of what started, of what did not."""


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import natural

    parser.add_argument("--last", type=natural, default=20, metavar="N", help="how many records")
    parser.add_argument(
        "--decisions", action="store_true", help="only what was decided, by any way to ask or run"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    import collections

    found = ctx.app.audit.records()
    if options.decisions:
        found = (record for record in found if record.get("event") in DECISIONS)
    records = collections.deque(found, maxlen=max(0, options.last))
    if ctx.as_json:
        ctx.emit({"records": list(records)})
        return 0
    for record in records:
        ctx.print(_line(record))
    if not records:
        ctx.note("no decision is on record" if options.decisions else "nothing was run yet")
    return 0


def _line(record: dict[str, Any]) -> str:
    from atip.execution.consent import clean_line, shown_word
    from atip.system.clock import iso

    moment = record.get("time")
    when = iso(float(moment)) if isinstance(moment, int | float) else "?"
    event = clean_line(str(record.get("event", "?")))
    run = clean_line(str(record.get("run", record.get("client", "-"))))
    argv = record.get("argv")
    if isinstance(argv, list):
        decision = record.get("decision")
        outcome = f"{decision.get('decision')}  " if isinstance(decision, dict) else ""
        said = clean_line(outcome) + " ".join(shown_word(str(word)) for word in argv)
    elif "line" in record:
        said = clean_line(f"{record.get('decision')}  {record['line']}  [{record.get('rule')}]")
    else:
        said = clean_line(f"exit {record.get('exitCode', record.get('failed', '?'))}")
    return f"{when}  {run:<16}  {event:<8}  {said}"
