"""Permission modes of clients: modes that do not ask the user reliably, and plan mode. Pure.

Measured with Claude Code 2.1 (docs/concepts/guard.md): `deny` holds in every mode. In `auto` and `bypassPermissions` an `ask` is
skipped for some lines, so a suffix like `> ~/.profile` would bypass it. In `plan` our `allow` overrides the plan.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.policy.command_context import CommandContext

ASKING = frozenset(("default", "acceptEdits", "plan", "dontAsk", "manual"))
"""Modes in which `ask` prompts the user, or is refused without one."""
PLAN = "plan"


def in_mode(client: str, mode: str | None, outcome: str, reason: str) -> tuple[str, str]:
    """Adapt outcome and reason to the client's permission mode.

    Args:
        mode: None: not reported, as by clients without modes.
    """
    if outcome != "ask" or client != "claude-code" or mode is None or mode in ASKING:
        return outcome, reason
    # SECURITY: a mode that is not known is one that does not ask.
    return "deny", f"permission mode `{mode}` does not ask reliably; run it in a terminal or in another mode: {reason}"  # fmt: skip


def asks_itself(client: str, mode: str | None) -> bool:
    """Whether a client asks the user about its own tools where we have no opinion. Unverified clients count as no."""
    return client in ("claude-code", "codex") and mode in ASKING


def in_plan(outcome: str, reason: str, subjects: Sequence[CommandContext]) -> tuple[str, str]:
    """Adapt outcome and reason to plan mode: only read-only commands are allowed, whatever a rule says."""
    from atip.policy.command_context import DANGERS, danger_of
    from atip.policy.presets import LOOKING

    if outcome != "allow":
        return outcome, reason
    for subject in subjects:
        harmless = (*LOOKING, "network") if subject.reads_service else LOOKING
        if any(danger_of(subject, name) is not False for name in DANGERS if name not in harmless):
            return "deny", f"plan mode allows only reading: {reason}"
    return outcome, reason
