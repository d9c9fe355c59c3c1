"""MCP sources: a server's tools as operations, called through the official client.

Descriptions and annotations come from the server: cleaned for display, and trusted only where they raise effects.
The server runs confined, and gets the variables that the configuration lists and nothing else of the environment.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from atip.apis.effects import with_effects
from atip.apis.http.calls import CallOutcome
from atip.apis.http.credentials import resolve_auth
from atip.apis.interface import LoadedSource, ProgramOrder
from atip.errors import ExecutionError, FormatError
from atip.model.operation import Api, Operation, Parameter
from atip.model.text.identifiers import ARGUMENTS, slug, unique
from atip.system.digests import sha256_hex
from atip.system.network.mcp_client import McpClient, McpServer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.apis.config import SourceConfig
    from atip.apis.interface import ApiAccess
    from atip.sandbox.run import OnOutput
    from atip.sandbox.running import RunningProcess


def load(config: SourceConfig, access: ApiAccess) -> LoadedSource:
    """Start the server, list its tools, and end it.

    Raises:
        FetchError: `api.mcp`.
    """
    tools = asyncio.run(_list_tools(server_of(config, access), config.timeout_s))
    raw = json.dumps(tools, ensure_ascii=False, separators=(",", ":"))
    api = with_effects(api_of(config.name, tools))
    return LoadedSource(api=api, raw=raw, digest=f"sha256:{sha256_hex(raw.encode())}")


async def _list_tools(server: McpServer, timeout_s: float) -> list[dict[str, Any]]:
    client = McpClient(server, timeout_s=timeout_s)
    try:
        return await client.list_tools()
    finally:
        await client.close()


def api_of(name: str, tools: list[dict[str, Any]]) -> Api:
    """The tools of a `tools/list` answer as operations."""
    names: set[str] = set()
    return Api(
        name=name,
        kind="mcp",
        title=name,
        operations=tuple(_operation(tool, names) for tool in tools),
        definitions={
            f"#/$defs/{tool}/{key}": part
            for tool, definition in ((str(tool.get("name")), tool) for tool in tools)
            for key, part in _shared_schemas(definition).items()
        },
    )


def _shared_schemas(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = tool.get("inputSchema")
    definitions = schema.get("$defs") if isinstance(schema, dict) else None
    return definitions if isinstance(definitions, dict) else {}


def _operation(tool: Mapping[str, Any], names: set[str]) -> Operation:
    original = str(tool.get("name", ""))
    schema = tool.get("inputSchema")
    schema = schema if isinstance(schema, dict) else {}
    required = schema.get("required")
    properties = schema.get("properties")
    used_names: set[str] = set()
    parameters = [
        Parameter(
            argument=unique(slug(str(key), "value", ARGUMENTS), used_names),
            name=str(key),
            place="argument",
            schema=_with_own_references(property_schema, original)
            if isinstance(property_schema, dict)
            else {},
            required=key in (required if isinstance(required, list) else ()),
            description=str(property_schema.get("description") or "")
            if isinstance(property_schema, dict)
            else "",
        )
        for key, property_schema in (properties if isinstance(properties, dict) else {}).items()
    ]
    output = tool.get("outputSchema")
    return Operation(
        name=unique(slug(original, "tool"), names),
        original=original,
        summary=str(tool.get("title") or ""),
        description=str(tool.get("description") or ""),
        parameters=tuple(parameters),
        output=output if isinstance(output, dict) and "$ref" not in json.dumps(output) else None,
        method="CALL",
        extra={"annotations": tool.get("annotations") or {}},
    )


def _with_own_references(schema: Any, tool: str) -> Any:
    """Make references of one tool's schema distinct from those of the others."""
    if isinstance(schema, dict):
        copied = {key: _with_own_references(item, tool) for key, item in schema.items()}
        reference = copied.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/$defs/"):
            copied["$ref"] = f"#/$defs/{tool}/{reference.removeprefix('#/$defs/')}"
        return copied
    return (
        [_with_own_references(item, tool) for item in schema]
        if isinstance(schema, list)
        else schema
    )


def server_of(config: SourceConfig, access: ApiAccess) -> McpServer:
    """Build the connection to the configured server.

    Raises:
        FormatError: `api.mcp-config`.
        AuthRequired: `api.auth-missing`.
    """
    settings = config.settings
    if "url" in settings:
        access.check_online(config.name)
        credential = resolve_auth(settings.get("auth"), access.references(config))
        if access.secrets is not None:
            access.secrets(credential.secrets)
        return McpServer(
            url=str(settings["url"]),
            headers={**settings.get("headers", {}), **dict(credential.headers)},
        )
    if "command" not in settings:
        raise FormatError("api.mcp-config", f"`{config.name}` has neither `command` nor `url`")
    references = access.references(config)
    env = {key: references.text(str(value)) for key, value in settings.get("env", {}).items()}
    if access.secrets is not None:
        access.secrets(tuple(value.encode() for value in env.values() if len(value) >= 8))
    argv = (str(settings["command"]), *map(str, settings.get("args", ())))

    def start(stdin_fd: int, on_output: OnOutput) -> RunningProcess:
        order = ProgramOrder(argv=argv, env=env, stdin_fd=stdin_fd, serves=True)
        return access.start(config, order, on_output)

    return McpServer(start=start)


def connect(config: SourceConfig, header: Api, access: ApiAccess) -> McpConnection:
    """A connection that starts the server with the first call."""
    return McpConnection(McpClient(server_of(config, access), timeout_s=config.timeout_s))


class McpConnection:
    """Calls tools of one server."""

    def __init__(self, client: McpClient) -> None:
        self._client = client

    async def call(self, operation: Operation, arguments: Mapping[str, Any]) -> CallOutcome:
        """
        Raises:
            ExecutionError: `api.mcp-tool` when the tool reports a failure.
        """
        values = {
            parameter.name: arguments[parameter.argument]
            for parameter in operation.parameters
            if parameter.argument in arguments
        }
        result = await self._client.call_tool(operation.original, values)
        data = _data_of(result)
        if result.get("isError"):
            raise ExecutionError(
                "api.mcp-tool",
                f"`{operation.name}` failed: {str(data)[:500]}",
                details={"answer": data},
            )
        return CallOutcome(status=200, data=data)

    async def close(self) -> None:
        await self._client.close()


def _data_of(result: Mapping[str, Any]) -> Any:
    """Structured content if there is any, else the texts, else the content blocks as they are."""
    if result.get("structuredContent") is not None:
        return result["structuredContent"]
    blocks = result.get("content") or []
    if all(isinstance(block, dict) and block.get("type") == "text" for block in blocks):
        return "\n".join(str(block.get("text", "")) for block in blocks)
    return blocks
