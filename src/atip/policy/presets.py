"""The four presets, as data. `cautious` is the default. See docs/concepts/policy.md."""

from __future__ import annotations

from atip.model.preset_names import RETIRED
from atip.policy.decision import ALLOW, ASK, DENY
from atip.policy.policy import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT = "cautious"
KNOWN = ("knowledge", "shell", "override")
"""SECURITY: sources that are trusted when they report no effects. A tool's own metadata
(`native`, `claim`) is not among them: it never allows anything by itself (ATIP 0.1 §5.1)."""

LOOKING = ("filesystem.read", "subprocess", "interactive.prompts", "interactive.tty")
WRITING = (*LOOKING, "filesystem.write", "filesystem.delete", "destructive")
"""With `reversible` only. Known destruction asks before any preset applies."""

_looking = Rule(name="read-only", decision=ALLOW, within=LOOKING, evidence=KNOWN)
_asking = Rule(
    name="reads from a service its user is logged in to", decision=ALLOW, within=(*LOOKING, "network"), evidence=("knowledge",),
    service=True,
)  # fmt: skip
"""SECURITY: only with `service`; the network alone is never allowed."""
_reversible = Rule(
    name="reversible writes in a version-controlled workspace", decision=ALLOW, within=WRITING,
    evidence=KNOWN, reversible=True,
)  # fmt: skip
"""SECURITY: only with `reversible`; a write to an unknown path is never allowed."""
_READS = (_looking, _asking)

CI = "ci"
PRESETS: dict[str, tuple[tuple[Rule, ...], str]] = {
    # name: rules, and what follows where none matches
    "read-only": ((_looking,), DENY),
    DEFAULT: (_READS, ASK),
    "workspace": ((*_READS, _reversible), ASK),
    CI: (_READS, ASK),
}
"""`ci` runs unattended: what a sandbox does not make safe is denied, never asked (`unattended`)."""


def unattended(presets: Iterable[str | None]) -> bool:
    """Whether a layer runs unattended, so that no question can be asked."""
    return CI in presets


def check_preset(name: str) -> str:
    """
    Raises:
        UsageError: `policy.unknown-preset`, `policy.retired-preset`.
    """
    if name in PRESETS:
        return name
    from atip.errors import UsageError

    if name in RETIRED:
        raise UsageError(
            "policy.retired-preset", f"the preset `{name}` was retired", hint=RETIRED[name]
        )
    from atip.model.shapes.shape import closest

    close = closest(name, list(PRESETS))
    hint = f"did you mean `{close}`?" if close else "presets: " + ", ".join(PRESETS)
    raise UsageError("policy.unknown-preset", f"unknown preset `{name[:40]}`", hint=hint)
