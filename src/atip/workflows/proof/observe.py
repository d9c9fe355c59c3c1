"""Observing: run a command confined and traced, and compare what it did with what is declared.

    seen = observe_argv(host, ["tar", "xf", "a.tar"])
    seen.differences            # undeclared first
    seen.sandbox                # an AIP-29 block

It runs on a copy of the workspace, with a network that is recorded and leads nowhere (`sandbox.network.recorder`), so that no confirmation is
needed (`on_copy`); with `real` it is an ordinary run: policy applies, the user confirms, changes stay. Both are confined and recorded in the audit. Nothing is
stored unless requested. See docs/architecture.md `Toolbox.observe`; ATIP 0.1 §5.1.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.execution.output.result import Result
from atip.execution.redaction.redact import redact_text
from atip.model.effects import Effects
from atip.model.value import Value
from atip.policy.confinement.observed import (
    Difference,
    ObservedEffects,
    TraceContext,
    differences,
    observed_effects,
    sandbox_block,
    touched,
)
from atip.proving.trial import read_operations
from atip.sandbox.network.recorder import Recorder
from atip.sandbox.tracing.trace import Tracer
from atip.workflows.run.on_copy import judge_on_copy, stage_request
from atip.workflows.run.plan import find_workspace
from atip.workflows.run.runner import make_call, make_runner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.execution.call import CallOptions, Judgment, ProgramCall
    from atip.execution.consent import ConsentPrompt
    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.network.recorder import Contact
    from atip.sandbox.preview import Stage
    from atip.sandbox.run import RunRequest
    from atip.sandbox.running import RunningProcess
    from atip.workflows.host import Host

FOLDER = "observed"


class Observation(Value):
    """Observed effects of a run, compared with the declared ones."""

    result: Result
    declared: Effects
    """As policy judged the call."""
    effects: Effects
    """As seen; facts that were not seen are unknown."""
    touched: ObservedEffects
    differences: tuple[Difference, ...]
    sandbox: Mapping[str, Any]
    calls: int
    """Number of traced system calls: the cost of the trace."""
    complete: bool = True
    real: bool = False
    """False: it ran on a copy, and its changes were dropped."""
    contacts: tuple[Contact, ...] = ()
    """Connections that the stand-in of the network took."""

    @property
    def honest(self) -> bool:
        """Nothing was seen that the description denies."""
        return not any(
            difference.kind == "undeclared" and difference.declared is False
            for difference in self.differences
        )

    def render_block(self) -> str:
        """The AIP-29 `sandbox:` block as YAML."""
        lines = ["sandbox:"]
        for section, content in self.sandbox.items():
            lines.append(f"  {section}:")
            for key, value in content.items():
                # JSON is YAML: quoted words cannot be taken for anything else
                lines.append(f"    {key}: {json.dumps(value, ensure_ascii=True)}")
        return "\n".join(lines) + "\n"

    def to_json(self) -> dict[str, object]:
        """The document of `observe --json`."""
        return {
            "argv": list(self.result.argv),
            "exitCode": self.result.exit_code,
            "digest": self.result.digest,
            "honest": self.honest,
            "complete": self.complete,
            "real": self.real,
            "differences": [
                {"fact": d.fact, "kind": d.kind, "declared": d.declared, "seen": list(d.seen)}
                for d in self.differences
            ],
            "touched": {
                "reads": list(self.touched.reads),
                "writes": list(self.touched.writes),
                "deletes": list(self.touched.deletes),
                "spawned": list(self.touched.spawned),
                "hosts": list(self.touched.hosts),
                "refused": list(self.touched.refused),
                "asked": list(self.touched.lookups),
            },
            "effects": [effect.to_json() for effect in self.touched.effects],
            "network": [_redact(contact) for contact in self.contacts],
            "sandbox": dict(self.sandbox),
            "calls": self.calls,
            "stdout": self.result.stdout,
            "stderr": self.result.stderr,
            "run": self.result.run_id or None,
        }


def observe_argv(
    host: Host,
    argv: Sequence[str],
    options: CallOptions | None = None,
    *,
    preset: str | None = None,
    ask: ConsentPrompt | None = None,
    real: bool = False,
    answers: Mapping[str, bytes] | None = None,
) -> Observation:
    """Run one command confined and traced, on a copy unless it is to be `real`.

    Raises:
        Denied, NeedsConfirmation, SandboxError, ExecutionError: as `Toolbox.run`; nothing was started.
    """
    call = make_call(host, argv, options)
    return observe_call(host, call, preset=preset, ask=ask, real=real, answers=answers)


def observe_call(
    host: Host,
    call: ProgramCall,
    *,
    preset: str | None = None,
    ask: ConsentPrompt | None = None,
    real: bool = False,
    answers: Mapping[str, bytes] | None = None,
) -> Observation:
    """`observe_argv` for a call that was made already.

    Args:
        answers: replies of the network recorder, by `host:port` or host; others get no reply.
    """
    recorder = None if real else Recorder(answers)
    tracer = Tracer(recorder)
    stages: list[Stage] = []

    def start(
        confinement: Confinement, request: RunRequest, *rest: Any, **options: Any
    ) -> RunningProcess:
        from atip.sandbox.run import start_confined

        if not real:
            request, stage = stage_request(host, confinement, request)
            stages.append(stage)
        # a login check before the run is not the run
        traced = request.replace(tracer=tracer) if request.argv[1:] == call.argv[1:] else request
        return start_confined(confinement, traced, *rest, **options)

    try:
        runner = make_runner(
            host,
            preset=preset,
            ask=ask,
            start=start,
            judge=None if real else judge_on_copy(host, preset=preset),
        )
        declared = make_runner(host, preset=preset).plan(call)[0]
        result = runner.run(call)
        tracer.end()
        return _observation(call, result, declared, tracer, real=real)
    finally:
        for stage in stages:
            stage.close()


def _observation(
    call: ProgramCall, result: Result, declared: Judgment, tracer: Tracer, *, real: bool
) -> Observation:
    confinement = result.confinement
    scene = _scene(call, confinement)
    recorder = tracer.recorder
    attempts = [(_endpoint(attempt.target), attempt.allowed) for attempt in result.attempts]
    contacts = recorder.contacts if recorder else ()
    attempts += [(f"{contact.host}:{contact.port}", False) for contact in contacts]
    seen = touched(read_operations(tracer), attempts, scene, recorder.lookups if recorder else ())
    return Observation(
        result=result,
        declared=declared.effects,
        effects=observed_effects(seen),
        touched=seen,
        differences=differences(declared.effects, seen, spawn=declared.confinement.exec_spawn),
        sandbox=sandbox_block(seen, scene, tty=confinement.tty),
        calls=tracer.calls,
        complete=tracer.complete,
        real=real,
        contacts=contacts,
    )


def _redact(contact: Contact) -> dict[str, object]:
    """SECURITY: what was sent may hold a credential that the command line gave."""
    return {**contact.to_json(), "first": redact_text(str(contact.to_json()["first"]))}


def _scene(call: ProgramCall, confinement: Confinement) -> TraceContext:
    from atip.sandbox.bubblewrap.plan import gates_of
    from atip.sandbox.bubblewrap.system_view import find_interpreter

    entries = (*confinement.fs_read, *confinement.fs_write)
    granted = tuple(entry.removesuffix("/**") for entry in entries if "*" not in entry[:-2])
    tree = find_interpreter().tree
    return TraceContext(
        cwd=find_workspace(call.cwd, call.home),
        home=call.home,
        granted=granted,
        gates=tuple(f"{address}:{port}" for address, port in gates_of(confinement)),
        own=tuple(path for path in (tree, call.program) if path),
    )


def _endpoint(target: str) -> str:
    """`host:port` of a request line, or the text as it is."""
    words = target.split()
    return words[1] if len(words) == 3 and words[0] == "CONNECT" else target


def save_observation(host: Host, observation: Observation) -> str:
    """Keep an observation as evidence (`observed`), one file per program and argv; returns its path."""
    from atip.system.clock import now_iso
    from atip.system.digests import sha256_hex
    from atip.system.files import make_private, write_atomic

    result = observation.result
    folder = os.path.join(host.places.data, FOLDER, result.digest.removeprefix("sha256:"))
    for parent in (os.path.dirname(folder), folder):
        make_private(parent)
    document = {**observation.to_json(), "evidence": "observed", "time": now_iso()}
    for text in ("stdout", "stderr"):
        document.pop(text)
    name = sha256_hex(json.dumps(list(result.argv)).encode())[:16]
    path = os.path.join(folder, f"{name}.json")
    write_atomic(path, json.dumps(document, indent=1).encode())
    return path
