"""Records of runs: what is written into the audit before, instead of and after a run. Secrets never."""

from __future__ import annotations

import os

from atip.errors import Denied, ExecutionError
from atip.execution.output.result import shown_attempts
from atip.execution.redaction.redact import redact_text
from atip.execution.redaction.secret_values import named_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from atip.execution.audit.chain import Audit
    from atip.execution.output.result import Result
    from atip.execution.proposal import Proposal
    from atip.model.permissions.confinement import Confinement
    from atip.policy.decision import Decision

MAX_LINE, MAX_REASON, MAX_REASONS = 10_000, 500, 20
"""Limits of one record: characters of the line, characters of a reason, number of reasons. The rest is cut."""


class Records:
    """Writes into one audit; None: no records are kept, and a policy that demands them refuses."""

    def __init__(self, audit: Audit | None) -> None:
        self._audit = audit
        self.trouble = ""
        """Why the last record could not be written; empty: it was."""

    @property
    def journal(self) -> str:
        """The folder that remembers runs which are not over; empty: no records are kept."""
        return os.path.join(self._audit.folder, "unfinished") if self._audit is not None else ""

    def start(self, proposal: Proposal) -> tuple[str, bool]:
        """The id of a run, and whether its start is on record.

        Raises:
            Denied, ExecutionError: a record is demanded and none can be written.
        """
        run_id = os.urandom(8).hex()
        walls = proposal.confinement
        record = {
            "event": "start",
            "run": run_id,
            **_proposal_fields(proposal),
            "user": os.getuid(),
            "pid": os.getpid(),
            "policy": proposal.judgment.policy,
            **({"confinement": recorded(walls)} if walls is not None else {}),
        }
        return run_id, self._append(record, required=proposal.needs_record)

    def refusal(self, proposal: Proposal) -> None:
        """A call that did not start: denied, or not confirmed."""
        self._append({"event": "refused", **_proposal_fields(proposal)}, required=False)

    def decision(
        self, line: str, decision: Decision, *, client: str, cwd: str, answer: str = "",
        mode: str = "", took_s: float = 0.0,
    ) -> None:  # fmt: skip
        """Decision on a shell line that another program runs.

        Args:
            answer: the answer to the client, if it differs from the decision.
            mode: the client's permission mode.

        Raises:
            Denied, ExecutionError: no record can be written.
        """
        secrets = named_values(os.environ)
        redacted_decision = redacted(decision.to_json(), secrets)
        record = {
            "event": "decision",
            "client": client,
            "line": _cut(redact_text(line, secrets), MAX_LINE),
            "cwd": redact_text(cwd, secrets),
            "user": os.getuid(),
            "decision": redacted_decision["decision"],
            "rule": redacted_decision["rule"],
            "reasons": [
                _cut(reason, MAX_REASON) for reason in redacted_decision["reasons"][:MAX_REASONS]
            ],
            "subject": _cut(redacted_decision["subject"], MAX_REASON),
            "answer": answer or redacted_decision["decision"],
            "mode": mode,
            "durationMs": round(took_s * 1000, 1),
        }
        self._append(record, required=True)

    def ran(self, line: str, *, client: str, cwd: str, confined: bool = True) -> None:
        """A client reports that it has run a line.

        Args:
            confined: False: the client was told to run it confined, and did not.
        """
        secrets = named_values(os.environ)
        record = {
            "event": "ran",
            "client": client,
            "line": _cut(redact_text(line, secrets), MAX_LINE),
            "cwd": redact_text(cwd, secrets),
            **(
                {}
                if confined
                else {"problem": "ran outside the sandbox, although the guard confined it"}
            ),
        }
        self._append(record, required=False)

    def switched(self, state: str, until: float) -> None:
        """A person has switched the guard off or on.

        Raises:
            Denied, ExecutionError: no record can be written.
        """
        self._append({"event": "guard", "state": state, "until": until, "user": os.getuid()}, required=True)  # fmt: skip

    def end(self, run_id: str, ending: Mapping[str, Any]) -> bool:
        """The end of a run whose start is on record; empty id: nothing is written. Whether nothing is missing."""
        return not run_id or self._append({"event": "end", "run": run_id, **ending}, required=False)

    def _append(self, record: Mapping[str, Any], *, required: bool) -> bool:
        """Whether the record was written; raises only where policy demands it."""
        if self._audit is None:
            if required:
                raise ExecutionError("audit.missing", "the policy requires an audit record, but the audit is off", hint="pass an `Audit` to the runner, or remove `auditAllCalls` from the policy")  # fmt: skip
            return False
        try:
            self._audit.append(record)
            self.trouble = ""
        except ExecutionError as error:
            self.trouble = error.message
            if required:
                # SECURITY: no record, no run.
                raise Denied("audit.unwritable", error.message, hint=error.hint) from error
            return False
        return True


def _proposal_fields(proposal: Proposal) -> dict[str, Any]:
    """The record of a proposal. SECURITY: the subject of a decision repeats the words of the call."""
    fields = {"argv": proposal.record["argv"], "decision": proposal.judgment.decision.to_json()}
    return {**proposal.record, **redacted(fields, proposal.secrets)}


def redacted(value: Any, secrets: tuple[bytes, ...] = ()) -> Any:
    """A JSON value with every text in it redacted."""
    if isinstance(value, str):
        return redact_text(value, secrets)
    if isinstance(value, dict):
        return {key: redacted(item, secrets) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted(item, secrets) for item in value]
    return value


def _cut(text: str, limit: int) -> str:
    """SECURITY: only of redacted text; half a secret would not be found."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… [{len(text) - limit} more characters]"


def ending(result: Result) -> dict[str, object]:
    """Content of the end record."""
    needs = result.needs
    return {
        "exitCode": result.exit_code,
        "timedOut": result.timed_out,
        "cancelled": result.cancelled,
        "durationS": round(result.duration_s, 3),
        "backend": result.backend,
        "layers": list(result.layers),
        "truncated": result.truncated,
        "redactions": dict(result.redactions),
        **({"network": shown_attempts(result.attempts)} if result.attempts else {}),
        **({"refused": [need.to_json() for need in needs]} if needs else {}),
    }


def recorded(confinement: Confinement) -> dict[str, object]:
    """The confinement without values of variables."""
    document = confinement.to_json()
    names = [name for name, _ in confinement.env_set]
    return {**document, "env": {"pass": list(confinement.env_pass), "set": names}}
