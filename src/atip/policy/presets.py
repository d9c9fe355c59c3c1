"""The four presets, as data. `cautious` is the default. See docs/concepts/policy.md."""

from __future__ import annotations

from atip.policy.decision import ALLOW, ASK, DENY
from atip.policy.policy import Rule

DEFAULT = "cautious"
KNOWN = ("knowledge", "shell", "override")
"""SECURITY: where effects may be believed when they say that nothing happens. What a tool says of itself
(`native`, `claim`) is not among them: metadata alone never allows anything (ATIP 0.1 §5.1)."""

LOOKING = ("filesystem.read", "subprocess", "interactive.prompts", "interactive.tty")
WORKING = (*LOOKING, "filesystem.write", "network", "changes")

_looking = Rule(name="read-only", decision=ALLOW, within=LOOKING, evidence=KNOWN)
_working = Rule(name="reversible changes", decision=ALLOW, within=WORKING, evidence=KNOWN)
_asking = Rule(
    name="reads from a service its user is logged in to", decision=ALLOW, within=(*LOOKING, "network"), evidence=("knowledge",),
    service=True,
)  # fmt: skip
"""SECURITY: only with `service`; the network alone is never allowed."""
_secrets = Rule(
    name="secrets", decision=ASK, effects={"secrets": True}, reason="reads or prints a secret"
)
_protected = Rule(
    name="protected paths", decision=ASK, effects={"protected": True},
    reason="writes where it changes what runs later",
)  # fmt: skip

PRESETS: dict[str, tuple[tuple[Rule, ...], str]] = {
    # name: rules, and what follows where none matches
    "read-only": ((_looking,), DENY),
    "cautious": ((_looking, _asking), ASK),
    "trusted": ((_working, _secrets, _protected), ASK),
    "ci": ((_working,), DENY),
}
"""`ci` runs unattended: what is not allowed is denied."""
