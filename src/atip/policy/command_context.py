"""CommandContext: one parsed call with everything that a policy can test, and its dangers by name.

Made from a command of a shell line (`policy.lines.line`) or from a call that is about to run (`execution`).
Facts are three-valued; a danger that is not known to be absent counts as present.
"""

from __future__ import annotations

from atip.model.effects import UNKNOWN, Effects
from atip.model.facts import FACTS, SHORT, fact_of
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.calls.effects.engine import Reason
    from atip.model.tool import Tool
    from atip.model.verdict import Verdict

CHANGES = "changes"
MARKS = {
    "secrets": "x-atip-secrets",
    "sends": "x-atip-sends",
    "root": "x-atip-root",
    "outside": "x-atip-outside",
    "protected": "x-atip-protected",
}
"""Dangers beyond ATIP 0.6 §3.6 and the extra field of effects that holds each."""

ASSURANCES = ("idempotent", "reversible")
DANGERS = (*(name for name in FACTS if name not in ASSURANCES), CHANGES, *MARKS)
"""Every name that `within` of a rule may list."""


class CommandContext(Value):
    """The call to decide on."""

    tool: str = ""
    """Name of the program; empty: a redirection or an assignment alone."""
    also_called: tuple[str, ...] = ()
    """Further names that rules match."""
    path: tuple[str, ...] = ()
    """Its command, by canonical names."""
    flags: tuple[str, ...] | None = ()
    """Every spelling of every option given; None: not known, may be any."""
    arguments: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    text: str = ""
    """The call as shown to a person."""
    effects: Effects = UNKNOWN
    reasons: tuple[Reason, ...] = ()
    evidence: str = ""
    """Source of the effects: `knowledge`, `native`, `help` …; empty: unknown."""
    paths: tuple[str, ...] = ()
    """Files and folders in its words, absolute."""
    hosts: tuple[str, ...] = ()
    verdict: Verdict | None = None
    """None: not verified."""
    listed: bool | None = None
    """Whether an approving registry lists these exact bytes; None: unknown, which counts as no."""
    metadata: Tool | None = None
    is_operation: bool = False
    """Whether it is an operation of an API: it starts no program of the workspace; programs of its source are always confined."""
    reads_service: bool = False
    """Whether it only reads from the service that its user is logged in to (`policy.network.remote`)."""
    reversible: bool = False
    """Whether version control can restore everything that it writes (`policy.reversible`)."""
    pin: str | None = None
    """Of an MCP tool: digest of its server's settings, empty where they are not known; None: not an MCP tool."""
    never: str = ""
    """Why it must not run under any policy, and what to do instead (`policy.never`)."""


def shown_text(text: str) -> str:
    """A word as shown to the user: `…` for text that is only known when the line runs."""
    for mark in ("\0", "\1", "\2"):
        text = text.replace(mark, "…")
    return text


def danger_of(subject: CommandContext, name: str) -> bool | None:
    """The state of a danger; for an assurance its absence is the danger (`reversible` false → true)."""
    effects = subject.effects
    if name == CHANGES:
        lists = (effects.creates, effects.modifies, effects.deletes)
        if any(lists):
            return True
        return None if None in lists else False
    if name in MARKS:
        return effects.extra.get(MARKS[name]) is True
    value = fact_of(effects, name)
    if name in ASSURANCES:
        return None if value is None else not value
    return value


def full_name(text: str) -> str | None:
    """`effects.write`, `write` → `filesystem.write`; None: unknown fact."""
    name = text.removeprefix("effects.")
    name = SHORT.get(name, name)
    return name if name in DANGERS or name in ASSURANCES else None


def add_marks(effects: Effects, *names: str) -> Effects:
    """Effects with some of `MARKS` set."""
    return effects.replace(extra={**effects.extra, **{MARKS[name]: True for name in names}})
