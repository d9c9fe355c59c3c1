"""Policy: one value that organization policies (ATIP 0.6 §4.8), permission policies (0.1 §5.2), delegations
(§10.2) and our own rules are all read into. Reading is `reading.py`, deciding is `decide.py`. Pure.
"""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.permissions.delegation import Delegation

LAYERS = ("organisation", "user", "project", "delegation")
"""From the widest to the narrowest; each later layer can only restrict."""

NO_FACTS: Mapping[str, bool] = {}


class Rule(Value):
    """Conditions and a decision. Every condition present must hold; a rule without conditions matches all."""

    decision: str
    name: str = ""
    tools: tuple[str, ...] | None = None
    """Names; `*` at the end is a wildcard. Empty: no tool, the rule never matches."""
    commands: tuple[str, ...] | None = None
    """Command paths below the tool (`repo delete`), whole subtree; operands may follow."""
    options: tuple[str, ...] | None = None
    """Canonical names or flags, any of which is given. Calls whose flags are not known may have it."""
    effects: Mapping[str, bool] = NO_FACTS
    """Facts that must hold. SECURITY: an unknown fact holds for `ask` and `deny`, and not for `allow`."""
    within: tuple[str, ...] | None = None
    """The only dangers that may be present: every other one must be known to be absent."""
    paths: tuple[str, ...] | None = None
    """Globs. `ask` and `deny` match if any path matches, `allow` if all do and there is one."""
    hosts: tuple[str, ...] | None = None
    """Exact names or `*.suffix`; any and all as with `paths`."""
    trust: tuple[str, ...] | None = None
    """Levels of the verdict; no verdict is `unsigned`."""
    evidence: tuple[str, ...] | None = None
    """Sources of the effects."""
    service: bool | None = None
    """Whether the call only reads from a service that its user is logged in to; None: no condition. Presets only."""
    reversible: bool | None = None
    """Whether version control can undo what the call writes (`CommandContext.reversible`); None: no condition. Presets only."""
    words: tuple[str, ...] | None = None
    """The whole call, word by word, program first; a last word `*` stands for any further words."""
    folders: tuple[str, ...] | None = None
    """Absolute folders in which or below which the rule counts; None: everywhere."""
    until: str = ""
    """When the rule ends (ISO 8601); empty: never. See `in_force`."""
    unsafe_unconfined: bool = False
    """Whether an `allow` also lets files of the workspace run outside of the sandbox."""
    reason: str = ""
    once: bool = False
    """Whether the rule expires after the first line that it allows; only the guard applies and consumes such a rule."""
    project: bool = False
    """From a project's file that the user approved. SECURITY: such a rule never opens the network or a secret."""
    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()
    """Lines that the rule must match, and must not: examples for `policy test`."""
    pin: str = ""
    """Digest of the MCP server's settings when the user allowed its tool; the rule matches only that server."""


class IgnoredRule(Value):
    """A rule that is not in force, and why."""

    rule: Rule
    why: str


class TrustDemand(Value):
    """Trust requirements before anything runs."""

    signatures: bool = False
    signers: tuple[str, ...] | None = None
    """Identities that may sign; None: any verified one."""
    slsa_level: int = 0
    builders: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None


class Policy(Value):
    """One layer."""

    layer: str = "user"
    name: str = ""
    preset: str | None = None
    """Preset that decides where none of `rules` matches; None: this layer does not decide then."""
    rules: tuple[Rule, ...] = ()
    default: str | None = None
    """Action where neither rules nor preset match; None: no opinion."""
    allowlist: bool = False
    """Only binaries that the approving registry knows may run."""
    trust: TrustDemand | None = None
    budget: float | None = None
    """Money that may be spent; None: none was granted."""
    audit: bool = False
    """Whether a call needs an audit record to run."""
    sandbox: str = "required"
    """`required` or `preferred`."""
    delegation: Delegation | None = None
    hosts: tuple[str, ...] = ()
    """Hosts that a confinement may open; empty: none."""
    writes: tuple[str, ...] = ()
    """Folders that a confinement may write to; empty: none."""
    reads: tuple[str, ...] = ()
    """Folders that a confinement may read beyond the operating system; empty: none."""
    env: tuple[str, ...] = ()
    """Variables that a confinement may pass on; empty: none."""
    private: tuple[str, ...] = ()
    """Names among `hosts` that may lead to loopback or private addresses; empty: public ones only."""
    tcp: tuple[str, ...] = ()
    """`host:port` that is forwarded raw, such as a database; empty: none."""
    ingress: tuple[str, ...] = ()
    """Loopback URLs on which a confined program may be called back; empty: none."""
    workspace: str | None = None
    """Access of a call to the directory it runs in: `write`, `read`, `none`; None: no opinion."""
    keep_output: bool | None = None
    """Whether whole outputs may be kept in the user's cache; None: no opinion."""
    ignored: tuple[IgnoredRule, ...] = ()
    """Rules of the document that are not in force."""


def in_force(policy: Policy, *, cwd: str, now: str) -> Policy:
    """A layer without the rules for other folders and without expired rules.

    Args:
        now: current time in UTC, in the format of `until`.
    """
    checked = [(rule, _why_not(rule, cwd, now)) for rule in policy.rules]
    active = tuple(rule for rule, why in checked if not why)
    if len(active) == len(policy.rules):
        return policy
    left = tuple(IgnoredRule(rule=rule, why=why) for rule, why in checked if why)
    return policy.replace(rules=active, ignored=(*policy.ignored, *left))


def _why_not(rule: Rule, cwd: str, now: str) -> str:
    """Why a rule is not in force here and now; empty: it is."""
    if rule.until and rule.until <= now:
        return f"it expired at {rule.until}"
    if rule.folders is None:
        return ""
    if any(cwd == folder or cwd.startswith(folder.rstrip("/") + "/") for folder in rule.folders):
        return ""
    return f"it applies only in {', '.join(rule.folders)[:200]}"
