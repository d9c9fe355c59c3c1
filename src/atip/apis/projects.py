"""Find API documents, GraphQL schemas, MCP configurations and databases in a project, by reading files only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.apis.documents import read_document
from atip.codecs.apis.openapi import dialect_of
from atip.codecs.apis.openapi_parts import servers_of
from atip.errors import AtipError
from atip.model.reading.reader import read_json
from atip.model.text.identifiers import slug, unique
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_FILES = 5_000
MAX_DOCUMENT = 32_000_000
_SKIPPED = frozenset(
    {".git", "node_modules", ".venv", "venv", "__pycache__", "dist", "build", "target", "codegen"}
)
_HINTS = ("openapi", "swagger", "api")
_MCP_FILES = (
    ".mcp.json",
    "mcp.json",
    os.path.join(".vscode", "mcp.json"),
    os.path.join(".cursor", "mcp.json"),
)
_SQLITE = b"SQLite format 3\x00"


def find_sources(folder: str, env: Mapping[str, str]) -> dict[str, Any]:
    """A configuration with everything found. Credentials appear as names of variables only."""
    sources: dict[str, dict[str, Any]] = {}
    used_names: set[str] = set()
    for path in _files(folder):
        kind, settings = _read_candidate(folder, path)
        if kind:
            stem = os.path.basename(path).split(".")[0] or "source"
            name = unique(slug(stem, "source").replace("_", "-"), used_names)
            sources.setdefault(kind, {})[name] = settings
    for name, settings in _mcp_servers(folder):
        sources.setdefault("mcp", {})[unique(slug(name, "mcp").replace("_", "-"), used_names)] = (
            settings
        )
    if env.get("DATABASE_URL"):
        sources.setdefault("database", {})[unique("database", used_names)] = {
            "type": "database",
            "url": "${DATABASE_URL}",
        }
    return {"sources": sources, "outputDir": "./codegen"}


def _files(folder: str) -> Iterator[str]:
    count = 0
    for folder_path, folders, names in os.walk(folder):
        folders[:] = sorted(
            folder for folder in folders if folder not in _SKIPPED and folder[:1] != "."
        )
        for name in sorted(names):
            count += 1
            if count > MAX_FILES:
                return
            yield os.path.join(folder_path, name)


def _read_candidate(folder: str, path: str) -> tuple[str, dict[str, Any]]:
    name = os.path.basename(path).lower()
    relative = os.path.relpath(path, folder)
    if name.endswith((".graphql", ".graphqls", ".gql")):
        return _graphql(path, relative)
    if name.endswith((".db", ".sqlite", ".sqlite3")):
        return _sqlite(path, relative)
    if name.endswith((".json", ".yaml", ".yml")) and any(hint in name for hint in _HINTS):
        return _openapi(path, relative)
    return "", {}


def _openapi(path: str, relative: str) -> tuple[str, dict[str, Any]]:
    try:
        document = read_document(read_bytes(path, MAX_DOCUMENT))
    except (AtipError, OSError):
        return "", {}
    dialect = dialect_of(document)
    if not dialect:
        return "", {}
    settings: dict[str, Any] = {"type": "openapi", "spec": relative}
    servers = [server for server in servers_of(document, dialect) if server.startswith("https://")]
    if servers:
        settings["baseUrl"] = servers[0]
    return "openapi", settings


def _graphql(path: str, relative: str) -> tuple[str, dict[str, Any]]:
    try:
        text = read_bytes(path, MAX_DOCUMENT).decode("utf-8", "replace")
    except (AtipError, OSError):
        return "", {}
    if "type Query" not in text:
        return "", {}
    return "graphql", {"type": "graphql", "schema": relative, "endpoint": "${GRAPHQL_ENDPOINT}"}


def _sqlite(path: str, relative: str) -> tuple[str, dict[str, Any]]:
    with open(path, "rb") as file:
        if file.read(len(_SQLITE)) != _SQLITE:
            return "", {}
    return "database", {"type": "database", "url": f"sqlite:///{relative}"}


def _mcp_servers(folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in _MCP_FILES:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        try:
            document: Any = read_json(read_bytes(path, MAX_DOCUMENT))
        except AtipError:
            continue
        servers = document.get("mcpServers") or document.get("servers") or {}
        for server, settings in servers.items() if isinstance(servers, dict) else ():
            start_settings = {
                key: settings[key] for key in ("command", "args", "url") if key in settings
            }
            if start_settings:
                yield server, {"type": "mcp", **start_settings}
