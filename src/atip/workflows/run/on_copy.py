"""A run that can change nothing: on a copy-on-write view of the workspace, without network, with secrets hidden.

What a sandbox rules out needs no question, so a call that would be asked about runs here without one. What policy
denies stays denied. The view is dropped when the run has ended.
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

REASON = "runs on a copy of the workspace, and its network leads nowhere"


def judge_on_copy(host: Host, *, preset: str | None = None) -> Judge:
    """What policy says of a call that runs on a copy."""

    def judge(call: ProgramCall, digest: str) -> Judgment:
        local = LocalJudge(host, call.cwd, preset=preset)
        explained = local.argv(call.argv, call.program, digest)
        return Judgment(
            decision=_settled(explained.decision),
            effects=explained.effects,
            confinement=copy_confinement(explained, local, host, call),
            audit=local.audit,
            policy=local.digest,
            conventions=conventions_of(None),
            keep="",
        )

    return judge


def _settled(decision: Decision) -> Decision:
    if decision.outcome not in (ASK, CONFINE):
        return decision
    return decision.replace(outcome=ALLOW, reasons=(*decision.reasons, REASON))


def copy_confinement(
    explained: Explanation, local: LocalJudge, host: Host, call: ProgramCall
) -> Confinement:
    """The walls of a line, with the files that the call names and without any way out.

    Raises:
        FormatError: a grant is not understood.
    """
    line = line_confinement(explained, local.policies, host, call)
    # SECURITY: planned as allowed, not as confirmed: a secret that is named is granted to a confirmed call only
    unconfirmed = explained.replace(decision=explained.decision.replace(outcome=ALLOW))
    named = plan_call(unconfirmed, local.policies, host.places, cwd=call.cwd, program=call.program)
    writable = tuple(dict.fromkeys((*line.fs_write, *named.fs_write)))
    limits = line.limits.replace(
        wall_s=call.timeout_s or named.limits.wall_s, output_bytes=named.limits.output_bytes
    )
    return line.replace(
        fs_read=tuple(dict.fromkeys((*line.fs_read, *named.fs_read))),
        fs_write=tuple(entry for entry in writable if _exists(entry)),
        fs_cache=(),  # SECURITY: it is shared by the lines of a workspace, and a copy leaves nothing behind
        egress=(),
        egress_private=(),
        egress_watched=False,  # names lead to the stand-in, not to a gate
        tcp=(),
        ingress=(),
        limits=limits,
    )


def _exists(entry: str) -> bool:
    """A root that does not exist could only be made for real."""
    return os.path.exists(entry.removesuffix("/**"))


def stage_request(
    host: Host, confinement: Confinement, request: RunRequest
) -> tuple[RunRequest, Stage]:
    """The request on a copy of everything that it may write; close the stage when it has ended.

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
