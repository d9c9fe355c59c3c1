"""Configuration files of common MCP clients, and reading such a file safely.

Knows places and syntaxes, nothing of servers. A file is read in the syntax its client reads: comments
count as damage where the client would refuse them too. Nothing is ever written.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_BYTES = 32_000_000
"""Claude Code keeps its history in the same file."""

CONFIGURED = "configured"
"""The client of files that the user's own settings list."""

_JSON, _JSONC, _TOML = "json", "jsonc", "toml"
_APPLE = "Library/Application Support"
_USER_FILES = (
    # client, path below the home directory, syntax that this client reads
    ("claude-code", ".claude.json", _JSON),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", _JSON),
    ("claude-desktop", f"{_APPLE}/Claude/claude_desktop_config.json", _JSON),
    ("codex", ".codex/config.toml", _TOML),
    ("gemini-cli", ".gemini/settings.json", _JSONC),
    ("cursor", ".cursor/mcp.json", _JSON),
    ("vscode", ".config/Code/User/mcp.json", _JSONC),
    ("vscode", ".config/Code/User/settings.json", _JSONC),
    ("vscode", f"{_APPLE}/Code/User/mcp.json", _JSONC),
    ("vscode", f"{_APPLE}/Code/User/settings.json", _JSONC),
    ("opencode", ".config/opencode/opencode.json", _JSONC),
    ("opencode", ".config/opencode/opencode.jsonc", _JSONC),
    ("windsurf", ".codeium/windsurf/mcp_config.json", _JSON),
)
_PROJECT_FILES = (
    ("claude-code", ".mcp.json", _JSON),
    ("codex", ".codex/config.toml", _TOML),
    ("gemini-cli", ".gemini/settings.json", _JSONC),
    ("cursor", ".cursor/mcp.json", _JSON),
    ("vscode", ".vscode/mcp.json", _JSONC),
    ("opencode", "opencode.json", _JSONC),
    ("opencode", "opencode.jsonc", _JSONC),
)


def config_files(home: str, cwd: str, extra: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
    """Client, path, syntax and scope of every file to look at; most will not exist."""
    seen: set[str] = set()
    for client, relative, syntax in _USER_FILES:
        path = os.path.join(home, relative)
        seen.add(path)
        yield client, path, syntax, "user"
    for client, relative, syntax in _PROJECT_FILES:
        paths = _upward(relative, cwd, home)
        if paths is not None and paths not in seen:
            yield client, paths, syntax, "project"
    for path in extra:
        place = os.path.join(home, path[2:]) if path.startswith("~/") else path
        yield CONFIGURED, place, _TOML if place.endswith(".toml") else _JSONC, "user"


def _upward(relative: str, cwd: str, home: str) -> str | None:
    """The nearest such file at or above `cwd`, below the home directory or the root."""
    folder = os.path.abspath(cwd)
    while folder != home:
        candidate = os.path.join(folder, relative)
        if os.path.lexists(candidate):
            return candidate
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return None


class UnreadableConfig(Exception):
    """Why a file could not be read; reported, never passed on."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def load_config(path: str, syntax: str) -> object:
    """The content of a configuration as plain values, within limits.

    Raises:
        UnreadableConfig: with a stable code.
    """
    from atip.errors import AtipError
    from atip.system.files import read_bytes

    if not os.path.isabs(path):
        raise UnreadableConfig("mcp.relative-path", "not an absolute path")
    try:
        # SECURITY: a project may ship a FIFO or a device under this name; opening it would hang.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UnreadableConfig("mcp.not-a-file", "not a regular file")
        return _parse(read_bytes(path, MAX_BYTES), syntax)
    except OSError as error:
        raise UnreadableConfig("file.unreadable", error.strerror or "cannot be read") from error
    except AtipError as error:
        raise UnreadableConfig(error.code, error.message) from error


def _parse(data: bytes, syntax: str) -> object:
    from atip.model.reading.reader import ReadLimits, read_json, read_text

    limits = ReadLimits(max_bytes=MAX_BYTES, max_keys=100_000, max_items=5_000_000)
    if syntax == _JSON:
        return read_json(data, limits)
    text = read_text(data, limits)
    if syntax == _JSONC:
        from atip.discovery.mcp.json_comments import without_comments

        return read_json(without_comments(text).encode(), limits)
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableConfig("format.syntax", f"not TOML: {error}") from error
    except RecursionError as error:
        raise UnreadableConfig("format.too-deep", "nested too deeply") from error
