"""Judge a call of a bundle's tool: decision and confinement.

The enforced sandbox excludes effects; what the bundle declares is only a claim. The confinement is bundle ∩ tool ∩
policy, where the user's grant for this bundle counts as a grant of the user's layer. Implements AIP-29 "Sandbox", "With AIP-7".
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.bundles.governance import gate, read_approvals
from atip.codecs.climd.sandbox import as_subtree
from atip.codecs.climd.tool import effects_of_tool
from atip.execution.call import Judgment
from atip.execution.output.conventions import read_conventions
from atip.model.effects import Cost, raised_by
from atip.model.permissions.confinement import MIB
from atip.policy.confinement.confine import RunContext, SandboxRequest, plan_confinement
from atip.policy.confinement.granting import expanded, granted, path_covers
from atip.policy.decision import Decision, strictest
from atip.system.digests import sha256_hex
from atip.workflows.judge import LocalJudge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.state import Installation
    from atip.codecs.climd.tool import BundleTool
    from atip.execution.call import ProgramCall
    from atip.model.effects import Effects
    from atip.model.permissions.confinement import Confinement, Limits
    from atip.policy.command_context import CommandContext
    from atip.policy.policy import Policy
    from atip.workflows.bundle.host import BundleHost


def judge_tool(
    bundles: BundleHost,
    bundle: Bundle,
    installed: Installation,
    tool: BundleTool,
    call: ProgramCall,
    digest: str,
) -> Judgment:
    """Return decision and confinement of a call of a bundle's tool."""
    places = bundles.host.places
    local = LocalJudge(bundles.host, call.cwd)
    policies = local.policies
    requested = bundle.requested_by(tool)
    own_variables = tuple(bundles.own_variables(bundle))
    requested = requested.replace(
        env_pass=tuple(dict.fromkeys((*requested.env_pass, *own_variables)))
    )
    allowed = [_with_grant(policy, requested) for policy in policies]
    explained = local.argv(call.argv, call.program, digest)
    tool_effects = raised_by(explained.effects, effects_of_tool(tool, bundle.manifest.sandbox))
    if requested.exec_allow and requested.exec_spawn:
        # programs that the user granted by name may be started, whatever is known of the usual case
        tool_effects = tool_effects.replace(subprocess=None)
    planned = plan_confinement(
        tool_effects,
        allowed,
        request=SandboxRequest(confinement=requested),
        context=RunContext(
            cwd=call.cwd, home=places.home, own=(places.config, places.data, places.cache)
        ),
        timeout_s=call.timeout_s,
    )
    confinement = _cut(planned, requested, places.home, installed.visible)
    confinement = confinement.replace(limits=tighten_limits(confinement.limits, bundle.runner))
    auth = bundle.manifest.auth
    state = expanded(tuple(map(as_subtree, auth.paths)) if auth else (), places.home)
    effects = bounded_by(tool_effects, confinement, state)
    decisions = [
        local.decide(subject.replace(effects=effects, evidence="knowledge"))
        for subject in explained.invocations
    ] or [explained.decision]
    decisions.append(_apply_approvals(bundles, bundle, tool, explained.invocations))
    return Judgment(
        decision=strictest(decisions),
        effects=effects,
        confinement=confinement,
        audit=local.audit,
        policy=sha256_hex(repr((policies, bundle.key, bundle.digests, installed.image)).encode()),
        conventions=read_conventions(bundle.manifest.fields.get("output")),
    )


def tighten_limits(limits: Limits, runner: Mapping[str, Any]) -> Limits:
    """Limits of a run, tightened by the bundle's runner block (AIP-17 `limits`), never loosened."""
    declared = runner.get("limits")
    if not isinstance(declared, dict):
        return limits

    def least(current: float | None, name: str, factor: float) -> float | None:
        value = declared.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
            return current
        return value * factor if current is None else min(current, value * factor)

    memory = least(limits.memory_bytes, "memory_mb", MIB)
    cpu = least(limits.cpu_s, "cpu_ms", 0.001)
    return limits.replace(
        wall_s=least(limits.wall_s, "timeout_ms", 0.001),
        memory_bytes=None if memory is None else int(memory),
        cpu_s=None if cpu is None else max(1, int(cpu)),
    )


def _with_grant(policy: Policy, requested: Confinement) -> Policy:
    """Add the user's grant for this bundle to the user's layer; other layers still restrict it."""
    if policy.layer != "user":
        return policy
    return policy.replace(
        hosts=(*policy.hosts, *requested.egress),
        reads=(*policy.reads, *requested.fs_read),
        writes=(*policy.writes, *requested.fs_write),
        env=(*policy.env, *requested.env_pass),
        ingress=(*policy.ingress, *requested.ingress),
    )


def _cut(
    planned: Confinement, requested: Confinement, home: str, visible: tuple[str, ...]
) -> Confinement:
    """Limit the plan to what was requested (policy may grant more), plus the program's own folders."""
    reads = granted(planned.fs_read, expanded(requested.fs_read, home), path_covers)
    writes = granted(planned.fs_write, expanded(requested.fs_write, home), path_covers)
    program_folders = tuple(f"{path.rstrip('/')}/**" for path in visible)
    return planned.replace(
        fs_read=tuple(dict.fromkeys((*reads, *program_folders))), fs_write=writes
    )


def bounded_by(effects: Effects, confinement: Confinement, state: tuple[str, ...] = ()) -> Effects:
    """Effects of a run in this confinement: impossible effects are excluded.

    Args:
        state: where the program stores its login (`auth.state.paths`), granted for only that; writing there does not
            count as changing the user's files.
    """
    files = effects.filesystem
    writes = [
        entry
        for entry in confinement.fs_write
        if not any(path_covers(folder, entry) for folder in state)
    ]
    if not writes:
        effects = effects.replace(filesystem=files.replace(write=False, delete=False))
    if not confinement.exec_allow:
        effects = effects.replace(subprocess=False)
    online = bool(confinement.egress or confinement.tcp)
    if not online:
        effects = effects.replace(network=False)
    if not writes and not online:
        # nothing outside of the process and its own login can be different afterwards
        effects = effects.replace(
            destructive=False, creates=(), modifies=(), deletes=(), cost=Cost(billable=False)
        )
    return effects


def _apply_approvals(
    bundles: BundleHost, bundle: Bundle, tool: BundleTool, subjects: Sequence[CommandContext]
) -> Decision:
    from atip.model.reading.reader import read_json
    from atip.registry.settings import refuse_foreign
    from atip.system.files import read_bytes

    path = os.path.join(bundles.host.places.config, "bundles.json")
    document = None
    if os.path.lexists(path):
        refuse_foreign(path)
        document = read_json(read_bytes(path, 1_000_000))
    outcome, reason = gate(bundle, tool, read_approvals(document))
    reasons = (reason,) if reason else ()
    return Decision(outcome=outcome, reasons=reasons, rule=f"bundle {bundle.key}")
