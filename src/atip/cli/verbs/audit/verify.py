"""Check the hash chain of audit records; exit 1 and report the first record that was changed, removed or added.

The number of records and the last hash are also stored separately, so that truncation is detected. Store the printed head
elsewhere to prove later, with `--head`, that nothing before it was removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip audit verify", "atip audit verify --json")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare `--head`."""
    parser.add_argument(
        "--head",
        action="append",
        default=[],
        metavar="RECORDS:HASH",
        help="a head stored elsewhere; the chain must contain it",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import count
    from atip.execution.audit.anchor import Head, parse_head

    checked = ctx.app.audit.verify([parse_head(text) for text in options.head])
    head = Head(records=checked.records, last=checked.last).to_text()
    broken = checked.broken
    if ctx.as_json:
        where = (
            {"file": broken.file, "line": broken.line, "reason": broken.reason} if broken else None
        )
        ctx.emit(
            {
                "ok": broken is None,
                "records": checked.records,
                "last": checked.last,
                "head": head,
                "anchored": checked.anchored,
                "broken": where,
                "unfinished": list(checked.unfinished),
            }
        )
    elif broken is not None:
        ctx.print(f"broken at {broken.file} line {broken.line}: {broken.reason}")
        ctx.print(f"{count(checked.records, 'record')} before it are intact")
    else:
        ctx.print(f"{count(checked.records, 'record')} in an unbroken chain; head {head}")
        if checked.unfinished:
            ctx.note(f"{count(len(checked.unfinished), 'run')} without an end: running or killed")
    return 0 if broken is None else 1
