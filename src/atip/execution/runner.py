"""Runner: one call from the decision to the Result: a program by its argv, confined; an operation of an API. Recorded, redacted.

    (1) seal the program: from here on these bytes are the program, whatever happens to the file
    (2) judge: decision, effects, confinement (passed in; this package reads no policy files)
    (3) refuse what is denied; get confirmation where policy requires it (`permit`)
    (4) prepare input and terminal as the command needs them (§3.6), never answering a question for the user;
        see whether a login that it needs is there (§3.8)
    (5) write the start record; where policy demands records, no record means no run
    (6) run, redacting and bounding the output as it comes
    (7) write the end record; give the Result

Implements ATIP 0.6 §3.6, §3.8, §6, §11.
"""

from __future__ import annotations

import contextlib
import os

from atip.errors import ExecutionError
from atip.execution.audit.records import Records, ending
from atip.execution.call import Call, Judgment, OperationCall, ProgramCall
from atip.execution.input import declared_timeout, prepare_input
from atip.execution.output.finish import make_result, operation_result
from atip.execution.output.result import CapturedStream
from atip.execution.permit import Permit
from atip.execution.proposal import handed, operation_proposal, program_proposal, starts_in
from atip.sandbox.bubblewrap.system_view import SEARCH_PATH
from atip.sandbox.run import RunRequest, start_confined
from atip.sandbox.verified import VerifiedBinary, seal
from atip.system.clock import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from typing import Protocol

    from atip.execution.audit.chain import Audit
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.result import OperationAnswer, Result
    from atip.execution.output.saved_output import SavedOutput
    from atip.execution.permit import Permission
    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.run import Outcome
    from atip.sandbox.running import RunningProcess

    Judge = Callable[["ProgramCall", str], "Judgment"]
    """Call and digest of its program → the policy decision."""

    class Operations(Protocol):
        """Judges and calls API operations; the runner handles permission and records."""

        def judge(self, call: OperationCall) -> Judgment: ...

        def prepare(self, call: OperationCall, ask: ConsentPrompt | None) -> None:
            """Make sure that the user approved the project's configuration."""

        def send(self, call: OperationCall) -> OperationAnswer: ...


__all__ = ["Call", "Judgment", "OperationCall", "ProgramCall", "Runner", "declared_timeout"]

DEFAULT_TIMEOUT_S = 300.0
LOGIN_S = 300.0
"""Seconds that a successful login check stays valid."""
SIGNALS = (("AGENT", "1"), ("CMP_AGENT", "1"), ("NO_COLOR", "1"))
"""Variables that tell a program that it runs without a person (docs/architecture.md)."""


class Runner:
    """Runs calls. One may be used by any number of threads."""

    def __init__(
        self,
        judge: Judge,
        *,
        audit: Audit | None = None,
        ask: ConsentPrompt | None = None,
        approved: Callable[[str], bool] | None = None,
        on_output: Callable[[str, bytes], None] | None = None,
        start: Callable[..., RunningProcess] = start_confined,
        backend: str = "bubblewrap",
        run_context: Callable[[str], AbstractContextManager[None]] | None = None,
        operations: Operations | None = None,
    ) -> None:
        """
        Args:
            audit: where records go; None: none are kept (and a policy that demands them refuses).
            ask: prompts the user; None: no prompt possible.
            approved: whether a stored approval covers a binding.
            on_output: gets each redacted piece as it comes.
            start: starts the confined program; another one may watch it, or give it a copy of its files.
            around: entered with the name of the run before the program starts, left when it has ended.
            operations: judges and calls operations of APIs; None: this runner calls none.
        """
        self._judge = judge
        self._records = Records(audit)
        self._ask = ask
        self._permit = Permit(self._records, ask=ask, approved=approved)
        self._operations = operations
        self._on_output = on_output
        self._start = start
        self._backend = backend
        self._run_context = run_context
        self._running: set[RunningProcess] = set()
        self._over = False
        self._logins: dict[str, float] = {}

    def plan(self, call: Call) -> tuple[Judgment, str]:
        """The proposal and the digest of the program (an operation has none); runs and records nothing."""
        if isinstance(call, OperationCall):
            return self._get_operations(call).judge(call), ""
        binary = seal(call.program, expected=call.expected, root=call.root)
        try:
            return self._judge_call(call, binary), binary.digest
        finally:
            binary.close()

    def run(self, call: Call) -> Result:
        """Run a call.

        Raises:
            Denied, NeedsConfirmation: policy does not allow it; nothing was started.
            AuthRequired: the tool needs a login first.
            SandboxError: the confinement is not available here; nothing was started.
            ExecutionError: it could not be started, or its record could not be written.
        """
        if isinstance(call, OperationCall):
            return self._call_operation(call)
        binary = seal(call.program, expected=call.expected, root=call.root)  # (1)
        try:
            judgment = self._judge_call(call, binary)  # (2)
            permission = self._permit.obtain(program_proposal(call, judgment, binary))  # (3)
            return self._run_permitted(call, judgment, binary, permission)
        finally:
            binary.close()

    def cancel(self) -> None:
        """End everything that runs now; this runner starts nothing more."""
        self._over = True
        for running in tuple(self._running):
            running.cancel()

    # -- (2) to (4) before the start -------------------------------------------------------------

    def _judge_call(self, call: ProgramCall, binary: VerifiedBinary) -> Judgment:
        judgment = self._judge(call, binary.digest)
        effects = judgment.effects
        confinement = judgment.confinement
        limits = confinement.limits
        bounds = [limits.wall_s, call.timeout_s, declared_timeout(effects)]
        wall_s = min((bound for bound in bounds if bound), default=DEFAULT_TIMEOUT_S)
        forced = {**dict(SIGNALS), **confinement.environment}
        return judgment.replace(
            confinement=confinement.replace(
                tty=confinement.tty or effects.interactive.tty is True,
                env_set=tuple(forced.items()),
                # Output is bounded here, after redaction: cut before it, half a secret would stay.
                limits=limits.replace(wall_s=wall_s, output_bytes=None),
            )
        )

    def _check_login(self, call: ProgramCall, judgment: Judgment, binary: VerifiedBinary) -> None:
        """See whether the login is there that the call needs; positive answers are believed for a while."""
        login = judgment.login
        if login is None:
            return
        from atip.execution.login import CHECK_S, not_logged_in

        confinement = judgment.confinement
        key = repr((binary.digest, login.check, handed(call, confinement)))
        if self._logins.get(key, 0.0) > monotonic():
            return
        quiet = confinement.replace(
            fs_write=(),
            fs_keep=(),
            tty=False,
            limits=confinement.limits.replace(wall_s=CHECK_S, output_bytes=65536),
        )
        check_call = call.replace(argv=(call.argv[0], *login.check[1:]), stdin=None)
        outcome = self._wait(check_call, quiet, binary, b"", lambda _name, _data: None)
        if outcome.exit_code != 0 or outcome.timed_out:
            raise not_logged_in(call.argv[0], login)
        self._logins[key] = monotonic() + LOGIN_S

    # -- (5) to (7) ------------------------------------------------------------------------------

    def _run_permitted(
        self, call: ProgramCall, judgment: Judgment, binary: VerifiedBinary, permission: Permission
    ) -> Result:
        stdin, notes = prepare_input(call, judgment.effects)  # (4)
        self._check_login(call, judgment, binary)
        confinement = judgment.confinement
        secrets = permission.proposal.secrets
        run_id, on_record = self._permit.record(permission)  # (5)
        streams = {
            name: CapturedStream(
                name,
                secrets,
                call.max_bytes,
                keep=_saved_output(judgment.keep, run_id, name) if judgment.keep else None,
            )
            for name in ("stdout", "stderr")
        }

        def on_output(name: str, data: bytes) -> None:
            self._show(name, streams.get(name, streams["stdout"]).take(data))

        try:
            with self._run_context(run_id) if self._run_context else contextlib.nullcontext():
                outcome = self._wait(call, confinement, binary, stdin, on_output)  # (6)
        except BaseException as error:
            self._end_record(run_id, on_record, {"failed": _name_of(error)})
            raise
        finally:
            remaining = {name: stream.end() for name, stream in streams.items()}
        for name, data in remaining.items():
            self._show(name, data)
        result = make_result(call, judgment, binary.digest, outcome, streams)
        notes = (*judgment.notes, *notes)
        result = result.replace(run_id=run_id if on_record else "", notes=notes)
        ended = self._end_record(run_id, on_record, ending(result))  # (7)
        if self._records.trouble and not (on_record and ended):
            # SECURITY: a lost record is never lost silently.
            lost = "the end of this run" if on_record else "this run"
            result = result.replace(
                notes=(*notes, f"{lost} was not recorded: {self._records.trouble}")
            )
        return result

    def _call_operation(self, call: OperationCall) -> Result:
        """The same steps for an operation: judge, permit, prepare, record, send, record."""
        operations = self._get_operations(call)
        judgment = operations.judge(call)  # (2)
        permission = self._permit.obtain(operation_proposal(call, judgment))  # (3)
        operations.prepare(call, self._ask)  # (4)
        run_id, _ = self._permit.record(permission)  # (5)
        began = monotonic()
        try:
            answer = operations.send(call)  # (6)
        except BaseException as error:
            self._records.end(run_id, {"ok": False, "failed": _name_of(error)})
            raise
        self._records.end(run_id, {"ok": True, "status": answer.status})  # (7)
        return operation_result(call, judgment, answer, run_id, monotonic() - began)

    def _get_operations(self, call: OperationCall) -> Operations:
        if self._operations is None:
            raise ExecutionError("run.no-operations", f"`{call.target}` is an API operation, and this runner starts programs only")  # fmt: skip
        return self._operations

    def _wait(
        self,
        call: ProgramCall,
        confinement: Confinement,
        binary: VerifiedBinary,
        stdin: bytes,
        on_output: Callable[[str, bytes], None],
    ) -> Outcome:
        request = RunRequest(
            argv=(_own_name(call.argv[0], binary.path), *call.argv[1:]),
            binary=binary,
            cwd=starts_in(confinement, call.cwd),
            workspace=call.cwd,
            home=call.home,
            stdin=stdin,
            stdin_fd=call.stdin_fd,
            keyboard=call.keyboard,
            terminal_size=call.terminal_size,
            caller_env=call.env,
            journal=self._records.journal,
        )
        running = self._start(confinement, request, on_output, backend=self._backend)
        self._running.add(running)
        if self._over:
            running.cancel()
        try:
            return running.wait()
        finally:
            self._running.discard(running)

    def _show(self, name: str, data: bytes) -> None:
        if self._on_output is not None and data:
            self._on_output(name, data)

    def _end_record(self, run_id: str, on_record: bool, fields: Mapping[str, object]) -> bool:
        return self._records.end(run_id if on_record else "", fields)


def _saved_output(folder: str, run_id: str, name: str) -> SavedOutput:
    from atip.execution.output.saved_output import SavedOutput

    return SavedOutput(folder, run_id, name)


def _own_name(called: str, path: str) -> str:
    """argv[0] for the child process. A program outside the search path finds its files by the path it was started
    with: it gets the full path, with the name that was used."""
    folder = os.path.dirname(path)
    if "/" in called or folder in SEARCH_PATH.split(":"):
        return called
    return os.path.join(folder, called)


def _name_of(error: BaseException) -> str:
    return str(getattr(error, "code", type(error).__name__))
