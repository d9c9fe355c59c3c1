"""Show runs and decisions: the latest records of the audit, newest last. Check them with `atip audit verify` first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip audit show", "atip audit show --last 5 --json", "atip audit show --decisions")
DECISIONS = ("decision", "start", "refused")
"""Events with a decision: on a line that was only judged, on a start, on a refusal."""


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import natural

    parser.add_argument("--last", type=natural, default=20, metavar="N", help="how many records")
    parser.add_argument(
        "--decisions", action="store_true", help="only decisions, whatever the entry point"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    import collections

    selected = ctx.app.audit.records()
    if options.decisions:
        selected = (record for record in selected if record.get("event") in DECISIONS)
    records = collections.deque(selected, maxlen=max(0, options.last))
    if ctx.as_json:
        ctx.emit({"records": list(records)})
        return 0
    for record in records:
        ctx.print(_line(record))
    if not records:
        ctx.note("no recorded decisions" if options.decisions else "no recorded runs")
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
        text = clean_line(outcome) + " ".join(shown_word(str(word)) for word in argv)
    elif "line" in record:
        text = clean_line(f"{record.get('decision')}  {record['line']}  [{record.get('rule')}]")
    else:
        text = clean_line(f"exit {record.get('exitCode', record.get('failed', '?'))}")
    return f"{when}  {run:<16}  {event:<8}  {text}"
