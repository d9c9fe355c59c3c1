"""A run that changes nothing: on a copy-on-write view of the workspace, without network, with secrets hidden.

Effects that the sandbox excludes need no confirmation, so a call that would need it runs here without. What policy
denies stays denied. The view is dropped when the run ends.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.execution.call import Judgment, ProgramCall
from atip.policy.decision import ALLOW, ASK, CONFINE
from atip.sandbox.preview import FOLDER, Stage, stage_for
from atip.workflows.judge import LocalJudge
from atip.workflows.run.line import line_confinement
from atip.workflows.run.plan import plan_call
from atip.workflows.run.runner import conventions_of

if TYPE_CHECKING:
    from atip.execution.runner import Judge
    from atip.model.permissions.confinement import Confinement
    from atip.policy.decision import Decision
    from atip.sandbox.run import RunRequest
    from atip.workflows.host import Host
    from atip.workflows.judge import Explanation

REASON = "runs on a copy of the workspace, without real network access"


def judge_on_copy(host: Host, *, preset: str | None = None) -> Judge:
    """A judge for calls that run on a copy."""

    def judge(call: ProgramCall, digest: str) -> Judgment:
        local = LocalJudge(host, call.cwd, preset=preset)
        explained = local.argv(call.argv, call.program, digest)
        return Judgment(
            decision=_settle(explained.decision),
            effects=explained.effects,
            confinement=copy_confinement(explained, local, host, call),
            audit=local.audit,
            policy=local.digest,
            conventions=conventions_of(None),
            keep="",
        )

    return judge


def _settle(decision: Decision) -> Decision:
    if decision.outcome not in (ASK, CONFINE):
        return decision
    return decision.replace(outcome=ALLOW, reasons=(*decision.reasons, REASON))


def copy_confinement(
    explained: Explanation, local: LocalJudge, host: Host, call: ProgramCall
) -> Confinement:
    """The confinement of a line, plus the files that the call names, without network.

    Raises:
        FormatError: a grant is not understood.
    """
    line = line_confinement(explained, local.policies, host, call)
    # SECURITY: planned as allowed, not as confirmed: a secret that is named is granted to a confirmed call only
    unconfirmed = explained.replace(decision=explained.decision.replace(outcome=ALLOW))
    planned = plan_call(
        unconfirmed, local.policies, host.places, cwd=call.cwd, program=call.program
    )
    writable = tuple(dict.fromkeys((*line.fs_write, *planned.fs_write)))
    limits = line.limits.replace(
        wall_s=call.timeout_s or planned.limits.wall_s, output_bytes=planned.limits.output_bytes
    )
    return line.replace(
        fs_read=tuple(dict.fromkeys((*line.fs_read, *planned.fs_read))),
        fs_write=tuple(entry for entry in writable if _exists(entry)),
        fs_cache=(),  # SECURITY: all lines of a workspace share it, and a copy must leave no changes behind
        egress=(),
        egress_private=(),
        egress_watched=False,  # names lead to the stand-in, not to a gate
        tcp=(),
        ingress=(),
        limits=limits,
    )


def _exists(entry: str) -> bool:
    """Whether a root exists; a missing one could only be created outside the copy."""
    return os.path.exists(entry.removesuffix("/**"))


def stage_request(
    host: Host, confinement: Confinement, request: RunRequest
) -> tuple[RunRequest, Stage]:
    """Redirect a request to a copy of everything that it may write; close the stage after the run.

    Raises:
        SandboxError: no copy can be made here; nothing was started.
    """
    stage = stage_for(
        confinement,
        os.path.join(host.places.cache, FOLDER),
        home=os.path.realpath(request.home),
        workspace=os.path.realpath(request.workspace or request.home),
    )
    return request.replace(overlays=dict(stage.overlays)), stage
