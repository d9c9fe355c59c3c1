"""Switch the guard off for a limited time, so that coding agents follow their own rules. Confirmed on the terminal, and recorded.

Ends automatically after the given time, a day at most. Lines on the Never list are still denied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": False,
    "interactive": {"stdin": "none", "prompts": True, "tty": True},
}
EXAMPLES = ("atip guard off --for 1h",)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--for", dest="time", required=True, metavar="TIME", help="how long: 15m, 1h; 24h at most"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.guard.switch import MAX_S, switch_off
    from atip.errors import UsageError
    from atip.execution.audit.records import Records
    from atip.model.text.durations import parse_duration
    from atip.system.clock import iso, now

    time = parse_duration(options.time)
    if time is None or not 0 < time[1] <= MAX_S:
        raise UsageError("cli.usage", f"`{options.time[:40]}` is not a valid duration up to 24h", hint="for example: --for 1h")  # fmt: skip
    if not ctx.confirm(f"Let agents follow their own rules for {options.time}?"):
        ctx.note("nothing was changed")
        return 1
    # SECURITY: no record, no silence
    Records(ctx.app.audit).switched("off", round(now() + time[1], 3))
    until = switch_off(ctx.app.places.config, time[1])
    if ctx.as_json:
        ctx.emit({"offUntil": until})
    else:
        ctx.print(f"the guard is switched off until {iso(until)}; `atip guard on` switches it on")
    return 0
