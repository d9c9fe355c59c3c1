"""Permission modes of clients: where a question is not put to a person, and where only reading is meant. Pure.

Measured with Claude Code 2.1 (docs/concepts/guard.md): `deny` holds in every mode. In `auto` and `bypassPermissions` an `ask` is
not put to anybody for some lines, so a suffix like `> ~/.profile` would disarm it. In `plan` an `allow` of ours
overrides the plan.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.policy.command_context import CommandContext

ASKING = frozenset(("default", "acceptEdits", "plan", "dontAsk", "manual"))
"""Modes in which a question is put to a person, or refused where there is none."""
PLAN = "plan"


def in_mode(client: str, mode: str | None, outcome: str, reason: str) -> tuple[str, str]:
    """Outcome and reason as the client's mode can hold them.

    Args:
        mode: None: the client does not say, as clients without modes.
    """
    if outcome != "ask" or client != "claude-code" or mode is None or mode in ASKING:
        return outcome, reason
    # SECURITY: a mode that is not known is one that does not ask.
    return "deny", f"permission mode `{mode}` does not ask reliably; run it in a terminal or in another mode: {reason}"  # fmt: skip


def asks_itself(client: str, mode: str | None) -> bool:
    """Whether a client puts a call of its own tools to a person where we are silent. What is not verified counts as no."""
    return client in ("claude-code", "codex") and mode in ASKING


def in_plan(outcome: str, reason: str, subjects: Sequence[CommandContext]) -> tuple[str, str]:
    """Outcome and reason in plan mode: what does more than read is not allowed, whatever a rule says."""
    from atip.policy.command_context import DANGERS, danger_of
    from atip.policy.presets import LOOKING

    if outcome != "allow":
        return outcome, reason
    for subject in subjects:
        meant = (*LOOKING, "network") if subject.reads_service else LOOKING
        if any(danger_of(subject, name) is not False for name in DANGERS if name not in meant):
            return "deny", f"plan mode allows only reading: {reason}"
    return outcome, reason
