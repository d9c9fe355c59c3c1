"""Searchable sources: the store's tools (programs, synced APIs), CMP folders and installed bundles.

Each has a name in the index and a stamp that changes when it changes; only what changed is read again. Names:
`git`, `petstore-api`, `email/inboxd` (CMP), `bundle:jq@1` (AIP-29). A source that cannot be read is left out here;
its own verbs say what is wrong with it. See docs/architecture.md "Search".
"""

from __future__ import annotations

import os

from atip.discovery.cmp import tools as cmp_tools
from atip.errors import AtipError
from atip.model.reading.branch import OVERVIEW
from atip.model.reading.decode import decode_tool
from atip.search.upkeep import open_index
from atip.system.digests import sha256_hex
from atip.version import __version__
from atip.workflows.cmp.places import cmp_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from atip.bundles.documents.intents import BundleIntent
    from atip.model.tool import Tool
    from atip.search.index import SearchHit, SearchIndex
    from atip.workflows.host import Host
    from atip.workflows.lookup import Lookup

BUNDLE = "bundle:"
MAX_FILES = 500
"""Files of a bundle whose times count."""


def is_cmp(name: str) -> bool:
    """Whether a name in the index is that of a CMP tool."""
    return "/" in name and not name.startswith(BUNDLE)


class Sources:
    """All searchable entries of one user."""

    def __init__(self, host: Host) -> None:
        self._host = host
        stored = host.store.load_index()
        self._entries: dict[str, dict[str, Any]] = stored["tools"]
        self._folders = {f.path: f for f in cmp_tools.folders(cmp_places(host))}
        self._marks = {path: cmp_tools.stamp_of(f) for path, f in self._folders.items()}
        self._others = dict(_bundles(host))
        self._overrides = _overrides(host)
        reported = (
            __version__,
            sorted(self._overrides.items()),
            # a store that was never written is always "updated" now
            (stored["_stamp"], stored.get("updated")) if stored.get("_stamp") else None,
            sorted(self._marks.items()),
            sorted(self._others.items()),
        )
        self._stamp = sha256_hex(repr(reported).encode("utf-8", "surrogateescape"))
        self._lookup: Lookup | None = None
        self._cmp: dict[str, cmp_tools.CmpTool] = {}
        self._read: dict[tuple[str, ...], dict[str, Any]] = {}

    def index(self, progress: Callable[[str, int, int], None] | None = None) -> SearchIndex:
        """The index of all of it, up to date."""
        return open_index(self._host.places.data, self._stamp, self._current, self._load, progress)

    def is_available(self, name: str) -> bool:
        """Whether the program of a tool is there; APIs and installed bundles always are."""
        entry = self._entries.get(name)
        if entry is not None:
            if (entry.get("x-atip") or {}).get("rung") == "api":
                return True
            return os.access(str(entry.get("path", "")), os.X_OK)
        tool = self._read_cmp().get(name)
        if tool is not None:
            return cmp_tools.find_program(tool, os.environ.get("PATH", "")) is not None
        return name in self._others

    def options_of(self, hit: SearchHit) -> list[dict[str, Any]] | None:
        """The options of a command as stored; None where there are none, or it is not in the store."""
        try:
            node: Any = self._document(hit.tool, hit.path[:1] or OVERVIEW)
        except AtipError:
            return None  # `show` reports the problem
        # where a tool has commands, its own options are those of the command without a name
        for name in hit.path or ("",) * _has_nameless(node):
            commands = node.get("commands") if isinstance(node, dict) else None
            node = commands.get(name) if isinstance(commands, dict) else None
        options = node.get("options") if isinstance(node, dict) else None
        return options if isinstance(options, list) else None

    def _document(self, name: str, words: Sequence[str]) -> dict[str, Any] | None:
        key = (name, *words)
        if name in self._entries and key not in self._read:
            self._read[key] = self._host.store.load_metadata(name, self._entries[name], words)
        return self._read.get(key)

    def _current(self) -> dict[str, str]:
        stamps = dict(self._others)
        for name, entry in self._entries.items():
            extension = entry.get("x-atip")
            state = extension.get("metadataHash") if isinstance(extension, dict) else None
            digest = str(entry.get("hash", "")).removeprefix("sha256:")
            word = self._overrides.get(name, "") + self._overrides.get(f"sha256/{digest}", "")
            stamps[name] = f"{__version__} {state or entry.get('hash')}{word}"
        for key, tool in self._read_cmp().items():
            # the path is kept with the state, so that a match can go straight to the folder
            stamps[key] = f"{self._marks.get(tool.folder.path, '')}\n{tool.folder.path}"
        return stamps

    def _read_cmp(self) -> dict[str, cmp_tools.CmpTool]:
        if self._folders and not self._cmp:
            tools = cmp_tools.manifests(cmp_places(self._host)).tools
            self._cmp = {tool.key: tool for tool in tools}
        return self._cmp

    def _load(self, name: str) -> Tool:
        tool = self._cmp.get(name)
        if tool is not None:
            return cmp_tools.capability(tool.folder).tool
        if name.startswith(BUNDLE):
            return _load_bundle(self._host, name.removeprefix(BUNDLE))
        document = self._host.store.load_metadata(name, self._entries[name])
        if self._lookup is None:
            from atip.workflows.lookup import Lookup

            self._lookup = Lookup(self._host.places)
        return self._lookup.over(decode_tool(document).replace(name=name))


def _overrides(host: Host) -> dict[str, str]:
    if not os.path.isdir(os.path.join(host.places.config, "overrides")):
        return {}
    from atip.workflows.overrides import override_stamps

    return override_stamps(host.places)


def _has_nameless(document: Any) -> bool:
    commands = document.get("commands") if isinstance(document, dict) else None
    return isinstance(commands, dict) and "" in commands


def _bundles(host: Host) -> Iterator[tuple[str, str]]:
    """Installed bundles, with the state of their documents."""
    if not os.path.isdir(os.path.join(host.places.data, "bundles")):
        return
    from atip.workflows.bundle.host import BundleHost

    store = BundleHost(host).store
    for key in store.list_keys():
        try:
            folder = store.get(key).folder
        except AtipError:
            continue
        yield f"{BUNDLE}{key}", f"{folder}\n{_times(folder)}"


def _times(folder: str) -> str:
    marks = []
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            try:
                status = os.stat(os.path.join(parent, file))
            except OSError:
                continue
            marks.append(f"{file}:{status.st_size}:{status.st_mtime_ns}")
            if len(marks) >= MAX_FILES:
                return sha256_hex("\n".join(marks).encode("utf-8", "surrogateescape"))
    return sha256_hex("\n".join(marks).encode("utf-8", "surrogateescape"))


def _load_bundle(host: Host, key: str) -> Tool:
    from atip.codecs.climd.tree import commands_of, effects_of_bundle
    from atip.model.tool import Tool
    from atip.workflows.bundle.host import BundleHost

    bundle = BundleHost(host).load(key)
    manifest = bundle.manifest
    return Tool(
        name=key,
        description=manifest.description,
        commands=commands_of(manifest, list(bundle.tools)),
        effects=effects_of_bundle(manifest),
        extra={"x-atip": {"intents": _phrases(bundle.shortcuts)}} if bundle.intents else {},
    )


def _phrases(intents: Sequence[BundleIntent]) -> dict[str, list[str]]:
    """Phrases of requests, by the command that serves them."""
    phrases: dict[str, list[str]] = {}
    for intent in intents:
        if intent.path is not None:
            phrases.setdefault(" ".join(intent.path), []).extend(intent.phrases)
    return phrases
