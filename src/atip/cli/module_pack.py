"""Compiled modules in one file: start-up opens one file instead of two hundred.

Python looks for, opens and checks one `.pyc` file per module. For the verbs that coding agents call for every command this
costs more than their work. The pack has the same code and is stored beside those files with the same permissions, so
it adds no trust beyond Python's own. A module whose source has changed is not loaded from it. The pack is a cache: it
may be deleted at any time, and a read-only installation works without it.
See `docs/decisions/0013-module-pack.md`.
"""

from __future__ import annotations

import marshal
import os
import sys

import atip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Any

    Stamp = tuple[str, bool, int, int]
    """Source path; whether it is a package; mtime (ns) and size of the source."""
    Entry = tuple[Stamp, int, int]
    """Stamp; offset and length of the code."""

VERBS = ("run", "explain", "guard", "show", "list", "search")
"""Only modules that these verbs load are packed, since every call reads the index."""
_PYC_HEADER = 16
_COMPILED = f".{sys.implementation.cache_tag}{f'.opt-{sys.flags.optimize}' if sys.flags.optimize else ''}.pyc"
_FORMAT = f"2 {sys.version}"
"""Format version of the pack, and the interpreter."""
_SPEC = atip.__spec__
_LOADER: Any = type(_SPEC.loader) if _SPEC is not None else object


class PackedLoader(_LOADER):  # type: ignore[misc]
    """Python's own loader of source files, with preloaded code."""

    def __init__(self, name: str, path: str, code: bytes) -> None:
        super().__init__(name, path)
        self._packed = code

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = marshal.loads(self._packed)  # noqa: S302 - as `.pyc` files are
        return code


class PackFinder:
    """Finds modules in the pack; first in `sys.meta_path`, leaves all others to the finders after it."""

    def __init__(self, path: str, roots: Sequence[str]) -> None:
        """
        Args:
            roots: folders whose modules are packed: ours, and those of the standard library.
        """
        self.path = path
        self._roots = tuple(f"{root}/" for root in roots)
        self._file = -1
        self._start = 0
        self.index: dict[str, Entry] = {}
        self._before = frozenset[str]()

    def read(self) -> None:
        """Read the index; a pack of another interpreter, or a damaged one, counts as empty."""
        self._before = frozenset(sys.modules)
        try:
            self._file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            length = int.from_bytes(os.read(self._file, 8), "little")
            version, index = marshal.loads(os.read(self._file, length))  # noqa: S302
        except (OSError, ValueError, EOFError, TypeError, OverflowError, MemoryError):
            return
        if version == _FORMAT:
            self._start, self.index = 8 + length, index

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The spec of a packed module; None: not in the pack."""
        entry = self.index.get(name)
        if entry is None:
            return None
        source, is_package, *stamp = entry[0]
        try:
            status = os.stat(source)
        except OSError:
            return None
        if [status.st_mtime_ns, status.st_size] != stamp or not source.startswith(self._roots):
            return None
        loader = PackedLoader(name, source, self.code(entry))
        spec: ModuleSpec = type(_SPEC)(name, loader, origin=source, is_package=is_package)
        spec.has_location = True
        if sys.pycache_prefix is None:  # said here, or Python works it out slowly for each module
            folder, _, file = source.rpartition("/")
            spec.cached = f"{folder}/__pycache__/{file[:-3]}{_COMPILED}"
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(source)]
        return spec

    def code(self, entry: Entry) -> bytes:
        return os.pread(self._file, entry[2], self._start + entry[1])

    def update(self) -> None:
        """Add modules that this process loaded from separate files."""
        new = {
            name: compiled
            for name, module in sys.modules.items()
            if name not in self._before
            and (compiled := _find_compiled(module)) is not None
            and compiled[0][0].startswith(self._roots)
        }
        if not new or sys.dont_write_bytecode:
            return
        current = {
            name: (entry[0], self.code(entry))
            for name, entry in self.index.items()
            if name not in new
        }
        try:
            _write(self.path, {**current, **new})
        except OSError:
            return


def install() -> PackFinder | None:
    """Load our modules from the pack from now on; None: this package was not loaded from source files."""
    cached: str = getattr(atip, "__cached__", None) or ""
    if not cached or not hasattr(_LOADER, "path_stats") or _LOADER.__name__ != "SourceFileLoader":
        return None
    folder, name = os.path.split(cached)
    path = os.path.join(folder, f"{name.replace('__init__', 'modules', 1)}.pack")
    pack = PackFinder(path, (atip.__path__[0], os.path.dirname(os.__file__)))
    pack.read()
    sys.meta_path.insert(0, pack)
    return pack


def _find_compiled(module: ModuleType) -> tuple[Stamp, bytes] | None:
    """Stamp and code of a module loaded from a `.pyc` file; None: loaded otherwise, or changed since."""
    loader: Any = getattr(module, "__loader__", None)
    cached: str = getattr(module, "__cached__", None) or ""
    if type(loader) is not _LOADER or not cached:
        return None
    try:
        status = os.stat(loader.path)
        with open(cached, "rb") as compiled:
            data = compiled.read()
    except OSError:
        return None
    expected = (int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
    recorded = tuple(int.from_bytes(data[at : at + 4], "little") for at in (8, 12))
    # by time and size, as Python compares them; a file that is checked by its hash is left alone
    if data[4:8] != bytes(4) or recorded != expected:
        return None
    stamp = (loader.path, hasattr(module, "__path__"), status.st_mtime_ns, status.st_size)
    return stamp, data[_PYC_HEADER:]


def _write(path: str, modules: dict[str, tuple[Stamp, bytes]]) -> None:
    index: dict[str, Entry] = {}
    at = 0
    for name, (stamp, code) in modules.items():
        index[name] = (stamp, at, len(code))
        at += len(code)
    head = marshal.dumps((_FORMAT, index))
    temporary = f"{path}.{os.getpid()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        with open(handle, "wb") as file:
            file.write(len(head).to_bytes(8, "little") + head)
            file.writelines(code for _, code in modules.values())
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
