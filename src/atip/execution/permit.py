"""Permit: decision → question → token → record, the one way from a judgment to something that starts.

Programs and operations of APIs take it alike. What would start is a `Proposal`; `obtain` turns it into a `Permission` or raises, and
only a `Permission` can be put on record as started. A denial and a question that was not answered with yes are on record, too.
"""

from __future__ import annotations

from atip.errors import Denied, PolicyError
from atip.execution.consent import Tokens, obtain, yes_covers
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.execution.audit.records import Records
    from atip.execution.consent import ConsentPrompt
    from atip.execution.proposal import Proposal


class Permission(Value):
    """Proof that a proposal may start, once."""

    proposal: Proposal


class Permit:
    """Gives permissions; one per runner, used by any number of threads."""

    def __init__(
        self,
        records: Records,
        *,
        ask: ConsentPrompt | None = None,
        approved: Callable[[str], bool] | None = None,
    ) -> None:
        """
        Args:
            ask: prompts the user; None: no prompt possible.
            approved: whether a stored approval covers a binding.
        """
        self._records, self._ask, self._approved = records, ask, approved
        self._tokens = Tokens()

    def obtain(self, proposal: Proposal) -> Permission:
        """
        Raises:
            Denied: `policy.denied`, `consent.refused`.
            NeedsConfirmation: `consent.no-terminal` and similar.
        """
        decision = proposal.judgment.decision
        # What runs here is confined; a request to an API is not, and no sandbox settles its question.
        is_confined = decision.outcome == "confine" and proposal.confinement is not None
        if decision.outcome == "allow" or is_confined:
            return Permission(proposal=proposal)
        if decision.outcome == "deny":
            self._records.refusal(proposal)
            reason = "; ".join(decision.reasons) or "policy forbids it"
            raise Denied("policy.denied", reason, details={"decision": decision.to_json()})
        if not self._is_answered(proposal):
            self._put(proposal)
        return Permission(proposal=proposal)

    def record(self, permission: Permission) -> tuple[str, bool]:
        """The id of what starts now, and whether its start is on record.

        Raises:
            Denied, ExecutionError: a record is demanded and none can be written.
        """
        return self._records.start(permission.proposal)

    def _is_answered(self, proposal: Proposal) -> bool:
        """Whether the call is already confirmed: by the caller, or by a remembered approval."""
        # SECURITY: `--yes` covers neither what may destroy nor secrets.
        if proposal.assume_yes and yes_covers(proposal.judgment.effects):
            return True
        question = proposal.question
        return not question.destructive and bool(
            self._approved and self._approved(question.binding)
        )

    def _put(self, proposal: Proposal) -> None:
        question = proposal.question
        try:
            token = obtain(question, self._ask, self._tokens)
        except PolicyError:
            self._records.refusal(proposal)
            raise
        self._tokens.redeem(token, proposal.question.binding)
