"""Records of runs: what is written into the audit before, instead of and after a run. Secrets never."""

from __future__ import annotations

import os
import secrets

from atip.errors import Denied, ExecutionError
from atip.execution.redact import redact_text
from atip.execution.result import shown_attempts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from atip.execution.audit import Audit
    from atip.execution.call import Call, Judgement
    from atip.execution.result import Result
    from atip.model.confinement import Confinement
    from atip.sandbox.verified import VerifiedBinary


class Records:
    """Writes into one audit; None: no records are kept, and a policy that demands them refuses."""

    def __init__(self, audit: Audit | None) -> None:
        self._audit = audit

    def start(
        self, call: Call, judgement: Judgement, binary: VerifiedBinary, known: tuple[bytes, ...]
    ) -> tuple[str, bool]:
        """The id of a run, and whether its start is on record.

        Raises:
            Denied, ExecutionError: policy demands a record and none can be written.
        """
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
            "confinement": recorded(judgement.confinement),
        }
        return run_id, self._append(record, required=judgement.audit)

    def refusal(self, call: Call, judgement: Judgement, binary: VerifiedBinary) -> None:
        record = {
            "event": "refused",
            "argv": [redact_text(word) for word in call.argv],
            "digest": binary.digest,
            "cwd": call.cwd,
            "decision": judgement.decision.to_json(),
        }
        self._append(record, required=False)

    def end(self, run_id: str, ending: Mapping[str, Any]) -> None:
        """The end of a run whose start is on record; empty id: nothing is written."""
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


def ending(result: Result) -> dict[str, object]:
    """What the end record says."""
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
    }


def recorded(confinement: Confinement) -> dict[str, object]:
    """The confinement without values of variables."""
    document = confinement.to_json()
    names = [name for name, _ in confinement.env_set]
    return {**document, "env": {"pass": list(confinement.env_pass), "set": names}}
