"""Runs: what `run` and published commands do – understand, decide, confirm, run, and stop abandoned runs.

The work is done in a worker thread by `calling` and `execution.runner`, as for every other caller. When the request
is cancelled or its client is gone, everything that the run consists of is ended, and only then does the request end.
Output of a program is captured by the runner; nothing here gives it a descriptor of the server's.
"""

from __future__ import annotations

import contextvars
import os
import shlex
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread

from atip.errors import UsageError
from atip.execution.call import CallOptions
from atip.model.value import Value
from atip.session import call_function

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from atip.calls.functions import Function
    from atip.execution.output.result import Result
    from atip.execution.runner import Call, Runner
    from atip.server.catalogue import Catalogue
    from atip.server.consent import Elicitor
    from atip.session import ToolCall

DEFAULT_MAX_BYTES = 32 * 1024
"""Per stream: about what a model can use of one answer."""
MAX_AT_ONCE = 32
MAX_STDIN = 4 * 1024 * 1024
_ENDING_S = 5.0
_SHELL_WORDS = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "<<", "2>", "2>&1", "&>"})

client_gone: contextvars.ContextVar[anyio.Event | None] = contextvars.ContextVar(
    "client_gone", default=None
)
"""Set by a transport that notices when the client of a request disconnects."""


class Bounds(Value):
    """Limits of every run of a server."""

    root: str
    """Runs start in this directory or below it."""
    preset: str | None = None
    timeout_s: float | None = None
    max_bytes: int = DEFAULT_MAX_BYTES


class ServerRuns:
    """Runs calls for one server."""

    def __init__(self, catalogue: Catalogue, bounds: Bounds) -> None:
        self._catalogue, self._box, self._bounds = catalogue, catalogue.box, bounds
        self._limiter = anyio.CapacityLimiter(MAX_AT_ONCE)

    async def line(self, arguments: Mapping[str, Any], elicitor: Elicitor) -> Result:
        """A call of the tool `run`."""
        return await self._start(lambda: self._line_call(arguments), elicitor)

    async def call(self, call: ToolCall, elicitor: Elicitor) -> Result:
        """A call of a published command."""
        return await self._start(lambda: self._box.calls.prepare(call, self._options({})), elicitor)

    # -- from words to a call --------------------------------------------------------------------

    def words(self, request: Mapping[str, Any]) -> list[str]:
        """The words of `command`, quotes undone; a shell's other signs are refused later, word by word.

        Raises:
            UsageError: `mcp.argument`, `mcp.quotes`.
        """
        command = _text(request, "command")
        if not any(sign in command for sign in "'\"\\"):
            return self._box.calls.target_words(command)
        try:
            return shlex.split(command)
        except ValueError as error:
            raise UsageError("mcp.quotes", "`command` has an unclosed quote") from error

    def function(self, request: Mapping[str, Any]) -> Function | None:
        """The command that a call is about, if it is known: what the user approved is compared with it."""
        argv = request.get("argv")
        more = [word for word in argv if isinstance(word, str)] if isinstance(argv, list) else []
        return self._catalogue.nearest([*self.words(request), *more])

    def _line_call(self, request: Mapping[str, Any]) -> Call:
        options = self._options(request)
        words = self.words(request)
        arguments, argv = request.get("arguments"), request.get("argv")
        if arguments and argv:
            raise UsageError("mcp.both", "give either `arguments` or `argv`")
        if arguments is not None and not isinstance(arguments, dict):
            raise UsageError("mcp.arguments", "`arguments` is not an object")
        if argv is None and not arguments and self._catalogue.takes_words(words):
            argv = []  # a whole line in one text, as models write it: `wc -l notes.txt`
        if argv is not None:
            return self._box.calls.prepare_argv([*_words(words), *_words(argv)], options)
        function = self._catalogue.function(" ".join(words))
        return self._box.calls.prepare(call_function(function, arguments or {}), options)

    def _options(self, request: Mapping[str, Any]) -> CallOptions:
        stdin = request.get("stdin")
        if stdin is not None and (not isinstance(stdin, str) or len(stdin) > MAX_STDIN):
            raise UsageError(
                "mcp.stdin", f"`stdin` is not a string of at most {MAX_STDIN:,} characters"
            )
        return CallOptions(
            cwd=self._folder(request.get("cwd")),
            stdin=stdin.encode("utf-8", "replace") if stdin is not None else None,
            timeout_s=self._bounds.timeout_s,
            max_bytes=self._bounds.max_bytes,
        )

    def _folder(self, cwd: object) -> str:
        root = os.path.realpath(self._bounds.root)
        if not cwd:
            return root
        if not isinstance(cwd, str) or "\0" in cwd:
            raise UsageError("mcp.cwd", "`cwd` is not a directory")
        place = os.path.realpath(os.path.join(root, cwd))
        # SECURITY: what a run may touch is counted from its directory; a model must not choose `/`.
        if place != root and not place.startswith(root.rstrip("/") + "/"):
            raise UsageError("mcp.cwd", f"`cwd` is not below `{root}`")
        if not os.path.isdir(place):
            raise UsageError("mcp.cwd", "`cwd` is not a directory")
        return place

    # -- running ---------------------------------------------------------------------------------

    async def _start(self, make_call: Callable[[], Call], elicitor: Elicitor) -> Result:
        runner = self._box.make_runner(preset=self._bounds.preset, ask=elicitor.ask)
        stopped: list[bool] = []

        def work() -> Result:
            call = make_call()
            if stopped:
                raise _cancellation()
            return runner.run(call)

        return await self._finish(work, runner, stopped)

    async def _finish(
        self, work: Callable[[], Result], runner: Runner, stopped: list[bool]
    ) -> Result:
        """Work in a thread; cancelled, it is over when the thread is."""
        finished = anyio.Event()
        results: list[Result] = []
        errors: list[Exception] = []
        async with anyio.create_task_group() as group:
            group.start_soon(_end_when_cancelled, runner, finished, stopped)
            group.start_soon(_cancel_when_gone, group.cancel_scope)
            try:
                results.append(await anyio.to_thread.run_sync(work, limiter=self._limiter))
            except Exception as error:  # passed on below, not as a group of one
                errors.append(error)
            finally:
                finished.set()
                group.cancel_scope.cancel()
        if errors:
            raise errors[0]
        if not results:
            raise _cancellation()
        return results[0]


async def _end_when_cancelled(runner: Runner, finished: anyio.Event, stopped: list[bool]) -> None:
    """Sleep until the request is cancelled, then end the run again and again until its thread is over.

    A run that has not started when the cancellation comes is ended as soon as it does.
    """
    try:
        await anyio.sleep_forever()
    finally:
        stopped.append(True)
        with anyio.move_on_after(_ENDING_S, shield=True):
            while not finished.is_set():
                runner.cancel()
                with anyio.move_on_after(0.02):
                    await finished.wait()


async def _cancel_when_gone(scope: anyio.CancelScope) -> None:
    gone = client_gone.get()
    if gone is not None:
        await gone.wait()
        scope.cancel()


def _cancellation() -> UsageError:
    return UsageError("mcp.cancelled", "the call was cancelled and its process stopped")


def _text(arguments: Mapping[str, Any], key: str) -> str:
    value = arguments.get(key)
    if not isinstance(value, str) or not value.strip():
        raise UsageError("mcp.argument", f"`{key}` is missing or not a string")
    return value


def _words(argv: object) -> Sequence[str]:
    if not isinstance(argv, list) or not all(isinstance(word, str) for word in argv):
        raise UsageError("mcp.argv", "`argv` is not a list of strings")
    shell = next((word for word in argv if word in _SHELL_WORDS), None)
    if shell is not None:
        raise UsageError(
            "mcp.no-shell", f"`{shell}` is shell syntax, but commands run without a shell"
        )
    return argv
