"""Follow the chain of audit records; exit 1 and name the first record that was changed, removed or added.

The number of records and the last hash are kept in a second place, so that a cut at the end is seen. Note the head that this
prints elsewhere to prove later, with `--head`, that nothing before it has gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip audit verify", "atip audit verify --json")


def configure(parser: argparse.ArgumentParser) -> None:
    """Heads that were noted elsewhere."""
    parser.add_argument(
        "--head",
        action="append",
        default=[],
        metavar="RECORDS:HASH",
        help="a head that was noted elsewhere; the chain must hold it",
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
        ctx.print(f"{count(checked.records, 'record')} before it are as they were written")
    else:
        ctx.print(f"{count(checked.records, 'record')} in an unbroken chain; head {head}")
        if checked.unfinished:
            ctx.note(f"{count(len(checked.unfinished), 'run')} without an end: running or killed")
    return 0 if broken is None else 1
