"""Decisions of the guard, newest last: time, client, answer, line, reason, duration. From the audit; see `atip audit verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = ("atip guard log", "atip guard log --only deny --last 50", "atip guard log --json")


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import natural

    parser.add_argument("--last", type=natural, default=20, metavar="N", help="how many decisions")
    parser.add_argument(
        "--only", choices=("allow", "confine", "ask", "deny", "off"), help="only these answers"
    )
    parser.add_argument("--client", metavar="CLIENT", help="only decisions for this client")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.guard.decisions import decisions
    from atip.cli.guard.installation.clients import find_client

    client = find_client(options.client).name if options.client else ""
    records: list[dict[str, Any]] = []
    for record in decisions(ctx.app.audit):
        if len(records) >= max(0, options.last):
            break
        fits = not client or record.get("client") == client
        if fits and options.only in (None, record.get("answer", record.get("decision"))):
            records.append(record)
    records.reverse()
    if ctx.as_json:
        ctx.emit({"decisions": records})
        return 0
    for record in records:
        ctx.print(_line(record))
    if not records:
        ctx.note(
            "no recorded decisions yet; `atip guard status` shows which clients call the guard"
        )
    return 0


def _line(record: dict[str, Any]) -> str:
    from atip.execution.consent import clean_line
    from atip.system.clock import iso

    moment = record.get("time")
    when = iso(float(moment)) if isinstance(moment, int | float) else "?"
    answer = str(record.get("answer", record.get("decision")))
    took = record.get("durationMs")
    reasons = record.get("reasons")
    why = "; ".join(map(str, reasons)) if isinstance(reasons, list) else ""
    time = f" {took:.0f} ms" if isinstance(took, int | float) else ""
    text = f"{record.get('client')}  {answer:<7}  {record.get('line')}  – {why} [{record.get('rule')}]{time}"
    return f"{when}  {clean_line(text)}"
