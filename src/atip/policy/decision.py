"""Decision: allow, confine, ask or deny – with reasons and the rule that decided. The stricter one wins."""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ALLOW, CONFINE, ASK, DENY = "allow", "confine", "ask", "deny"
NEVER = "never"
"""Name of the rule behind a denial that no policy can override (`policy.never`)."""
PRESET = "preset "
"""Prefix of the names of preset rules."""
_RANK = {ALLOW: 0, CONFINE: 1, ASK: 2, DENY: 3}


class Decision(Value):
    """The outcome for one call or a whole line."""

    outcome: str
    """`allow`, `confine` (allowed inside of a sandbox only), `ask` or `deny`."""
    reasons: tuple[str, ...] = ()
    """Shown to the user, most important first; may quote words of the call, never text from a tool."""
    rule: str = ""
    """Name of what decided: `user: no force pushes`, `preset cautious`, `always: destructive`."""
    subject: str = ""
    """Command of the line that the decision is about."""

    def to_json(self) -> dict[str, object]:
        return {
            "decision": self.outcome,
            "reasons": list(self.reasons),
            "rule": self.rule,
            "subject": self.subject,
        }


NOTHING_RUNS = Decision(outcome=ALLOW, reasons=("nothing runs",), rule="always: nothing")
"""For a line without a command, such as a comment."""


def strictest(decisions: Iterable[Decision]) -> Decision:
    """The first of the strictest, with the reasons of all others of the same outcome. No decisions: ask."""
    all_decisions = list(decisions)
    if not all_decisions:
        return Decision(outcome=ASK, reasons=("nothing was judged",), rule="always: nothing")
    worst = max(_RANK[decision.outcome] for decision in all_decisions)
    same = [decision for decision in all_decisions if _RANK[decision.outcome] == worst]
    # show what no policy can override first, then rules of the user, presets last
    same.sort(key=lambda decision: (decision.rule != NEVER, decision.rule.startswith(PRESET)))
    if same[0].rule == NEVER:
        same = [decision for decision in same if decision.rule == NEVER]
    reasons = dict.fromkeys(reason for decision in same for reason in decision.reasons)
    first = next((decision for decision in same if decision.rule), same[0])
    return first.replace(reasons=tuple(reasons))


def is_stricter(left: str, right: str) -> bool:
    """Whether an outcome is stricter than another."""
    return _RANK[left] > _RANK[right]
