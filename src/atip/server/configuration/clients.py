"""Clients: where each MCP client keeps its servers, what our entry looks like there, and putting it in.

    (1) read the file in the syntax its client reads; a damaged one is refused, never repaired
    (2) change the text at one place only (`json_edit.py`, `toml_edit.py`)
    (3) parse the result: our entry is there, and nothing else is different – or nothing is written
    (4) keep a copy of the old file beside it, then replace the file atomically

Never starts a client and never deletes entries of others.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError, NotFoundError
from atip.model.value import Value
from atip.server.configuration.json_edit import put_value
from atip.server.configuration.settings_file import load_text, parse_settings, replace_text
from atip.server.configuration.toml_edit import put_table

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "atip"


class ClientConfig(Value):
    """Settings file of one client, and its form for a server."""

    name: str
    title: str
    user: str
    """File of the user, below the home directory."""
    apple: str = ""
    """The same on macOS, where it is another place."""
    project: str = ""
    """File of a project; empty: the client has none."""
    keys: tuple[str, ...] = ("mcpServers",)
    syntax: str = "json"
    """`json`, `jsonc` (comments are fine) or `toml`."""
    typed: bool = False
    """Whether an entry says `"type": "stdio"`."""
    joined: bool = False
    """Whether program and arguments are one list, and the entry says that it is local."""


CLIENTS = {
    client.name: client
    for client in (
        ClientConfig(
            name="claude-code",
            title="Claude Code",
            user=".claude.json",
            project=".mcp.json",
            typed=True,
        ),
        ClientConfig(
            name="claude-desktop",
            title="Claude Desktop",
            user=".config/Claude/claude_desktop_config.json",
            apple="Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ClientConfig(
            name="codex",
            title="Codex",
            user=".codex/config.toml",
            project=".codex/config.toml",
            keys=("mcp_servers",),
            syntax="toml",
        ),
        ClientConfig(
            name="gemini-cli",
            title="Gemini CLI",
            user=".gemini/settings.json",
            project=".gemini/settings.json",
            syntax="jsonc",
        ),
        ClientConfig(
            name="cursor", title="Cursor", user=".cursor/mcp.json", project=".cursor/mcp.json"
        ),
        ClientConfig(
            name="vscode",
            title="VS Code",
            user=".config/Code/User/mcp.json",
            apple="Library/Application Support/Code/User/mcp.json",
            project=".vscode/mcp.json",
            keys=("servers",),
            syntax="jsonc",
            typed=True,
        ),
        ClientConfig(
            name="opencode",
            title="opencode",
            user=".config/opencode/opencode.json",
            project="opencode.json",
            keys=("mcp",),
            syntax="jsonc",
            joined=True,
        ),
    )
}
_OTHER_NAMES = {
    "claude": "claude-code",
    "gemini": "gemini-cli",
    "code": "vscode",
    "vs-code": "vscode",
}


class ConfigChange(Value):
    """A written or planned change."""

    client: ClientConfig
    path: str
    entry: dict[str, Any]
    before: str | None
    """None: there is no file yet."""
    after: str

    @property
    def changes(self) -> bool:
        return self.before != self.after


def find_client(name: str) -> ClientConfig:
    """
    Raises:
        NotFoundError: `mcp.unknown-client`.
    """
    client = CLIENTS.get(_OTHER_NAMES.get(name, name))
    if client is None:
        from atip.model.shapes.shape import closest

        close = closest(name, [*CLIENTS, *_OTHER_NAMES])
        hint = f"did you mean `{close}`?" if close else "clients: " + ", ".join(CLIENTS)
        raise NotFoundError("mcp.unknown-client", f"unknown client `{name[:40]}`", hint=hint)
    return client


def place_of(client: ClientConfig, *, home: str, cwd: str, project: bool, apple: bool) -> str:
    """The file of a client.

    Raises:
        NotFoundError: `mcp.no-project-file`.
    """
    if not project:
        return os.path.join(home, client.apple if apple and client.apple else client.user)
    if not client.project:
        raise NotFoundError("mcp.no-project-file", f"{client.title} has no project settings file")
    return os.path.join(cwd, client.project)


def entry_of(client: ClientConfig, command: str, args: Sequence[str]) -> dict[str, Any]:
    """Our entry as this client writes it."""
    if client.joined:
        return {"type": "local", "command": [command, *args], "enabled": True}
    entry: dict[str, Any] = {"command": command, "args": list(args)}
    return {"type": "stdio", **entry} if client.typed else entry


def fragment(client: ClientConfig, entry: dict[str, Any], name: str = NAME) -> str:
    """The entry as a document of its own, to be pasted."""
    if client.syntax == "toml":
        return put_table("", (*client.keys, name), entry)
    return put_value("", (*client.keys, name), entry)


def plan_change(
    client: ClientConfig, path: str, entry: dict[str, Any], name: str = NAME
) -> ConfigChange:
    """The text that the file would have.

    Raises:
        FormatError: `config.damaged` for a file that its client could not read either; `config.elsewhere`
            where the entry cannot be put in without touching something else.
    """
    before = load_text(path)
    old = parse_settings(before or "", client.syntax, path)  # (1)
    keys = (*client.keys, name)
    edit = put_table if client.syntax == "toml" else put_value
    expected = _with(old, keys, entry)
    after = (before or "") if old == expected else edit(before or "", keys, entry)  # (2)
    try:
        new = parse_settings(after, client.syntax, path)
    except FormatError:
        new = None
    if new != expected:  # (3)
        raise FormatError(
            "config.elsewhere",
            f"`{path}` has this entry in a form that cannot be edited without changing other entries",
            hint=f"edit the file by hand; `atip mcp config {client.name}` prints the entry",
        )
    return ConfigChange(client=client, path=path, entry=entry, before=before, after=after)


def write_change(change: ConfigChange) -> str | None:
    """Write it; returns the path of the copy of the old file, None where there was none.  # (4)

    Raises:
        AtipError: `file.unwritable`, `config.changed`.
    """
    return replace_text(change.path, change.before, change.after)


def _with(document: Any, keys: Sequence[str], entry: object) -> Any:
    """The document as it should be afterwards."""
    if not keys:
        return entry
    if not isinstance(document, dict):
        raise FormatError(
            "config.not-an-object", f"`{keys[0]}` cannot be added: its parent is not an object"
        )
    return {**document, keys[0]: _with(document.get(keys[0], {}), keys[1:], entry)}
