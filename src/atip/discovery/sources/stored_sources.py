"""Sources that execute nothing: native answers of this scan, shims on disk, overrides.

Sources of inference are in their own files. Every source returns a Tool or None; a damaged file is
None and a warning, never an exception that stops a scan.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Protocol

from atip.errors import AtipError
from atip.model.reading.decode import decode
from atip.model.reading.reader import STORE
from atip.system.files import read_bytes, stamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Tool

    class RemoteShim(Protocol):
        """Interface of `registry.shims.check.CheckedShim`."""

        @property
        def tool(self) -> Tool: ...
        @property
        def registry(self) -> str: ...
        @property
        def signer(self) -> str: ...


MAX_SHIM = 2_000_000


class NativeSource:
    """Answer of the tool itself in this scan."""

    source_kind = "native"
    executes = False

    def ask(self, subject: ProbeSubject) -> Tool | None:
        return subject.known_native

    def fingerprint(self, subject: ProbeSubject) -> str:
        """Nothing: a program that has answered for this digest is not probed again."""
        return ""


class ShimFolderSource:
    """Shims by digest, then by name (0.1), in folders of the user, the system or the project.

    With `is_signed` only those whose `.bundle` beside them passes: system-wide shims that are not signed rank lower (0.1
    §5.1), so the folder is read twice, the second time after every source that proves more.
    """

    source_kind = "shim"
    executes = False

    def __init__(
        self,
        folders: Sequence[str],
        is_signed: Callable[[bytes, bytes], bool] | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """
        Args:
            tell: reports why a shim was refused.
        """
        self._folders = tuple(folders)
        self._is_signed = is_signed
        self._tell = tell
        self._files = {
            f"{kind}/{entry}": f"{folder}/{kind}/{entry}"
            for folder in reversed(folders)  # the first folder wins
            for kind in ("tools", "shims", "shims/sha256")
            for entry in _names(f"{folder}/{kind}")
        }

    def fingerprint(self, subject: ProbeSubject) -> str:
        """Size and time of every file that could answer."""
        names = _shim_names(subject)
        return " ".join(stamp_of(f"{folder}/{name}") for folder in self._folders for name in names)

    def ask(self, subject: ProbeSubject) -> Tool | None:
        for name in _shim_names(subject):
            path = self._files.get(name)
            tool = load_tool(path) if path and self._counts(path) else None
            if tool is None or (tool.trust is not None and tool.trust.source == "inferred"):
                continue
            if origin_of(tool):
                continue  # a copy of a registry's answer: query the registry itself, or its cache
            if tool.binary is None or tool.binary.hash in (None, subject.digest):
                return tool.replace(name=subject.name)
            if self._tell is not None and name.startswith("shims/sha256/"):
                self._tell(
                    f"refused: the shim `{path}` describes {tool.binary.hash}, not the binary of its name"
                    " [store.wrong-binary]; correct `binary.hash` or the file's name, or remove it"
                )
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


class RegistryShimSource:
    """Shims by digest from remote registries, verified there; `find` is `registry.remote.remotes.RemoteShims.find_or_warn`."""

    source_kind = "shim"
    executes = False

    def __init__(self, find: Callable[[str, str, bool], RemoteShim | None], home: str) -> None:
        self._find = find
        self._home = home

    def ask(self, subject: ProbeSubject) -> Tool | None:
        shim = self._find(subject.digest, subject.name, is_private(subject.real_path, self._home))
        if shim is None:
            return None
        origin = {"registry": shim.registry, **({"signer": shim.signer} if shim.signer else {})}
        before = shim.tool.extra.get("x-atip")
        merged = {**before, **origin} if isinstance(before, dict) else origin
        return shim.tool.replace(name=subject.name, extra={**shim.tool.extra, "x-atip": merged})


def is_private(path: str, home: str) -> bool:
    """Whether a file is the user's own; its hash is not sent to those who do not know it."""
    return path.startswith(home.rstrip("/") + "/")


def origin_of(tool: Tool) -> str:
    """The registry that a stored description came from; empty when it came from none."""
    extension = tool.extra.get("x-atip")
    return str(extension.get("registry", "")) if isinstance(extension, dict) else ""


class OverrideSource:
    """The user's own word: `overrides/sha256/<hex>.json`, then `overrides/<name>.json`.

    A whole document replaces; a partial one is merged by `apply_override` after all sources.
    """

    source_kind = "override"
    executes = False

    def __init__(self, config: str) -> None:
        self._folder = os.path.join(config, "overrides")
        self._is_there = os.path.isdir(self._folder)

    def find(self, subject: ProbeSubject) -> dict[str, Any] | None:
        """The override as written, whole or partial."""
        if not self._is_there:
            return None
        for relative in _override_names(subject):
            document = load_json(os.path.join(self._folder, relative))
            if isinstance(document, dict):
                return document
        return None

    def fingerprint(self, subject: ProbeSubject) -> str:
        """Size and time of the files that could answer; empty without any override."""
        if not self._is_there:
            return ""
        names = _override_names(subject)
        return " ".join(stamp_of(os.path.join(self._folder, name)) for name in names)

    def ask(self, subject: ProbeSubject) -> Tool | None:
        document = self.find(subject)
        if document is None or "atip" not in document:
            return None
        return decode({"name": subject.name, "version": "", **document}).tool.replace(
            name=subject.name
        )


def apply_override(tool: Tool, override: dict[str, Any]) -> Tool:
    """Merge a partial override over a tool: objects are merged, everything else is replaced."""
    from atip.model.reading.encode import encode

    return decode(_merge(encode(tool), override)).tool


def _merge(under: Any, over: Any) -> Any:
    if isinstance(under, dict) and isinstance(over, dict):
        return {**under, **{key: _merge(under.get(key), value) for key, value in over.items()}}
    return over


def _override_names(subject: ProbeSubject) -> tuple[str, str]:
    return f"sha256/{subject.digest.removeprefix('sha256:')}.json", f"{subject.name}.json"


def _shim_names(subject: ProbeSubject) -> tuple[str, str, str]:
    digits = subject.digest.removeprefix("sha256:")
    return (
        f"shims/sha256/{digits}.json",
        f"shims/{subject.name}.json",
        f"tools/{subject.name}.json",
    )


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
