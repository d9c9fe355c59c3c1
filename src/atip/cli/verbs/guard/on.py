"""Switch the guard on again before the time of `guard off` is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": True, "delete": False}, "network": False}
EXAMPLES = ("atip guard on",)


def configure(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.guard.switch import switch_on
    from atip.execution.audit.records import Records

    was_off = switch_on(ctx.app.places.config)
    if was_off:
        Records(ctx.app.audit).switched("on", 0.0)
    if ctx.as_json:
        ctx.emit({"wasOff": was_off})
    else:
        ctx.print("the guard is on" if was_off else "the guard was already on")
    return 0
