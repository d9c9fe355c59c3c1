"""App: the MCP server itself – handlers that join surface, catalogue, runs, consent and published commands.

Knows no transport (`server/transport/stdio.py`, `server/transport/http.py`). Every failure of a call is an answer with `isError`, so that the model
can correct itself; nothing that a tool wrote reaches a client outside a marked block. Implements ATIP 0.6 §9,
ATIP 0.1 §6.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

from atip.errors import AtipError, NotFoundError
from atip.server import surface
from atip.server.catalogue import DEFAULT_LIMIT, Catalogue
from atip.server.consent import Elicitor, InputRequired, Rounds
from atip.server.exposed import ServerCommands
from atip.server.marks import block, refused, rendered
from atip.server.pins import CHANGED, NEW, Pins, approval_needed
from atip.server.runs import ServerRuns
from atip.session import call_published
from atip.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp.server.context import ServerRequestContext
    from mcp.server.models import InitializationOptions
    from mcp.server.session import ServerSession

    from atip.calls.functions import Function
    from atip.execution.output.result import Result
    from atip.server.runs import Bounds
    from atip.toolbox import Toolbox

    Context = ServerRequestContext[Any, Any]
    Answer = types.CallToolResult | types.InputRequiredResult

POLL_S = 1.0
MAX_SESSIONS = 256


class App:
    """One server. `server` is what the transports serve; `watch` runs beside it."""

    def __init__(self, box: Toolbox, bounds: Bounds, expose: Sequence[str] = ()) -> None:
        self.catalogue = Catalogue(box)
        self.pins = Pins(box.places.config)
        self.exposed = ServerCommands(self.catalogue, self.pins, expose)
        self.exposed.load()
        self._runs = ServerRuns(self.catalogue, bounds)
        self._rounds = Rounds()
        self._bus = InMemorySubscriptionBus()
        self._sessions: dict[str, ServerSession] = {}
        self.server = _Server(
            surface.NAME,
            version=__version__,
            instructions=surface.INSTRUCTIONS,
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=ListenHandler(self._bus, max_subscriptions=64),
        )

    async def watch(self) -> None:
        """Notify clients when the published commands change."""
        while True:
            await anyio.sleep(POLL_S)
            await self._refresh()

    async def _refresh(self) -> None:
        if await anyio.to_thread.run_sync(self.exposed.load):
            await self._announce()

    async def _announce(self) -> None:
        await self._bus.publish(ToolsListChanged())
        for key, session in list(self._sessions.items()):
            try:
                await session.send_tool_list_changed()
            except Exception:  # a client that is gone must not keep the others from hearing
                self._sessions.pop(key, None)

    # -- requests --------------------------------------------------------------------------------

    async def _list(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        self._remember(ctx)
        declarations = [*surface.tools(), *self.exposed.declarations]
        tools = [
            types.Tool.model_validate(declaration, by_name=False) for declaration in declarations
        ]
        return types.ListToolsResult(tools=tools)

    def _remember(self, ctx: Context) -> None:
        headers = getattr(ctx.request, "headers", None)
        key = headers.get("mcp-session-id", "") if headers is not None else ""
        self._sessions.pop(key, None)
        self._sessions[key] = ctx.session
        while len(self._sessions) > MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]

    async def _call(self, ctx: Context, params: types.CallToolRequestParams) -> Answer:
        elicitor = Elicitor(ctx, params, self._rounds)
        try:
            return await self._answer(params.name, params.arguments or {}, elicitor)
        except InputRequired as required:
            return elicitor.required(required)
        except AtipError as error:
            return _text_result(refused(error), is_error=True, meta={"atip/error": error.code})
        except (
            Exception
        ) as error:  # a bug of ours is an answer too, and ends neither call nor server
            sys.stderr.write(f"atip mcp: {type(error).__name__}: {error!s:.500}\n")
            return _text_result(f"internal.error: {type(error).__name__}", is_error=True)

    async def _answer(self, name: str, arguments: Mapping[str, Any], elicitor: Elicitor) -> Answer:
        match name:
            case surface.FIND:
                return await self._find(arguments)
            case surface.DESCRIBE:
                return await self._describe(arguments, elicitor)
            case surface.RUN:
                return await self._run(arguments, elicitor)
        return await self._call_published(name, arguments, elicitor)

    async def _find(self, arguments: Mapping[str, Any]) -> Answer:
        limit = arguments.get("limit")
        most = limit if isinstance(limit, int) and limit > 0 else DEFAULT_LIMIT
        text = await anyio.to_thread.run_sync(
            self._find_text, str(arguments.get("query", "")), most
        )
        return _text_result(text)

    def _find_text(self, query: str, limit: int) -> str:
        hits = self.catalogue.find(query, limit)
        if not hits:
            return self.catalogue.nothing()
        # SECURITY: a text that changed after it was approved is not shown again through another call.
        changed = [function.line for function, _ in hits if self._state(function) == CHANGED]
        lines = [line for function, line in hits if function.line not in changed]
        parts = [block("tool-text", "\n".join(lines))] if lines else []
        if changed:
            parts.append(f"Not shown, the text changed and needs approval: {', '.join(changed)}")
        return "\n".join(parts)

    async def _describe(self, arguments: Mapping[str, Any], elicitor: Elicitor) -> Answer:
        command, schema = str(arguments.get("command", "")), arguments.get("schema") is True

        def described() -> tuple[str, Function | None]:
            return self.catalogue.describe(command, schema=schema)

        text, function = await anyio.to_thread.run_sync(described)
        if function is not None:
            await self._approve(function, elicitor)
        return _text_result(text)

    async def _run(self, arguments: Mapping[str, Any], elicitor: Elicitor) -> Answer:
        function = await anyio.to_thread.run_sync(self._runs.function, arguments)
        if function is not None:
            await self._approve(function, elicitor)
        return _ran(await self._runs.line(arguments, elicitor))

    async def _call_published(
        self, name: str, arguments: Mapping[str, Any], elicitor: Elicitor
    ) -> Answer:
        await self._refresh()
        function = self.exposed.find(name)
        if function is None:
            close = ", ".join((surface.FIND, surface.DESCRIBE, surface.RUN))
            raise NotFoundError(
                "mcp.unknown-tool", f"no tool `{name[:80]}`", hint=f"tools: {close}"
            )
        await self._approve(function, elicitor)
        call = await anyio.to_thread.run_sync(call_published, function, arguments)
        return _ran(await self._runs.call(call, elicitor))

    # -- what was shown before -------------------------------------------------------------------

    def _state(self, function: Function) -> str:
        document = self.catalogue.get(function.tool.name, function.path).document
        return self.pins.state(function, document)

    async def _approve(self, function: Function, elicitor: Elicitor) -> None:
        """Pin what is shown for the first time; ask for confirmation when it changed.

        Raises:
            NeedsConfirmation: `mcp.approval-needed`.
        """
        document = self.catalogue.get(function.tool.name, function.path).document
        state = self.pins.state(function, document)
        withheld = function.name in self.exposed.withheld
        if state == CHANGED or withheld:
            await self._ask_for_change(function, document, elicitor)
        if state in (NEW, CHANGED) or withheld:
            await anyio.to_thread.run_sync(self.pins.put, function, document)
            await self._refresh()

    async def _ask_for_change(
        self, function: Function, document: Mapping[str, Any], elicitor: Elicitor
    ) -> None:
        from atip.execution.consent import clean_line
        from atip.server.pins import text_of
        from atip.system.digests import sha256_hex

        key = sha256_hex(f"{function.name} {text_of(document, function.path)}".encode())
        message = (
            f"The description of `{clean_line(function.line)}` changed since a model saw it. "
            f"Its text (untrusted data):\n{self.pins.difference(function, document)}\n"
            "Use the new description?"
        )
        try:
            agreed = await elicitor.put(key, message)
        except AtipError as error:
            raise approval_needed(function) from error
        if not agreed:
            raise approval_needed(function)


class _Server(Server[Any]):
    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def _text_result(
    text: str, *, is_error: bool = False, meta: dict[str, Any] | None = None
) -> types.CallToolResult:
    content = types.TextContent(type="text", text=text)
    return types.CallToolResult(content=[content], is_error=is_error, _meta=meta)


def _ran(result: Result) -> types.CallToolResult:
    meta = {
        "atip/result": {
            "exitCode": result.exit_code,
            "truncated": result.truncated,
            "timedOut": result.timed_out,
            "redactions": dict(result.redactions),
            "run": result.run_id,
        }
    }
    return _text_result(rendered(result), is_error=result.exit_code != 0, meta=meta)
