"""Record lines that were judged but not run, where policy requires it (§4.8 `auditAllCalls`)."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.cli.context import Context
    from atip.toolbox import Explanation


def record_decision(ctx: Context, explained: Explanation, entry: str, cwd: str | None) -> None:
    """Record a decision if policy requires it.

    Args:
        entry: the verb.

    Raises:
        Denied: `audit.unwritable`; a decision that must be recorded is not returned without.
    """
    if not explained.audit:
        return
    from atip.execution.audit.records import Records

    Records(ctx.app.audit).decision(
        explained.line, explained.decision, client=entry, cwd=os.path.realpath(cwd or os.getcwd())
    )
