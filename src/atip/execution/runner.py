"""Runner: one call from the decision to the Result. Direct argv, confined, recorded, redacted.

    (1) seal the program: from here on these bytes are the program, whatever happens to the file
    (2) judge: decision, effects, confinement (handed in; this room knows no policy files)
    (3) refuse what is denied; get a person's yes where policy asks
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

from atip.errors import Denied, PolicyError
from atip.execution.call import Call, Judgement
from atip.execution.consent import Question, Tokens, bind, obtain, yes_covers
from atip.execution.finish import make_result
from atip.execution.input import declared_timeout, prepare_input
from atip.execution.kept import KeptOutput
from atip.execution.login import CHECK_S, not_logged_in
from atip.execution.records import Records, ending
from atip.execution.result import Gathered
from atip.execution.secret_values import passed_values
from atip.model.globs import parse_glob
from atip.sandbox.run import Request, start_confined
from atip.sandbox.system_view import SEARCH_PATH
from atip.sandbox.verified import VerifiedBinary, seal
from atip.system.clock import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from atip.execution.audit import Audit
    from atip.execution.consent import Asker
    from atip.execution.result import Result
    from atip.model.confinement import Confinement
    from atip.sandbox.run import Outcome
    from atip.sandbox.running import Running

    Judge = Callable[["Call", str], "Judgement"]
    """Call and digest of its program → what policy says."""

__all__ = ["Call", "Judgement", "Runner", "declared_timeout"]

DEFAULT_TIMEOUT_S = 300.0
LOGIN_S = 300.0
"""How long a login that was seen is believed in."""
SIGNALS = (("AGENT", "1"), ("CMP_AGENT", "1"), ("NO_COLOR", "1"))
"""How a program learns that no person is looking (DESIGN §2)."""


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
        start: Callable[..., Running] = start_confined,
        backend: str = "bubblewrap",
        around: Callable[[str], AbstractContextManager[None]] | None = None,
    ) -> None:
        """
        Args:
            audit: where records go; None: none are kept (and a policy that demands them refuses).
            ask: reaches the user; None: nobody can be asked.
            approved: whether a remembered yes holds for a binding.
            on_output: gets each redacted piece as it comes.
            start: starts the confined program; another one may watch it, or give it a copy of its files.
            around: entered with the name of the run before the program starts, left when it has ended.
        """
        self._judge = judge
        self._records = Records(audit)
        self._ask = ask
        self._approved = approved
        self._on_output = on_output
        self._start = start
        self._backend = backend
        self._around = around
        self._tokens = Tokens()
        self._running: set[Running] = set()
        self._over = False
        self._logins: dict[str, float] = {}

    def plan(self, call: Call) -> tuple[Judgement, str]:
        """What would happen, and the digest of the program (an operation has none); runs and records nothing."""
        if call.judge_direct is not None:
            return call.judge_direct(), ""
        binary = seal(call.program, expected=call.expected)
        try:
            return self._judged(call, binary), binary.digest
        finally:
            binary.close()

    def run(self, call: Call) -> Result:
        """Run a call.

        Raises:
            Denied, NeedsConfirmation: policy stands in the way; nothing was started.
            AuthRequired: the tool needs a login first.
            SandboxError: the confinement cannot be had here; nothing was started.
            ExecutionError: it could not be started, or its record could not be written.
        """
        if call.direct is not None:
            return call.direct(self._ask)
        binary = seal(call.program, expected=call.expected)  # (1)
        try:
            judgement = self._judged(call, binary)  # (2)
            self._permit(call, judgement, binary)  # (3)
            return self._run_permitted(call, judgement, binary)
        finally:
            binary.close()

    def cancel(self) -> None:
        """End everything that runs now; this runner starts nothing more."""
        self._over = True
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
        if decision.outcome in ("allow", "confine"):
            return  # what runs here is confined
        if decision.outcome != "ask":
            self._records.refusal(call, judgement, binary)
            reason = "; ".join(decision.reasons) or "policy forbids it"
            raise Denied("policy.denied", reason, details={"decision": decision.to_json()})
        question = _question(call, judgement, binary)
        # SECURITY: what is not known to spare data counts as destroying it; `--yes` covers neither that nor secrets.
        if call.assume_yes and yes_covers(judgement.effects):
            return
        if not question.destructive and self._approved and self._approved(question.binding):
            return
        try:
            token = obtain(question, self._ask, self._tokens)
        except PolicyError:
            self._records.refusal(call, judgement, binary)
            raise
        self._tokens.redeem(token, _question(call, judgement, binary).binding)

    def _check_login(self, call: Call, judgement: Judgement, binary: VerifiedBinary) -> None:
        """See whether the login is there that the call needs; positive answers are believed for a while."""
        login = judgement.login
        if login is None:
            return
        confinement = judgement.confinement
        key = repr((binary.digest, login.check, _handed(call, confinement)))
        if self._logins.get(key, 0.0) > monotonic():
            return
        quiet = confinement.replace(
            fs_write=(),
            fs_keep=(),
            tty=False,
            limits=confinement.limits.replace(wall_s=CHECK_S, output_bytes=65536),
        )
        asked = call.replace(argv=(call.argv[0], *login.check[1:]), stdin=None)
        outcome = self._wait(asked, quiet, binary, b"", lambda _name, _data: None)
        if outcome.exit_code != 0 or outcome.timed_out:
            raise not_logged_in(call.argv[0], login)
        self._logins[key] = monotonic() + LOGIN_S

    # -- (5) to (7) ------------------------------------------------------------------------------

    def _run_permitted(self, call: Call, judgement: Judgement, binary: VerifiedBinary) -> Result:
        stdin, notes = prepare_input(call, judgement.effects)  # (4)
        self._check_login(call, judgement, binary)
        confinement = judgement.confinement
        known = passed_values(confinement.env_pass, call.env)
        run_id, on_record = self._records.start(call, judgement, binary, known)  # (5)
        streams = {
            name: Gathered(
                name,
                known,
                call.max_bytes,
                keep=KeptOutput(judgement.keep, run_id, name) if judgement.keep else None,
            )
            for name in ("stdout", "stderr")
        }

        def on_output(name: str, data: bytes) -> None:
            self._show(name, streams.get(name, streams["stdout"]).take(data))

        try:
            with self._around(run_id) if self._around else contextlib.nullcontext():
                outcome = self._wait(call, confinement, binary, stdin, on_output)  # (6)
        except BaseException as error:
            self._end_record(run_id, on_record, {"failed": _name_of(error)})
            raise
        finally:
            shown = {name: gathered.end() for name, gathered in streams.items()}
        for name, data in shown.items():
            self._show(name, data)
        result = make_result(call, judgement, binary.digest, outcome, streams)
        notes = (*judgement.notes, *notes)
        result = result.replace(run_id=run_id if on_record else "", notes=notes)
        ended = self._end_record(run_id, on_record, ending(result))  # (7)
        if self._records.trouble and not (on_record and ended):
            # SECURITY: a lost record is never lost silently.
            lost = "the end of this run" if on_record else "this run"
            result = result.replace(
                notes=(*notes, f"{lost} is not on record: {self._records.trouble}")
            )
        return result

    def _wait(
        self,
        call: Call,
        confinement: Confinement,
        binary: VerifiedBinary,
        stdin: bytes,
        on_output: Callable[[str, bytes], None],
    ) -> Outcome:
        request = Request(
            argv=(_own_name(call.argv[0], binary.path), *call.argv[1:]),
            binary=binary,
            cwd=starts_in(confinement, call.cwd),
            workspace=call.cwd,
            home=call.home,
            stdin=stdin,
            stdin_fd=call.stdin_fd,
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

    def _end_record(self, run_id: str, on_record: bool, told: Mapping[str, object]) -> bool:
        return self._records.end(run_id if on_record else "", told)


def _own_name(called: str, path: str) -> str:
    """What a program is told as its own name. One that lies outside of the search path finds its files by the
    place it was called at: it gets the whole path, with the name that was used."""
    folder = os.path.dirname(path)
    if "/" in called or folder in SEARCH_PATH.split(":"):
        return called
    return os.path.join(folder, called)


def _name_of(error: BaseException) -> str:
    return str(getattr(error, "code", type(error).__name__))


def starts_in(confinement: Confinement, path: str) -> str | None:
    """The directory that a program starts in: the caller's, if it may see that; None: an empty home of its own.

    A command that surely reads and writes nothing has no use for the directory, and gets none.
    """
    wanted = parse_glob(path)
    entries = (*confinement.fs_read, *confinement.fs_write)
    is_shown = any(parse_glob(entry).surely_covers(wanted) for entry in entries)
    return path if is_shown else None


def _handed(call: Call, confinement: Confinement) -> dict[str, str]:
    return {name: call.env[name] for name in confinement.env_pass if name in call.env}


def _question(call: Call, judgement: Judgement, binary: VerifiedBinary) -> Question:
    confinement = judgement.confinement
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
            env={**_handed(call, confinement), **confinement.environment},
            cwd=call.cwd,
            policy=f"{judgement.policy} {confinement!r}",
        ),
    )
