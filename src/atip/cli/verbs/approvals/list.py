"""Remembered approvals: which command, in which directory, until when. Each holds for the very same call only.

An approval is bound to the program's bytes, the words, the variables handed in, the directory and the policy;
any change of one of these and you are asked again. Destructive commands are never among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = ("atip approvals list", "atip approvals list --json")


def configure(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.execution.approvals import Approvals
    from atip.execution.consent import clean_line, shown_word
    from atip.system.clock import iso

    held = Approvals(ctx.app.places.config).list()
    if ctx.as_json:
        ctx.emit({"approvals": [each.to_json() for each in held]})
        return 0
    for each in held:
        words = " ".join(shown_word(word) for word in each.argv)
        ctx.print(f"{each.id}  {iso(each.until)}  {clean_line(each.cwd)}  {words}")
    if not held:
        ctx.note("no approval is remembered")
    return 0
