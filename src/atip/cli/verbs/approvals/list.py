"""List remembered approvals: which command, in which directory, until when. Each applies to exactly the same call.

An approval is bound to the program's bytes, the words, the passed variables, the directory and the policy;
if one of these changes you are asked again. Destructive commands are never remembered.
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

    approvals = Approvals(ctx.app.places.config).list()
    if ctx.as_json:
        ctx.emit({"approvals": [approval.to_json() for approval in approvals]})
        return 0
    for approval in approvals:
        words = " ".join(shown_word(word) for word in approval.argv)
        ctx.print(f"{approval.id}  {iso(approval.until)}  {clean_line(approval.cwd)}  {words}")
    if not approvals:
        ctx.note("no remembered approvals")
    return 0
