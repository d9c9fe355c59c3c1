"""Runner: one call from the decision to the Result. Direct argv, confined, recorded, redacted.

    (1) seal the program: from here on these bytes are the program, whatever happens to the file
    (2) judge: decision, effects, confinement (handed in; this room knows no policy files)
    (3) refuse what is denied; get a person's yes where policy asks
    (4) prepare input and terminal as the command needs them (§3.6), never answering a question for the user
    (5) write the start record; where policy demands records, no record means no run
    (6) run, redacting and bounding the output as it comes
    (7) write the end record; give the Result

Implements ATIP 0.6 §3.6, §6, §11.
"""

from __future__ import annotations

import os
import secrets

from atip.errors import Denied, ExecutionError, PolicyError
from atip.execution.consent import Question, Tokens, bind, obtain
from atip.execution.redact import redact_text
from atip.execution.result import DEFAULT_MAX_BYTES, MEANINGS, Gathered, Result, add_counts
from atip.execution.secret_values import passed_values
from atip.model.confinement import Confinement
from atip.model.effects import UNKNOWN, Effects
from atip.model.value import Value
from atip.sandbox.run import Request, start_confined
from atip.sandbox.verified import VerifiedBinary, seal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from atip.execution.audit import Audit
    from atip.execution.consent import Asker
    from atip.policy.decision import Decision
    from atip.sandbox.run import Outcome
    from atip.sandbox.running import Running

    Judge = Callable[["Call", str], "Judgement"]
    """Call and digest of its program → what policy says."""

DEFAULT_TIMEOUT_S = 300.0
SIGNALS = (("AGENT", "1"), ("CMP_AGENT", "1"), ("NO_COLOR", "1"))
"""How a program learns that no person is looking (DESIGN §2)."""


class Call(Value):
    """What is asked to run."""

    argv: tuple[str, ...]
    program: str
    """Path of the executable; `argv[0]` is only its name."""
    cwd: str
    stdin: bytes | None = None
    """Input for the program; None: none was given."""
    env: Mapping[str, str] = {}
    """The caller's variables; the confinement says which are handed in."""
    timeout_s: float | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    expected: str | None = None
    """Digest that the program must have; None: it is only recorded."""
    assume_yes: bool = False
    """The caller answers `yes` to what policy asks. SECURITY: never counts for what may destroy."""


class Judgement(Value):
    """What policy says of a call."""

    decision: Decision
    effects: Effects = UNKNOWN
    confinement: Confinement = Confinement()
    audit: bool = False
    """No record, no run (§4.8 `auditAllCalls`)."""
    policy: str = ""
    """Digest of the policies in force; a yes is bound to it."""
    exit_codes: Mapping[int, str] = MEANINGS


class Runner:
    """Runs calls. One may be used by any number of threads."""

    def __init__(
        self,
        judge: Judge,
        *,
        audit: Audit | None = None,
        ask: Asker | None = None,
        approved: Callable[[str], bool] | None = None,
        on_output: Callable[[str, bytes], None] | None = None,
        backend: str = "bubblewrap",
    ) -> None:
        """
        Args:
            audit: where records go; None: none are kept (and a policy that demands them refuses).
            ask: reaches the user; None: nobody can be asked.
            approved: whether a remembered yes holds for a binding.
            on_output: gets each redacted piece as it comes.
        """
        self._judge = judge
        self._audit = audit
        self._ask = ask
        self._approved = approved
        self._on_output = on_output
        self._backend = backend
        self._tokens = Tokens()
        self._running: set[Running] = set()

    def plan(self, call: Call) -> tuple[Judgement, str]:
        """What would happen, and the digest of the program; runs and records nothing."""
        binary = seal(call.program, expected=call.expected)
        try:
            return self._judged(call, binary), binary.digest
        finally:
            binary.close()

    def run(self, call: Call) -> Result:
        """Run a call.

        Raises:
            Denied, NeedsConfirmation: policy stands in the way; nothing was started.
            SandboxError: the confinement cannot be had here; nothing was started.
            ExecutionError: it could not be started, or its record could not be written.
        """
        binary = seal(call.program, expected=call.expected)  # (1)
        try:
            judgement = self._judged(call, binary)  # (2)
            self._permit(call, judgement, binary)  # (3)
            return self._run_permitted(call, judgement, binary)
        finally:
            binary.close()

    def cancel(self) -> None:
        """End everything that runs now."""
        for running in tuple(self._running):
            running.cancel()

    # -- (2) to (4) before the start -------------------------------------------------------------

    def _judged(self, call: Call, binary: VerifiedBinary) -> Judgement:
        judgement = self._judge(call, binary.digest)
        effects = judgement.effects
        confinement = judgement.confinement
        limits = confinement.limits
        bounds = [limits.wall_s, call.timeout_s, declared_timeout(effects)]
        wall_s = min((bound for bound in bounds if bound), default=DEFAULT_TIMEOUT_S)
        forced = {**dict(SIGNALS), **confinement.environment}
        return judgement.replace(
            confinement=confinement.replace(
                tty=confinement.tty or effects.interactive.tty is True,
                env_set=tuple(forced.items()),
                # Output is bounded here, after redaction: cut before it, half a secret would stay.
                limits=limits.replace(wall_s=wall_s, output_bytes=None),
            )
        )

    def _permit(self, call: Call, judgement: Judgement, binary: VerifiedBinary) -> None:
        decision = judgement.decision
        if decision.outcome == "allow":
            return
        if decision.outcome != "ask":
            self._record_refusal(call, judgement, binary)
            reason = "; ".join(decision.reasons) or "policy forbids it"
            raise Denied("policy.denied", reason, details={"decision": decision.to_json()})
        question = _question(call, judgement, binary)
        # SECURITY: what is not known to spare data counts as destroying it; `--yes` does not cover it.
        if call.assume_yes and judgement.effects.destructive is False:
            return
        if not question.destructive and self._approved and self._approved(question.binding):
            return
        try:
            token = obtain(question, self._ask, self._tokens)
        except PolicyError:
            self._record_refusal(call, judgement, binary)
            raise
        self._tokens.redeem(token, _question(call, judgement, binary).binding)

    # -- (5) to (7) ------------------------------------------------------------------------------

    def _run_permitted(self, call: Call, judgement: Judgement, binary: VerifiedBinary) -> Result:
        stdin, notes = prepare_input(call, judgement.effects)  # (4)
        confinement = judgement.confinement
        known = passed_values(confinement.env_pass, call.env)
        run_id = self._start_record(call, judgement, binary, known)  # (5)
        streams = {name: Gathered(name, known, call.max_bytes) for name in ("stdout", "stderr")}
        try:
            outcome = self._started(call, confinement, binary, stdin, streams)  # (6)
        except BaseException as error:
            self._end_record(run_id, {"failed": getattr(error, "code", type(error).__name__)})
            raise
        for name, gathered in streams.items():
            self._show(name, gathered.end())
        result = _result(call, judgement, binary, outcome, streams)
        result = result.replace(run_id=run_id, notes=notes)
        self._end_record(run_id, _ending(result))  # (7)
        return result

    def _started(
        self,
        call: Call,
        confinement: Confinement,
        binary: VerifiedBinary,
        stdin: bytes,
        streams: Mapping[str, Gathered],
    ) -> Outcome:
        def on_output(name: str, data: bytes) -> None:
            self._show(name, streams.get(name, streams["stdout"]).take(data))

        request = Request(
            argv=call.argv,
            binary=binary,
            # A command that surely reads and writes nothing has no use for the directory, and gets none.
            cwd=call.cwd if confinement.fs_read or confinement.fs_write else None,
            workspace=call.cwd,
            stdin=stdin,
            caller_env=call.env,
        )
        running = start_confined(confinement, request, on_output, backend=self._backend)
        self._running.add(running)
        try:
            return running.wait()
        finally:
            self._running.discard(running)

    def _show(self, name: str, data: bytes) -> None:
        if self._on_output is not None and data:
            self._on_output(name, data)

    # -- records ---------------------------------------------------------------------------------

    def _start_record(
        self, call: Call, judgement: Judgement, binary: VerifiedBinary, known: tuple[bytes, ...]
    ) -> str:
        run_id = secrets.token_hex(8)
        record = {
            "event": "start",
            "run": run_id,
            "argv": [redact_text(word, known) for word in call.argv],
            "program": binary.path,
            "interpreter": list(binary.interpreter),
            "digest": binary.digest,
            "cwd": call.cwd,
            "user": os.getuid(),
            "pid": os.getpid(),
            "decision": judgement.decision.to_json(),
            "policy": judgement.policy,
            "confinement": _recorded(judgement.confinement),
        }
        return run_id if self._append(record, required=judgement.audit) else ""

    def _record_refusal(self, call: Call, judgement: Judgement, binary: VerifiedBinary) -> None:
        record = {
            "event": "refused",
            "argv": [redact_text(word) for word in call.argv],
            "digest": binary.digest,
            "cwd": call.cwd,
            "decision": judgement.decision.to_json(),
        }
        self._append(record, required=False)

    def _end_record(self, run_id: str, ending: Mapping[str, Any]) -> None:
        if run_id:
            self._append({"event": "end", "run": run_id, **ending}, required=False)

    def _append(self, record: Mapping[str, Any], *, required: bool) -> bool:
        """Whether the record was written; raises only where policy demands it."""
        if self._audit is None:
            if required:
                raise ExecutionError("audit.missing", "policy demands a record, and none is kept")
            return False
        try:
            self._audit.append(record)
        except ExecutionError as error:
            if required:
                # SECURITY: no record, no run.
                raise Denied("audit.unwritable", error.message, hint=error.hint) from error
            return False
        return True


def declared_timeout(effects: Effects) -> float | None:
    """Seconds of `duration.timeout`, if the description has one that is a duration."""
    from atip.model.durations import parse_duration

    parsed = parse_duration(effects.duration.timeout or "")
    return parsed[1] if parsed and parsed[1] > 0 else None


def prepare_input(call: Call, effects: Effects) -> tuple[bytes, tuple[str, ...]]:
    """Input for the program, and what the caller should know (§3.6).

    Raises:
        ExecutionError: `execution.needs-input`, `execution.needs-password`: it would wait for ever.
    """
    wants = effects.interactive.stdin
    if wants == "password":
        raise ExecutionError(
            "execution.needs-password",
            "the command reads a password, which is never typed for anybody",
            hint="log in yourself first, or use the tool's own credential helper",
        )
    if wants == "required" and call.stdin is None:
        raise ExecutionError(
            "execution.needs-input",
            "the command reads from standard input, and none was given",
            hint="give it input, as in `… | atip run --stdin TOOL …`",
        )
    notes: tuple[str, ...] = ()
    if effects.interactive.prompts is True:
        # A48: no flag that answers is ever added; without an answer the command sees the end of input.
        notes = ("the command may ask questions; they are not answered for you",)
    return call.stdin or b"", notes


def _question(call: Call, judgement: Judgement, binary: VerifiedBinary) -> Question:
    confinement = judgement.confinement
    handed = {name: call.env[name] for name in confinement.env_pass if name in call.env}
    return Question(
        argv=call.argv,
        program=binary.path,
        digest=binary.digest,
        cwd=call.cwd,
        reasons=judgement.decision.reasons,
        rule=judgement.decision.rule,
        destructive=judgement.effects.destructive is not False,
        confinement=confinement,
        binding=bind(
            digest=binary.digest,
            argv=call.argv,
            env={**handed, **confinement.environment},
            cwd=call.cwd,
            policy=f"{judgement.policy} {confinement!r}",
        ),
    )


def _result(
    call: Call,
    judgement: Judgement,
    binary: VerifiedBinary,
    outcome: Outcome,
    streams: Mapping[str, Gathered],
) -> Result:
    out, err = streams["stdout"], streams["stderr"]
    code = 124 if outcome.timed_out else outcome.exit_code
    return Result(
        argv=call.argv,
        exit_code=code,
        stdout=out.text(),
        stderr=err.text(),
        truncated=out.truncated or err.truncated or outcome.output_truncated,
        redactions=add_counts(out.counts, err.counts),
        confinement=judgement.confinement,
        decision=judgement.decision,
        duration_s=outcome.duration_s,
        timed_out=outcome.timed_out,
        cancelled=outcome.cancelled,
        signal=outcome.signal,
        backend=outcome.backend,
        layers=outcome.layers,
        digest=binary.digest,
        meaning=judgement.exit_codes.get(code, ""),
        env_dropped=outcome.env_dropped,
        backend_notes=outcome.notes,
    )


def _ending(result: Result) -> dict[str, object]:
    return {
        "exitCode": result.exit_code,
        "timedOut": result.timed_out,
        "cancelled": result.cancelled,
        "durationS": round(result.duration_s, 3),
        "backend": result.backend,
        "layers": list(result.layers),
        "truncated": result.truncated,
        "redactions": dict(result.redactions),
    }


def _recorded(confinement: Confinement) -> dict[str, object]:
    """The confinement without values of variables."""
    document = confinement.to_json()
    names = [name for name, _ in confinement.env_set]
    return {**document, "env": {"pass": list(confinement.env_pass), "set": names}}
