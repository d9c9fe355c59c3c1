"""Runtime of generated Python wrappers: API operations of a project under policy, with confirmation and records.

    from codegen import runtime
    runtime.use(ask=runtime.ask_on_terminal)

By default there is no prompt, and what needs confirmation is refused (`consent.no-asker`). Nothing here sends a request: that is
`Toolbox.apis`, where policy, confirmation and the approval of the project's configuration apply.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from typing import TYPE_CHECKING, Any

from atip.apis.arguments import UNSET, Unset
from atip.errors import NeedsConfirmation
from atip.execution.consent import Question, ask_on_terminal
from atip.toolbox import Toolbox

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from atip.execution.consent import ConsentPrompt

__all__ = ["UNSET", "Question", "Unset", "WrappedApis", "ask_on_terminal"]


class WrappedApis:
    """The APIs of one project, for its wrappers."""

    def __init__(self, config: str | os.PathLike[str]) -> None:
        """
        Args:
            config: `codegen.config.json` or its folder.
        """
        self._config = os.fspath(config)
        self._ask: ConsentPrompt = refuse_questions
        self._policy: str | None = None
        self._lock = threading.Lock()
        self._box: Toolbox | None = None
        self._sessions: AbstractContextManager[None] | None = None

    def use(self, *, ask: ConsentPrompt | None = None, policy: str | None = None) -> None:
        """Say who is asked, and under which preset.

        Args:
            ask: prompts the user: gets a `Question`, returns True for yes; `ask_on_terminal` is one. None: no prompt.
            policy: preset instead of the configured one; None: as configured.
        """
        self._ask, self._policy = ask or refuse_questions, policy

    def call(self, source: str, operation: str, arguments: Mapping[str, Any]) -> Any:
        """The data of an answer.

        Raises:
            NeedsConfirmation: `consent.no-asker`, `api.not-approved`.
            AtipError: as `atip api call`, with a stable code.
        """
        apis = self._toolbox().apis
        return apis.call(
            self._config, source, operation, arguments, preset=self._policy, ask=self._ask
        ).data

    async def call_async(self, source: str, operation: str, arguments: Mapping[str, Any]) -> Any:
        """The same without blocking the event loop; a question is put from a worker thread."""
        return await asyncio.to_thread(self.call, source, operation, arguments)

    def close(self) -> None:
        """End the sessions with MCP servers; also done when the program ends."""
        with self._lock:
            sessions, self._sessions, self._box = self._sessions, None, None
        if sessions is not None:
            atexit.unregister(self.close)
            sessions.__exit__(None, None, None)

    def _toolbox(self) -> Toolbox:
        with self._lock:
            if self._box is None:
                self._box = Toolbox()
                self._sessions = self._box.apis.keep_sessions()
                self._sessions.__enter__()
                atexit.register(self.close)
            return self._box


def refuse_questions(question: Question) -> bool:
    """The default of wrappers.

    Raises:
        NeedsConfirmation: `consent.no-asker`.
    """
    raise NeedsConfirmation(
        "consent.no-asker",
        "this needs confirmation, and the wrappers cannot ask the user",
        hint="set a prompt: `runtime.use(ask=runtime.ask_on_terminal)`, or allow it in the policy",
        details={"argv": list(question.argv[:4]), "reasons": list(question.reasons)},
    )
