"""What was run: the latest records of the audit, newest last. Believe them only after `atip audit verify`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from atip.cli.context import Context

EXAMPLES = ("atip audit show", "atip audit show --last 5 --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--last", type=int, default=20, metavar="N", help="how many records")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import collections

    from atip.running import audit_of

    records = collections.deque(audit_of(ctx.app).records(), maxlen=max(0, options.last))
    if ctx.as_json:
        ctx.emit({"records": list(records)})
        return 0
    for record in records:
        ctx.print(_line(record))
    if not records:
        ctx.note("nothing was run yet")
    return 0


def _line(record: dict[str, Any]) -> str:
    from atip.execution.consent import clean_line, shown_word
    from atip.system.clock import iso

    moment = record.get("time")
    when = iso(float(moment)) if isinstance(moment, int | float) else "?"
    event = clean_line(str(record.get("event", "?")))
    run = clean_line(str(record.get("run", "-")))
    argv = record.get("argv")
    if isinstance(argv, list):
        said = " ".join(shown_word(str(word)) for word in argv)
    else:
        said = clean_line(f"exit {record.get('exitCode', record.get('failed', '?'))}")
    return f"{when}  {run:<16}  {event:<7}  {said}"
