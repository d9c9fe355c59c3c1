"""Trial: one command line, traced, on a copy of the samples, with a network that leads nowhere.

    runner = TrialRunner(desk, stage)
    trial = runner.run(["cp", "text.txt", "new.txt"], binary)
    trial.seen.writes

Nothing stays: changes go to a stage that is dropped, the home is scratch, connections are taken by a stand-in.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.errors import ExecutionError
from atip.model.permissions.confinement import ANY_PROGRAM, MIB, Confinement, Limits
from atip.model.value import Value
from atip.policy.confinement.observed import (
    AttemptedOperation,
    ObservedEffects,
    TraceContext,
    touched,
)
from atip.sandbox.bubblewrap.system_view import find_interpreter
from atip.sandbox.network.recorder import Recorder
from atip.sandbox.preview import find_changes, stage_for
from atip.sandbox.run import RunRequest, start_confined
from atip.sandbox.tracing.trace import Tracer
from atip.sandbox.waiting import WaitWatch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.sandbox.preview import FileChange, Stage
    from atip.sandbox.running import RunningProcess
    from atip.sandbox.verified import VerifiedBinary

LIMITS = Limits(
    wall_s=180.0,  # against hangs only: what waits is noticed (`waiting`), what computes has the limit below
    cpu_s=6,
    memory_bytes=1024 * MIB,
    processes=4096,  # counted for one user of this machine, who has other sandboxes
    file_bytes=64 * MIB,
    output_bytes=None,  # ended at MAX_OUTPUT
)
MAX_OUTPUT = 1024 * 1024
"""A program that writes more writes without end (`yes`)."""
INPUT = b"alpha\nbeta\n"
_KEPT = 400


class Trial(Value):
    """Result of one command line, with everything it touched."""

    argv: tuple[str, ...]
    exit_code: int
    timed_out: bool
    """It did not end by itself: it waits, or writes without end."""
    seen: ObservedEffects
    cut: bool = False
    """Cut off by the clock before anything else could be said: worth a repetition, and no verdict."""
    unchanged: tuple[str, ...] = ()
    """Samples that it opened for writing, and names that it made and removed: afterwards all is as it was."""
    lost: bool = False
    """Whether content that was there before is nowhere afterwards."""
    said: str = ""
    """The end of what it wrote to standard error."""
    silent: bool = True
    """Whether it wrote nothing to standard error."""
    complete: bool = True

    @property
    def worked(self) -> bool:
        """Succeeded, or reported a difference the usual way (`diff`, `grep`): status 1 without an error message."""
        answered = self.exit_code == 1 and self.silent
        return not self.timed_out and (self.exit_code == 0 or answered)


class TrialRunner:
    """Run trials, one at a time, each on fresh samples."""

    def __init__(
        self,
        desk: str,
        stages: str,
        *,
        layer: str = "",
        visible: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """
        Args:
            desk: the samples.
            stages: folder for what trials change; emptied after each.
            layer: files of a package, shown over `/usr`.
            visible: additional read-only paths: a package outside the system.
            environment: variables that such a package needs.
        """
        self.desk = os.path.realpath(desk)
        self._stages = stages
        self._layer = layer
        self._environment = dict(environment or {})
        self._visible = tuple(path for path in visible if os.path.isdir(path))
        self._home = os.path.join(os.path.dirname(self.desk), "home")
        os.makedirs(self._home, exist_ok=True)
        self._confinement = Confinement(
            fs_read=tuple(f"{path}/**" for path in self._visible),
            fs_write=(f"{self.desk}/**",),
            exec_allow=True,
            exec_spawn=(ANY_PROGRAM,),
            exec_written=True,
            limits=LIMITS,
        )

    def run(
        self,
        argv: Sequence[str],
        binary: VerifiedBinary,
        *,
        folder: str = "",
        stdin: bytes = INPUT,
        env: Mapping[str, str] | None = None,
        answers: Mapping[str, bytes] | None = None,
        files: Mapping[str, bytes] | None = None,
    ) -> Trial:
        """Run and see.

        Raises:
            SandboxError: this machine cannot confine.
        """
        stage = stage_for(self._confinement, self._stages, home=self._home, workspace=self.desk)
        try:
            _lay_out(stage, self.desk, files or {})
            return self._run(tuple(argv), binary, folder, stdin, env or {}, answers or {}, stage)
        finally:
            stage.close()

    def _run(
        self,
        argv: tuple[str, ...],
        binary: VerifiedBinary,
        folder: str,
        stdin: bytes,
        env: Mapping[str, str],
        answers: Mapping[str, bytes],
        stage: Stage,
    ) -> Trial:
        recorder = Recorder(answers)
        tracer = Tracer(recorder)
        listener = _ErrorOutput()
        request = RunRequest(
            argv=argv,
            binary=binary,
            cwd=os.path.join(self.desk, folder) if folder else self.desk,
            workspace=self.desk,
            stdin=stdin,
            home=self._home,
            overlays=dict(stage.overlays),
            layer=self._layer,
            tracer=tracer,
        )
        confinement = self._confinement.replace(env_set=tuple({**self._environment, **env}.items()))
        try:
            running = listener.running = start_confined(confinement, request, listener.hear)
        except ExecutionError as error:
            tracer.end()
            return Trial(
                argv=argv,
                exit_code=126,
                timed_out=False,
                seen=ObservedEffects(),
                said=str(error)[:_KEPT],
                silent=False,
            )
        watch = WaitWatch(tracer, running.cancel)
        try:
            outcome = running.wait()
        finally:
            watch.close()
            tracer.end()
        seen = self._sort_effects(tracer, recorder, binary)
        changes = find_changes(stage)
        return Trial(
            argv=argv,
            exit_code=outcome.exit_code,
            timed_out=outcome.timed_out or outcome.cancelled,
            cut=outcome.timed_out,
            seen=seen,
            lost=_has_lost(changes),
            unchanged=self._find_unchanged(seen, changes),
            said=listener.text.decode("utf-8", "replace")[-_KEPT:],
            silent=not listener.text,
            complete=tracer.complete,
        )

    def _find_unchanged(
        self, seen: ObservedEffects, changes: Sequence[FileChange]
    ) -> tuple[str, ...]:
        changed = {change.path for change in changes}
        # owners and times are not compared: a call that sets them for a file that existed counts as a change
        changed |= {
            effect.target
            for effect in seen.effects
            if effect.effect == "permission" and os.path.lexists(effect.target)
        }
        within = f"{self.desk}/"
        return tuple(
            path for path in seen.writes if path.startswith(within) and path not in changed
        )

    def _sort_effects(
        self, tracer: Tracer, recorder: Recorder, binary: VerifiedBinary
    ) -> ObservedEffects:
        tree = find_interpreter().tree
        scene = TraceContext(
            cwd=self.desk,
            home=self._home,
            granted=(self.desk,),
            own=tuple(path for path in (tree, binary.path, *self._visible) if path),
        )
        attempts = [(f"{contact.host}:{contact.port}", False) for contact in recorder.contacts]
        return touched(read_operations(tracer), attempts, scene, recorder.lookups)


def read_operations(tracer: Tracer) -> list[AttemptedOperation]:
    """Operations that a run attempted, in order; the network recorder's addresses replaced by the names they stand for."""
    name_of = tracer.recorder.named if tracer.recorder else str
    operations = []
    for event in tracer.events:
        target = event.target
        if event.kind == "connect":
            address, _, port = target.rpartition(":")
            target = f"{name_of(address)}:{port}"
        operations.append(
            AttemptedOperation(
                kind=event.kind,
                target=target,
                exists=event.exists,
                call=event.call,
                source=event.source,
            )
        )
    return operations


class _ErrorOutput:
    """Collect a program's standard error; cancel a program that writes more than `MAX_OUTPUT`."""

    def __init__(self) -> None:
        self.text = bytearray()
        self.running: RunningProcess | None = None
        self._left = MAX_OUTPUT

    def hear(self, stream: str, data: bytes) -> None:
        self._left -= len(data)
        if stream == "stderr" and self._left >= 0:
            self.text.extend(data)
        if self._left < 0 and self.running is not None:
            self.running.cancel()


def _lay_out(stage: Stage, desk: str, files: Mapping[str, bytes]) -> None:
    """Files of a case's own, in the stage: they are there when it starts, and gone with it."""
    if not files:
        return
    from atip.sandbox.bubblewrap.namespaces import UID

    upper = os.path.join(stage.overlays[desk], "upper")
    for name, content in files.items():
        path = os.path.join(upper, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, 0o755 if content.startswith(b"#!") else 0o644)
    if os.geteuid() == 0:
        for parent, _folders, names in os.walk(upper):
            for name in ("", *names):
                os.chown(os.path.join(parent, name), UID, UID)


def _has_lost(changes: Sequence[FileChange]) -> bool:
    """Whether bytes of a file of the samples are in no file any more."""
    from atip.system.digests import sha256_hex

    removed: set[str] = set()
    came: set[str] = set()
    for change in changes:
        if change.before.kind == "file" and change.kind in ("deleted", "changed", "replaced"):
            with open(change.path, "rb") as file:
                removed.add(sha256_hex(file.read()))
        if change.after.kind == "file":
            try:
                with open(change.staged, "rb") as file:
                    came.add(sha256_hex(file.read()))
            except OSError:
                continue
    return bool(removed - came)
