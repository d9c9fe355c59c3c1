"""Consent through the client: a question to its user, in both eras of the protocol.

Up to 2025-11-25 the server asks with `elicitation/create` while the call waits. From 2026-07-28 on it answers
`input_required`, and the client calls again with the user's answer and our token; the token is kept here, works
once, expires, and holds only for the very question that was put. A client that cannot ask gets a refusal.
Defends against threat 21 of conformance/threats.toml; docs/architecture.md.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import anyio
import anyio.from_thread
import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from atip.errors import NeedsConfirmation
from atip.execution.consent import LIFETIME_S
from atip.model.value import Value
from atip.system.clock import monotonic
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from atip.execution.consent import Question

MAX_PENDING = 1_000
ANSWER = "answer"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        ANSWER: {"type": "string", "title": "Run it?", "enum": ["no", "yes"], "default": "no"}
    },
    "required": [ANSWER],
}


class InputRequired(Exception):
    """The client must put a question and call again; not an error of ours, so no record is written."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(key)
        self.key, self.message = key, message


class Round(Value):
    """State between an `input_required` and the call that answers it."""

    call: str
    """Digest of the call; a token is good for no other."""
    pending: str
    accepted: frozenset[str]
    until: float


class Rounds:
    """Tokens that were handed out. One process, one memory."""

    def __init__(self) -> None:
        self._open: dict[str, Round] = {}

    def begin(self, call: str, required: InputRequired, accepted: frozenset[str]) -> str:
        """A token for a question that is about to be put."""
        now = monotonic()
        self._open = {token: one for token, one in self._open.items() if one.until > now}
        while len(self._open) >= MAX_PENDING:
            del self._open[next(iter(self._open))]
        token = secrets.token_urlsafe(24)
        self._open[token] = Round(
            call=call, pending=required.key, accepted=accepted, until=now + LIFETIME_S
        )
        return token

    def resume(self, call: str, params: types.CallToolRequestParams) -> tuple[frozenset[str], str]:
        """Accepted questions so far, and the question that was declined."""
        # SECURITY: taken out first, so that a second use is over; another call's token is worth nothing.
        one = self._open.pop(params.request_state or "", None)
        if one is None or one.call != call or monotonic() > one.until:
            return frozenset(), ""
        answer = (params.input_responses or {}).get(one.pending)
        if answer is None:
            return one.accepted, ""
        if _is_yes(answer):
            return one.accepted | {one.pending}, ""
        return one.accepted, one.pending


class Elicitor:
    """Puts questions to the user behind one request."""

    def __init__(
        self,
        ctx: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams,
        rounds: Rounds,
    ) -> None:
        self._ctx, self._rounds = ctx, rounds
        self._modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        self._call = sha256_hex(repr((params.name, params.arguments)).encode("utf-8", "replace"))
        self.accepted, self._refused = rounds.resume(self._call, params)

    def ask(self, question: Question) -> bool:
        """A `ConsentPrompt` for the worker thread of a run."""
        return anyio.from_thread.run(self.put, question.binding, question.render())

    async def put(self, key: str, message: str) -> bool:
        """Ask, or take the answer that came with this call.

        Raises:
            NeedsConfirmation: `consent.no-terminal` where the client cannot ask.
            InputRequired: when the client must ask and call again.
        """
        if key in self.accepted:
            return True
        if key == self._refused:
            return False
        capabilities = self._ctx.session.client_capabilities
        if capabilities is None or capabilities.elicitation is None:
            raise NeedsConfirmation(
                "consent.no-terminal",
                "this needs the user's confirmation, and this client cannot ask for it",
                hint="the user can run it in a terminal with `atip run`, or allow it in the policy",
            )
        if self._modern:
            raise InputRequired(key, message)
        return await self._elicited(message)

    async def _elicited(self, message: str) -> bool:
        try:
            with anyio.fail_after(LIFETIME_S):
                answer = await self._ctx.session.elicit_form(
                    message, SCHEMA, related_request_id=self._ctx.request_id
                )
        except (TimeoutError, MCPError) as error:
            raise NeedsConfirmation(
                "consent.no-answer", "the question to the user was not answered"
            ) from error
        return _is_yes(answer)

    def required(self, required: InputRequired) -> types.InputRequiredResult:
        """The answer that makes a client of 2026-07-28 ask its user."""
        form = types.ElicitRequestFormParams(message=required.message, requested_schema=SCHEMA)
        return types.InputRequiredResult(
            input_requests={required.key: types.ElicitRequest(params=form)},
            request_state=self._rounds.begin(self._call, required, self.accepted),
        )


def _is_yes(answer: Any) -> bool:
    """Only the word itself, in a form that was sent off, is a yes."""
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept":
        return False
    return (answer.content or {}).get(ANSWER) == "yes"
