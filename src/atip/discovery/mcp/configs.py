"""MCP servers that this user's clients know: read from their configurations, never started, never rewritten.

The last source of tools (ATIP 0.1 §3.4.1 step 5, A50). Listing is all that happens here; starting a server
listing its tools is an explicit act elsewhere. A damaged file is a problem to report, not an error:
another program's configuration must not stop ours. Values of environment variables and headers are dropped.
"""

from __future__ import annotations

import os

from atip.discovery.mcp.files import CONFIGURED, UnreadableConfig, config_files, load_config
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from atip.system.paths import Places

MAX_SERVERS = 500
MAX_TEXT = 4_096

_TABLES = (("mcpServers",), ("servers",), ("mcp", "servers"), ("mcp_servers",))
"""Paths of the servers in a document; the first that exists counts."""
_TRANSPORTS = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "sse": "sse",
    "local": "stdio",
    "remote": "http",
}


class ConfiguredMcpServer(Value):
    """One configured server: known, not started."""

    client: str
    """Program whose configuration names it; `configured` for files that the user's settings list."""
    name: str
    transport: str = "stdio"
    """`stdio`, `http`, `sse`, or `unknown`."""
    command: str | None = None
    args: tuple[str, ...] = ()
    """As written, for the one who starts it; `to_json` hides what looks like a secret."""
    url: str | None = None
    env: tuple[str, ...] = ()
    """Names of the variables it is given or reads; never their values."""
    path: str
    """The file that configures it."""
    scope: str = "user"
    """`user` or `project`: a project's file comes with its sources and is not trusted."""
    enabled: bool = True

    def to_json(self) -> dict[str, object]:
        """JSON for display: without secrets from arguments or addresses."""
        document: dict[str, object] = {
            "client": self.client,
            "name": self.name,
            "transport": self.transport,
            "scope": self.scope,
            "path": self.path,
        }
        if self.command is not None:
            document["command"] = self.command
        if self.args:
            document["args"] = _without_secrets(self.args)
        if self.url is not None:
            document["url"] = _without_login(self.url)
        if self.env:
            document["env"] = list(self.env)
        if not self.enabled:
            document["enabled"] = False
        return document


class McpProblem(Value):
    """A file, or an entry of it, that could not be used."""

    path: str
    code: str
    message: str

    def to_json(self) -> dict[str, str]:
        return {"path": self.path, "code": self.code, "message": self.message}


class McpConfigs(Value):
    """Servers and problems of all files."""

    servers: tuple[ConfiguredMcpServer, ...] = ()
    problems: tuple[McpProblem, ...] = ()


def read_mcp_configs(places: Places, cwd: str, extra: Sequence[str] = ()) -> McpConfigs:
    """Read every configuration that exists: the user's, the project's around `cwd`, and `extra`."""
    servers: list[ConfiguredMcpServer] = []
    problems: list[McpProblem] = []
    for client, path, syntax, scope in config_files(places.home, cwd, extra):
        if client != CONFIGURED and not os.path.lexists(path):
            continue
        try:
            document = load_config(path, syntax)
        except UnreadableConfig as error:
            problems.append(McpProblem(path=path, code=error.code, message=error.message))
            continue
        for table in _tables(document, client, cwd):
            _read_table(table, client, path, scope, servers, problems)
    return McpConfigs(servers=tuple(servers), problems=tuple(problems))


def _tables(document: object, client: str, cwd: str) -> Iterator[object]:
    """Every table of servers in a document."""
    for keys in _TABLES:
        value = document
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            yield value
            break
    if client == "opencode" and isinstance(document, dict) and "mcp" in document:
        yield _split_commands(document["mcp"])
    projects = document.get("projects") if isinstance(document, dict) else None
    if client == "claude-code" and isinstance(projects, dict):
        # Servers that Claude Code keeps for one project, in the user's own file.
        for folder, entry in projects.items():
            if _is_around(folder, cwd) and isinstance(entry, dict) and entry.get("mcpServers"):
                yield entry["mcpServers"]


def _split_commands(table: object) -> object:
    """As other clients write it: opencode keeps program and arguments in one list, and variables under another name."""
    if not isinstance(table, dict):
        return table
    entries = {}
    for name, entry in table.items():
        entries[name] = entry
        words = entry.get("command") if isinstance(entry, dict) else None
        if isinstance(words, list) and words:
            entries[name] = {**entry, "command": words[0], "args": words[1:], "env": entry.get("environment")}  # fmt: skip
    return entries


def _is_around(folder: str, cwd: str) -> bool:
    place = os.path.abspath(cwd)
    return place == folder or place.startswith(folder.rstrip("/") + "/")


def _read_table(
    table: object,
    client: str,
    path: str,
    scope: str,
    servers: list[ConfiguredMcpServer],
    problems: list[McpProblem],
) -> None:
    if not isinstance(table, dict):
        problems.append(McpProblem(path=path, code="mcp.table", message="servers are no object"))
        return
    for name, entry in list(table.items())[:MAX_SERVERS]:
        reason = _why_unusable(name, entry)
        if reason:
            message = f"server `{name[:80]}`: {reason}"
            problems.append(McpProblem(path=path, code="mcp.entry", message=message))
        else:
            servers.append(_server(client, name, entry, path, scope))
    if len(table) > MAX_SERVERS:
        message = f"more than {MAX_SERVERS} servers; the rest is not listed"
        problems.append(McpProblem(path=path, code="mcp.too-many", message=message))


def _why_unusable(name: str, entry: Any) -> str:
    if not name or len(name) > 200 or not name.isprintable():
        return "the name is not printable text"
    if not isinstance(entry, dict):
        return "not an object"
    for field in ("command", "url", "httpUrl", "serverUrl"):
        if field in entry and not (isinstance(entry[field], str) and len(entry[field]) <= MAX_TEXT):
            return f"`{field}` is not a string of at most {MAX_TEXT} characters"
    args = entry.get("args", [])
    if not isinstance(args, list) or not all(isinstance(argument, str) for argument in args):
        return "`args` is not a list of strings"
    if not any(entry.get(field) for field in ("command", "url", "httpUrl", "serverUrl")):
        return "neither `command` nor `url`"
    return ""


def _server(
    client: str, name: str, entry: dict[str, Any], path: str, scope: str
) -> ConfiguredMcpServer:
    url = entry.get("httpUrl") or entry.get("url") or entry.get("serverUrl")
    command = entry.get("command")
    declared = entry.get("type", entry.get("transport"))
    if isinstance(declared, str):
        transport = _TRANSPORTS.get(declared, "unknown")
    elif command:
        transport = "stdio"
    else:
        transport = "sse" if client == "gemini-cli" and not entry.get("httpUrl") else "http"
    return ConfiguredMcpServer(
        client=client,
        name=name,
        transport=transport,
        command=command,
        args=tuple(entry.get("args", ())),
        url=url,
        env=_variables(entry),
        path=path,
        scope=scope,
        enabled=entry.get("enabled") is not False and entry.get("disabled") is not True,
    )


def _variables(entry: dict[str, Any]) -> tuple[str, ...]:
    """Names only. SECURITY: the values beside them are tokens."""
    names: list[str] = []
    for field in ("env", "env_vars", "bearer_token_env_var", "env_http_headers"):
        value = entry.get(field)
        if isinstance(value, dict):
            names += value.values() if field == "env_http_headers" else value
        elif isinstance(value, list):
            names += value
        elif value is not None:
            names.append(value)
    valid = (name for name in names if isinstance(name, str) and len(name) <= 200)
    return tuple(dict.fromkeys(name for name in valid if name.isprintable()))


def _without_secrets(args: tuple[str, ...]) -> list[str]:
    from atip.discovery.mcp.secrets import hide_secrets

    return hide_secrets(args)


def _without_login(url: str) -> str:
    from atip.discovery.mcp.secrets import hide_login

    return hide_login(url)
