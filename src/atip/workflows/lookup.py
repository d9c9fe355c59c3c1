"""Look up which file a name refers to, and the metadata of that program. The only module that merges descriptions.

Curated facts are about a program, not about a name: for a file of that name in another place they only warn.
"""

from __future__ import annotations

import os

from atip.errors import AtipError, NotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from atip.model.tool import Tool
    from atip.system.paths import Places

DESCRIBED = ("override", "native", "shim")
"""Sources whose descriptions come from the program's author or the user; all others are derived from curated knowledge."""
_MANAGED = (
    "/.cargo/bin/", "/.rustup/", "/.nvm/", "/.volta/", "/.pyenv/", "/.asdf/", "/.local/share/mise/",
    "/.local/share/pipx/", "/.local/pipx/", "/go/bin/",
)  # fmt: skip
"""Below a home: where package managers install."""
_SYSTEM = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")


class Lookup:
    """Metadata of programs by name, for one user in one directory: store ⊔ curated, danger wins, current overrides.
    Scans nothing, offline; each program is looked up once."""

    def __init__(self, places: Places, cwd: str = "") -> None:
        self._places = places
        self._cwd = cwd
        self._cache: dict[str, Tool | None] = {}
        self._entry: Callable[[str], dict[str, Any] | None] | None = None
        self._entries: dict[str, dict[str, Any] | None] = {}

    def __call__(self, name: str) -> Tool | None:
        if name not in self._cache:
            self._cache[name] = self._look(name)
        return self._cache[name]

    def entry(self, name: str) -> dict[str, Any] | None:
        """The store's entry; the index is read once."""
        if self._entry is None:
            from atip.registry.store import Store

            self._entry = Store(self._places).open_index()
        if name not in self._entries:
            self._entries[name] = self._entry(name)
        return self._entries[name]

    def document(self, name: str) -> dict[str, Any] | None:
        """Metadata as stored; None when it cannot be read: the tool is then unknown, and unknown is never allowed."""
        entry = self.entry(name)
        if entry is None:
            return None
        from atip.registry.store import Store

        try:
            return Store(self._places).load_metadata(name, entry)
        except AtipError:
            return None

    def _look(self, name: str) -> Tool | None:
        entry, curated, is_usual = self._find_curated(name)
        extension = (entry or {}).get("x-atip")
        source_kind = extension.get("rung") if isinstance(extension, dict) else None
        is_described = entry is not None and (
            curated is None or source_kind in DESCRIBED or _is_namesake(name, entry)
        )
        document = self.document(name) if is_described else None
        tool = curated if document is None else _merge(name, document, curated)
        return self._with_override(name, entry, tool, is_usual)

    def over(self, tool: Tool) -> Tool:
        """A description as the judge uses it: with curated facts and the user's override. Displayed metadata is made from
        this."""
        from atip.model.root import lift

        entry, curated, is_usual = self._find_curated(tool.name)
        merged = self._with_override(tool.name, entry, _join(lift(tool), curated), is_usual)
        return merged or tool

    def _find_curated(self, name: str) -> tuple[dict[str, Any] | None, Tool | None, bool]:
        """The store's entry, curated facts (as warnings for a file elsewhere and for a namesake), and whether the file has the
        usual place."""
        from atip.knowledge.reading import load

        entry = self.entry(name) if self.has_store() else None
        curated, is_usual = load(name), self._is_usual(name, entry)
        if curated is None or (is_usual and not _is_namesake(name, entry)):
            return entry, curated, is_usual
        from atip.inference.namesakes import as_warning

        return entry, as_warning(curated), is_usual

    def has_store(self) -> bool:
        """Whether anything was ever stored."""
        return os.path.lexists(os.path.join(self._places.data, "registry.json"))

    def _with_override(
        self, name: str, entry: dict[str, Any] | None, tool: Tool | None, is_usual: bool
    ) -> Tool | None:
        """Apply the user's current override, not the one at the time of the scan. By digest it applies to the recorded
        file; by name it applies to the program of that name, not to a file elsewhere.

        Raises:
            FormatError: `override.invalid` or `format.…`: it cannot be read; there is no fallback without it.
        """
        folder = os.path.join(self._places.config, "overrides")
        if not os.path.isdir(folder):
            return tool
        from atip.workflows.overrides import apply_override

        digest = str((entry or {}).get("hash", "")).removeprefix("sha256:")
        exact = os.path.join(folder, "sha256", f"{digest}.json")
        if entry is not None and os.path.isfile(exact):
            return apply_override(name, exact, tool, self._is_recorded(entry, on_path(name)))
        override_path = os.path.join(folder, f"{name}.json")
        return (
            apply_override(name, override_path, tool, is_usual)
            if os.path.isfile(override_path)
            else tool
        )

    def _is_usual(self, name: str, entry: dict[str, Any] | None) -> bool:
        """Whether a file of this name is the program that curated facts describe: a system file, or one that a package manager
        installed, as recorded. A file of that name elsewhere may be anything. True when nothing is on the PATH."""
        path = on_path(name)
        if not path:
            return True
        real = os.path.realpath(path)
        if "/node_modules/.bin/" in path or _is_open(real):
            return False
        home = self._places.home
        if not any(_is_below(*pair) for pair in ((path, home), (real, home), (real, self._cwd))):
            return True
        manager = _manager(real)
        if not manager:
            return False
        recorded = str((entry or {}).get("path", ""))
        if entry is None or (recorded != path and _manager(recorded) == manager):
            # never recorded, or beside the one that was: `~/.pyenv/shims` and `~/.pyenv/versions`
            return _shadows_nothing(name)
        return self._is_recorded(entry, path)

    def _is_recorded(self, entry: dict[str, Any], path: str) -> bool:
        """Whether a file has the recorded digest; hashed only if its status changed."""
        if entry.get("path") != path:
            return False
        from atip.system.file_digests import file_digest
        from atip.system.files import stat_key

        extension = entry.get("x-atip")
        try:
            if isinstance(extension, dict) and extension.get("stat") == [*stat_key(os.stat(path))]:
                return True
            digest_cache = os.path.join(self._places.data, "digests")
            return file_digest(path, digest_cache) == entry.get("hash")
        except (AtipError, OSError):
            return False


def _is_namesake(name: str, entry: dict[str, Any] | None) -> bool:
    """Whether the last scan found that the file is another program than the curated one (`discovery.sources.identity`)."""
    extension = (entry or {}).get("x-atip")
    is_recorded = isinstance(extension, dict) and extension.get("namesake") is True
    return is_recorded and entry is not None and entry.get("path") == on_path(name)


def _merge(name: str, document: dict[str, Any], curated: Tool | None) -> Tool | None:
    from atip.model.reading.decode import decode

    try:
        tool = decode({"atip": {"version": "0.6"}, "version": "", **document, "name": name}).tool
    except AtipError:
        from atip.inference.namesakes import as_claims

        return curated and as_claims(curated)
    if curated is None:
        return tool
    from atip.model.root import lift

    return _join(lift(tool), curated)


def _join(tool: Tool, curated: Tool | None) -> Tool:
    if curated is None:
        return tool
    from atip.inference.knowledge import merge_knowledge
    from atip.inference.namesakes import as_claims

    merged = merge_knowledge(tool, curated)
    return merged if curated.own.get("curated") else as_claims(merged)


def _shadows_nothing(name: str) -> bool:
    """Whether a program that was never recorded does not have the name of a system program. SECURITY: a file `ls` among the programs
    of a package manager is not that manager's; a Python beside the system's is what version managers are for."""
    if name.startswith(("python", "pip")):
        return True
    return not any(os.path.lexists(os.path.join(folder, name)) for folder in _SYSTEM)


def _manager(path: str) -> str:
    """The package manager's folder that contains a file; empty: none."""
    return next((part for part in _MANAGED if part in path), "")


def _is_below(path: str, folder: str) -> bool:
    return len(folder) > 1 and path.startswith(f"{folder.rstrip('/')}/")


def _is_open(path: str) -> bool:
    """Whether other users can write there."""
    try:
        return bool(os.stat(os.path.dirname(path)).st_mode & 0o002)
    except OSError:
        return True


def on_path(name: str) -> str:
    """The first file of this name on the PATH; like `shutil.which`, without its imports."""
    if "\0" in name:
        return ""  # text that is only known when a line runs
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder or os.curdir, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return os.path.abspath(path)
    return ""


def look_up_tool(places: Places, name: str, cwd: str = "") -> Tool | None:
    """Metadata of one program, or None; see `Lookup`."""
    return Lookup(places, cwd)(name)


def locate(name: str, *, real: bool = True) -> str:
    """The absolute path of a tool given by name or path; `real` resolves links.

    Raises:
        NotFoundError: `tool.not-found`.
    """
    if os.sep in name:
        path = os.path.abspath(name)
    else:
        path = on_path(name)
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise NotFoundError(
            "tool.not-found",
            f"no executable `{(path if os.sep in name else name)[-200:]}`",
            hint="give a name on the PATH or a path",
        )
    return os.path.realpath(path) if real else path
