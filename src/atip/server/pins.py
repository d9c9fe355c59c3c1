"""Pins: the description of each command as models saw it; a change needs the user's approval.

The text of a command is pinned when it is first shown. A tool whose text changes later (a rug pull) is not shown and
not run until the user approves the difference: through the client, or with `atip mcp approve`. The pin covers the
tool's own document, without our knowledge and evidence, so that an update of ours changes no pin.
Kept in the user's configuration, which no confined program can write. Defends against threats 5 and 24 of conformance/threats.toml.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.calls.names import function_name
from atip.errors import AtipError, NeedsConfirmation
from atip.execution.output.result import clean_output
from atip.system import files
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.calls.functions import Function

FOLDER = "mcp-pins"
MAX_BYTES = 512_000
MAX_SHOWN = 24
NEW, SAME, CHANGED = "new", "same", "changed"


def text_of(document: Mapping[str, Any], path: Sequence[str]) -> str:
    """A tool's description of one command: its own node and everything inherited."""
    parts: list[Any] = [
        {key: document.get(key) for key in ("name", "description", "globalOptions", "effects")}
    ]
    commands = document.get("commands")
    if not path:
        parts.append({key: document.get(key) for key in ("arguments", "options", "examples")})
    for word in (*path, ""):
        node = commands.get(word) if isinstance(commands, dict) else None
        if not isinstance(node, dict):
            break
        parts.append({key: value for key, value in node.items() if key != "commands"})
        commands = node.get("commands")
    text = json.dumps(_without_evidence(parts), ensure_ascii=False, indent=1, sort_keys=True)
    return text if len(text) < MAX_BYTES // 4 else f"sha256 {sha256_hex(text.encode())}"


def _without_evidence(value: Any) -> Any:
    if isinstance(value, dict):
        fields = {
            key: _without_evidence(child)
            for key, child in value.items()
            if key != "evidence" and child is not None
        }
        return {key: child for key, child in fields.items() if key != "x-atip" or child}
    return [_without_evidence(child) for child in value] if isinstance(value, list) else value


class Pins:
    """The pins of one user."""

    def __init__(self, config: str) -> None:
        self.folder = os.path.join(config, FOLDER)
        self._memory: dict[str, str] = {}

    def state(self, function: Function, document: Mapping[str, Any]) -> str:
        """`new`, `same` or `changed`."""
        pinned = self.find(function)
        if pinned is None:
            return NEW
        return SAME if pinned == text_of(document, function.path) else CHANGED

    def find(self, function: Function) -> str | None:
        """The pinned text, or None.

        Raises:
            AtipError: `pins.unsafe-file` when it is writable by other users.
        """
        path = self._path(function)
        if not os.path.exists(path):
            return self._memory.get(function.name)
        data = files.read_bytes(path, MAX_BYTES)
        status = os.stat(path)
        # SECURITY: a process that can write a pin can make a poisoned text look approved.
        if status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
            raise AtipError(
                "pins.unsafe-file",
                f"`{path}` is writable by other users",
                hint=f"chmod go-w {path}",
            )
        return data.decode("utf-8", "surrogateescape")

    def put(self, function: Function, document: Mapping[str, Any]) -> None:
        """Pin the current text; if the file cannot be written, only for this process."""
        text = text_of(document, function.path)
        self._memory[function.name] = text
        self._write(self._path(function), text)

    def _write(self, path: str, text: str) -> None:
        try:
            files.make_private(os.path.dirname(path))
            files.write_atomic(path, text.encode("utf-8", "surrogateescape"), durable=False)
        except AtipError as error:
            if error.code == "file.unsafe-directory":
                raise

    def knows(self, tool: str) -> bool:
        """Whether anything of this tool was shown before."""
        return os.path.isdir(os.path.join(self.folder, function_name(tool, ())))

    def begin(self, target: str) -> bool:
        """Whether a target is published for the first time; the next time it is not."""
        name = f"published-{sha256_hex(target.encode('utf-8', 'surrogateescape'))[:32]}"
        path = os.path.join(self.folder, name)
        if name in self._memory or os.path.exists(path):
            return False
        self._memory[name] = target
        self._write(path, target)
        return True

    def difference(self, function: Function, document: Mapping[str, Any]) -> str:
        """The changes for display: removed and added lines, cleaned and truncated."""
        import difflib

        old = (self.find(function) or "").splitlines()
        new = text_of(document, function.path).splitlines()
        changed = [
            clean_output(line[:200])
            for line in difflib.unified_diff(old, new, lineterm="", n=0)
            if not line.startswith(("---", "+++", "@@"))
        ]
        if len(changed) > MAX_SHOWN:
            changed = [*changed[:MAX_SHOWN], f"… and {len(changed) - MAX_SHOWN} more lines"]
        return "\n".join(changed)

    def _path(self, function: Function) -> str:
        # Names of functions hold nothing but letters, digits, `_` and `-`.
        tool = function_name(function.tool.name, ())
        return os.path.join(self.folder, tool, function.name + ".json")


def approval_needed(function: Function) -> NeedsConfirmation:
    """The error for a command whose text changed where no prompt is possible."""
    return NeedsConfirmation(
        "mcp.approval-needed",
        f"the description of `{function.line}` changed since models saw it",
        hint=f"the user can review it: `atip mcp approve {function.line}`",
    )
