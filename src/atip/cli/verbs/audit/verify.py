"""Follow the chain of audit records; exit 1 and name the first record that was changed, removed or added."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip audit verify", "atip audit verify --json")


def configure(parser: argparse.ArgumentParser) -> None:
    """No options of its own."""


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import count
    from atip.running import audit_of

    checked = audit_of(ctx.app).verify()
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
                "broken": where,
                "unfinished": list(checked.unfinished),
            }
        )
    elif broken is not None:
        ctx.print(f"broken at {broken.file} line {broken.line}: {broken.reason}")
        ctx.print(f"{count(checked.records, 'record')} before it are as they were written")
    else:
        ctx.print(f"{count(checked.records, 'record')} in an unbroken chain; last {checked.last}")
        if checked.unfinished:
            ctx.note(f"{count(len(checked.unfinished), 'run')} without an end: running or killed")
    return 0 if broken is None else 1
