"""Looking up: which file a name stands for, and what is known of that program. The one place where descriptions meet.

Curated facts are about a program, not about a name: for a file of that name that lies elsewhere they only warn.
"""

from __future__ import annotations

import os

from atip.errors import AtipError, FormatError, NotFoundError
from atip.model.effects import Effects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from atip.model.tool import Tool
    from atip.system.paths import Places

MAX_OVERRIDE = 4_000_000


DESCRIBED = ("override", "native", "shim")
"""Rungs whose descriptions are somebody's word on this program; all others were made from what we know anyway."""
_MANAGED = (
    "/.cargo/bin/", "/.rustup/", "/.nvm/", "/.volta/", "/.pyenv/", "/.asdf/", "/.local/share/mise/",
    "/.local/share/pipx/", "/.local/pipx/", "/go/bin/",
)  # fmt: skip
"""Below a home: where package managers install."""
_SYSTEM = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")


class Lookup:
    """What is known of programs by name, for one user in one directory: store ⊔ curated, danger wins, overrides as they
    are now. Scans nothing, asks nobody; each program is looked up once."""

    def __init__(self, places: Places, cwd: str = "") -> None:
        self._places = places
        self._cwd = cwd
        self._found: dict[str, Tool | None] = {}
        self._entry: Callable[[str], dict[str, Any] | None] | None = None

    def __call__(self, name: str) -> Tool | None:
        if name not in self._found:
            self._found[name] = self._look(name)
        return self._found[name]

    def entry(self, name: str) -> dict[str, Any] | None:
        """The store's entry; the index is read once."""
        if self._entry is None:
            from atip.registry.store import Store

            self._entry = Store(self._places).open_index()
        return self._entry(name)

    def document(self, name: str) -> dict[str, Any] | None:
        """Metadata as stored. What cannot be read says nothing: the tool is unknown, and unknown is never allowed."""
        entry = self.entry(name)
        if entry is None:
            return None
        from atip.registry.store import Store

        try:
            return Store(self._places).load_metadata(name, entry)
        except AtipError:
            return None

    def _look(self, name: str) -> Tool | None:
        from atip.knowledge.reading import load

        curated = load(name)
        entry = self.entry(name) if self.has_store() else None
        is_usual = _is_usual(name, entry, self._places.home, self._cwd)
        if curated is not None and not is_usual:
            curated = _unmarked(curated)
        own = (entry or {}).get("x-atip")
        rung = own.get("rung") if isinstance(own, dict) else None
        described = entry is not None and (curated is None or rung in DESCRIBED)
        document = self.document(name) if described else None
        found = curated if document is None else _merged(name, document, curated)
        return self._with_override(name, entry, found, is_usual)

    def has_store(self) -> bool:
        """Whether anything was ever stored."""
        return os.path.lexists(os.path.join(self._places.data, "registry.json"))

    def _with_override(
        self, name: str, entry: dict[str, Any] | None, tool: Tool | None, is_usual: bool
    ) -> Tool | None:
        """What is known with the user's override as it is now, not as it was when something was scanned. By digest it is about
        the recorded file; by name it is about the program of that name, not about a file elsewhere.

        Raises:
            FormatError: `override.invalid` or `format.…`: it cannot be read; nothing is known without it.
        """
        folder = os.path.join(self._places.config, "overrides")
        if not os.path.isdir(folder):
            return tool
        digest = str((entry or {}).get("hash", "")).removeprefix("sha256:")
        exact = os.path.join(folder, "sha256", f"{digest}.json")
        if entry is not None and os.path.isfile(exact):
            return _overridden(name, exact, tool, _is_recorded(entry, on_path(name)))
        named = os.path.join(folder, f"{name}.json")
        return _overridden(name, named, tool, is_usual) if os.path.isfile(named) else tool


def _overridden(name: str, path: str, tool: Tool | None, is_trusted: bool) -> Tool:
    from atip.calls.overrides import apply_override
    from atip.model.root import lift

    word = lift(_read_override(name, path))
    known = tool or word.replace(effects=Effects(), commands=None)
    return apply_override(known, word, is_trusted=is_trusted)


def _read_override(name: str, path: str) -> Tool:
    from atip.model.decode import decode
    from atip.model.reader import STORE, read_json
    from atip.system.files import read_bytes

    hint = "correct it, or remove it"
    try:
        value = read_json(read_bytes(path, MAX_OVERRIDE), STORE)
        if not isinstance(value, dict):
            raise FormatError("override.invalid", "it is not an object")
        return decode({"atip": {"version": "0.6"}, "version": "", **value, "name": name}).tool
    except FormatError as error:
        # SECURITY: nothing falls back to less; what the user said may be that it destroys.
        told = f"`{path}` cannot be used: {error.message}"
        raise FormatError("override.invalid", told, problems=error.problems, hint=hint) from error


def _merged(name: str, document: dict[str, Any], curated: Tool | None) -> Tool | None:
    from atip.model.decode import decode

    try:
        tool = decode({"atip": {"version": "0.6"}, "version": "", **document, "name": name}).tool
    except AtipError:
        return curated and _unmarked(curated)
    if curated is None:
        return tool
    from atip.inference.knowledge import merge_knowledge
    from atip.model.root import lift

    merged = merge_knowledge(lift(tool), curated)
    return merged if curated.own.get("curated") else _unmarked(merged)


def _unmarked(tool: Tool) -> Tool:
    """The same facts as a claim: they may raise effects and never lower them."""
    own = {key: value for key, value in tool.own.items() if key != "curated"}
    return tool.replace(extra={**tool.extra, "x-atip": own})


def _is_usual(name: str, entry: dict[str, Any] | None, home: str, cwd: str) -> bool:
    """Whether a file of this name is the program that curated facts are about: of the system, or where a package manager
    put it, as recorded. A file of that name elsewhere is whatever somebody put there. Nothing on the PATH: nothing runs."""
    path = on_path(name)
    if not path:
        return True
    real = os.path.realpath(path)
    if "/node_modules/.bin/" in path or _is_open(real):
        return False
    if not (_is_below(path, home) or _is_below(real, home) or _is_below(real, cwd)):
        return True
    if not any(part in real for part in _MANAGED):
        return False
    return _is_recorded(entry, path) if entry is not None else _shadows_nothing(name)


def _shadows_nothing(name: str) -> bool:
    """Whether a program that was never recorded takes no program of the system's name. SECURITY: a file `ls` among the programs
    of a package manager is not that manager's; a Python beside the system's is what version managers are for."""
    if name.startswith(("python", "pip")):
        return True
    return not any(os.path.lexists(os.path.join(folder, name)) for folder in _SYSTEM)


def _is_recorded(entry: dict[str, Any], path: str) -> bool:
    from atip.discovery.freshness import why_stale

    return entry.get("path") == path and why_stale(entry, dict) != "changed"


def _is_below(path: str, folder: str) -> bool:
    return len(folder) > 1 and path.startswith(f"{folder.rstrip('/')}/")


def _is_open(path: str) -> bool:
    """Whether anybody may put a file there."""
    try:
        return bool(os.stat(os.path.dirname(path)).st_mode & 0o002)
    except OSError:
        return True


def on_path(name: str) -> str:
    """The first file of this name on the PATH; what `shutil.which` finds, without what it imports."""
    if "\0" in name:
        return ""  # text that is only known when a line runs
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder or os.curdir, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return os.path.abspath(path)
    return ""


def find_known(places: Places, name: str, cwd: str = "") -> Tool | None:
    """What is known of one program; see `Lookup`."""
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
            f"no executable `{name[:80]}`",
            hint="give a name on the PATH or a path",
        )
    return os.path.realpath(path) if real else path
