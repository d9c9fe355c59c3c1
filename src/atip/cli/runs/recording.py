"""Records of lines that were judged and not run, where policy wants every decision on record (§4.8 `auditAllCalls`)."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.cli.context import Context
    from atip.toolbox import Explanation


def record_decision(ctx: Context, found: Explanation, entry: str, cwd: str | None) -> None:
    """
    Args:
        entry: which verb was asked.

    Raises:
        Denied: `audit.unwritable`; a decision that must be on record is not given without.
    """
    if not found.audit:
        return
    from atip.execution.audit.records import Records

    Records(ctx.app.audit).decision(
        found.line, found.decision, client=entry, cwd=os.path.realpath(cwd or os.getcwd())
    )
