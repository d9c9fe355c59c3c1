"""The rungs that execute nothing: native answers had in this scan, shims on disk, overrides.

Rungs of inference are in their own files. Every asker returns a Tool or None; a damaged file is
None and a warning, never an exception that stops a scan.
"""

from __future__ import annotations

import json
import os

from atip.errors import AtipError
from atip.model.decode import decode
from atip.model.reader import STORE
from atip.system.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from atip.discovery.ladder import Subject
    from atip.model.tool import Tool

    class RemoteShim(Protocol):
        """What `registry.shim_check.Shim` offers."""

        @property
        def tool(self) -> Tool: ...
        @property
        def registry(self) -> str: ...
        @property
        def signer(self) -> str: ...


MAX_SHIM = 2_000_000


class NativeAsker:
    """What the tool itself answered in this scan."""

    rung = "native"
    executes = False

    def ask(self, subject: Subject) -> Tool | None:
        return subject.known_native


class ShimFolderAsker:
    """Shims by digest, then by name (0.1), in folders of the user, the system or the project.

    With `is_signed` only those whose `.bundle` beside them passes: system-wide shims that are not signed rank lower (0.1
    §5.1), so the folder is asked twice, the second time after everybody who proves more.
    """

    rung = "shim"
    executes = False

    def __init__(
        self, folders: Sequence[str], is_signed: Callable[[bytes, bytes], bool] | None = None
    ) -> None:
        self._is_signed = is_signed
        self._files = {
            f"{kind}/{entry}": f"{folder}/{kind}/{entry}"
            for folder in reversed(folders)  # the first folder wins
            for kind in ("tools", "shims", "shims/sha256")
            for entry in _names(f"{folder}/{kind}")
        }

    def ask(self, subject: Subject) -> Tool | None:
        bare = subject.digest.removeprefix("sha256:")
        for name in (
            f"shims/sha256/{bare}.json",
            f"shims/{subject.name}.json",
            f"tools/{subject.name}.json",
        ):
            path = self._files.get(name)
            tool = load_tool(path) if path and self._counts(path) else None
            if tool is None or (tool.trust is not None and tool.trust.source == "inferred"):
                continue
            if origin_of(tool):
                continue  # a copy of what a registry said: the registry itself is asked, or its cache
            if tool.binary is None or tool.binary.hash in (None, subject.digest):
                return tool.replace(name=subject.name)
        return None

    def _counts(self, path: str) -> bool:
        if self._is_signed is None:
            return True
        try:
            return self._is_signed(
                read_bytes(path, MAX_SHIM), read_bytes(f"{path}.bundle", MAX_SHIM)
            )
        except AtipError:
            return False


class RegistryAsker:
    """Shims by digest from remote registries, verified there; `find` is `registry.remotes.RemoteShims.find_or_warn`."""

    rung = "shim"
    executes = False

    def __init__(self, find: Callable[[str, str, bool], RemoteShim | None], home: str) -> None:
        self._find = find
        self._home = home

    def ask(self, subject: Subject) -> Tool | None:
        found = self._find(subject.digest, subject.name, is_private(subject.real_path, self._home))
        if found is None:
            return None
        own = {"registry": found.registry, **({"signer": found.signer} if found.signer else {})}
        before = found.tool.extra.get("x-atip")
        merged = {**before, **own} if isinstance(before, dict) else own
        return found.tool.replace(name=subject.name, extra={**found.tool.extra, "x-atip": merged})


def is_private(path: str, home: str) -> bool:
    """Whether a file is the user's own; its hash is not sent to those who do not know it."""
    return path.startswith(home.rstrip("/") + "/")


def origin_of(tool: Tool) -> str:
    """The registry that a stored description came from; empty when it came from none."""
    own = tool.extra.get("x-atip")
    return str(own.get("registry", "")) if isinstance(own, dict) else ""


class OverrideAsker:
    """The user's own word: `overrides/sha256/<hex>.json`, then `overrides/<name>.json`.

    A whole document replaces; a partial one is merged by `apply_override` after the ladder.
    """

    rung = "override"
    executes = False

    def __init__(self, config: str) -> None:
        self._folder = os.path.join(config, "overrides")
        self._is_there = os.path.isdir(self._folder)

    def find(self, subject: Subject) -> dict[str, Any] | None:
        """The override as written, whole or partial."""
        if not self._is_there:
            return None
        bare = subject.digest.removeprefix("sha256:")
        for relative in (f"sha256/{bare}.json", f"{subject.name}.json"):
            document = load_json(os.path.join(self._folder, relative))
            if isinstance(document, dict):
                return document
        return None

    def ask(self, subject: Subject) -> Tool | None:
        document = self.find(subject)
        if document is None or "atip" not in document:
            return None
        return decode({"name": subject.name, "version": "", **document}).tool.replace(
            name=subject.name
        )


def apply_override(tool: Tool, override: dict[str, Any]) -> Tool:
    """Merge a partial override over a tool: objects are merged, everything else is replaced."""
    from atip.model.encode import encode

    return decode(_merged(encode(tool), override)).tool


def _merged(under: Any, over: Any) -> Any:
    if isinstance(under, dict) and isinstance(over, dict):
        return {**under, **{key: _merged(under.get(key), value) for key, value in over.items()}}
    return over


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def load_tool(path: str) -> Tool | None:
    """A metadata file, or None when it is not there or cannot be read as one."""
    try:
        return decode(read_bytes(path, MAX_SHIM), limits=STORE).tool
    except AtipError:
        return None


def load_json(path: str) -> object:
    """A JSON file of the user's own, or None."""
    try:
        return json.loads(read_bytes(path, MAX_SHIM))
    except (AtipError, ValueError):
        return None
