"""Today's decisions in one line, for the status line of a coding agent: allowed, confined, asked, denied.

Standard input is ignored. In Claude Code's settings:
`"statusLine": {"type": "command", "command": "atip guard statusline"}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = ("atip guard statusline",)
_WORDS = {"allow": "allowed", "confine": "confined", "ask": "asked", "deny": "denied"}


def configure(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.guard.decisions import count_today
    from atip.cli.guard.switch import off_until
    from atip.system.clock import iso

    counts = count_today(ctx.app.audit)
    until = off_until(ctx.app.places.config)
    if ctx.as_json:
        ctx.emit({"today": {word: counts[name] for name, word in _WORDS.items()}, "offUntil": until or None})  # fmt: skip
        return 0
    summary = " · ".join(f"{counts[name]} {word}" for name, word in _WORDS.items())
    ctx.print(f"atip: off until {iso(until)[11:16]}Z · {summary}" if until else f"atip: {summary}")
    return 0
