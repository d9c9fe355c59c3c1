"""Searching everything that is known: the store's tools and the CMP folders, in one index that follows both.

Where the workflow meets: store and folders → tools (with knowledge) → `search.index`. Reads only; what it writes is
the index, which may be deleted at any time. Implements DESIGN §5 `Toolbox.search`.
"""

from __future__ import annotations

import os

from atip.discovery import cmp_tools
from atip.discovery.knowing import with_knowledge
from atip.model.decode import decode_tool
from atip.registry.settings import load_settings
from atip.search.upkeep import open_index
from atip.system.digests import sha256_hex
from atip.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.model.tool import Tool
    from atip.search.index import Hit, Index
    from atip.search.intents import Match
    from atip.toolbox import Toolbox


def search_everything(
    box: Toolbox, words: str, limit: int = 5, *, available: bool = False, **filters: Any
) -> list[Hit]:
    """Commands by intent, best first. `available` leaves out tools whose program is not there."""
    sources = _Sources(box)
    with sources.index() as index:
        if available:
            filters["accept"] = sources.is_available
        return index.search(words, limit=limit, **filters)


def cmp_places(box: Toolbox) -> list[str]:
    """Where CMP tools lie: the canonical folder and `cmpPaths` of config.json."""
    configured = load_settings(box.places, "config").get("cmpPaths", ())
    return cmp_tools.places(box.places.home, configured)


def match_cmp(box: Toolbox, words: str, *, tool: str | None = None) -> Match:
    """Which intent of the CMP tools a request means.

    Raises:
        NotFoundError: `cmp.not-found`.
    """
    from atip.codecs.cmp_document import Reader
    from atip.errors import AtipError
    from atip.search.intents import Candidate, match
    from atip.search.lexicon import Lexicon

    where = cmp_places(box)
    tools = (
        cmp_tools.manifests(where).tools if tool is None else (cmp_tools.find_tool(where, tool),)
    )
    candidates = []
    for one in tools:
        try:
            decoded = cmp_tools.capability(one.folder)
        except AtipError:
            continue  # listed by `cmp list` with its problem
        kept: Any = decoded.tool.extra["x-cmp"]
        manifest = one.manifest
        about = " ".join((manifest.name, manifest.domain, manifest.summary, *(manifest.tags or ())))
        candidates += [
            Candidate(tool=one.key, number=number, intent=intent, about=about)
            for number, intent in enumerate(Reader().intents(kept["capability"]))
        ]
    return match(words, candidates, Lexicon())


class _Sources:
    """What there is to search, by name, with what identifies its state."""

    def __init__(self, box: Toolbox) -> None:
        self._box = box
        stored = box.store.load_index()
        self._entries: dict[str, dict[str, Any]] = stored["tools"]
        self._folders = {f.path: f for f in cmp_tools.folders(cmp_places(box))}
        marks = {path: cmp_tools.stamp_of(folder) for path, folder in self._folders.items()}
        text = repr(
            (__version__, stored.get("_stamp"), stored.get("updated"), sorted(marks.items()))
        )
        self._stamp = sha256_hex(text.encode("utf-8", "surrogateescape"))
        self._marks = marks
        self._cmp: dict[str, cmp_tools.CmpTool] = {}

    def index(self) -> Index:
        return open_index(self._box.places.data, self._stamp, self._current, self._load)

    def is_available(self, name: str) -> bool:
        entry = self._entries.get(name)
        if entry is not None:
            return os.access(str(entry.get("path", "")), os.X_OK)
        tool = self._read_cmp().get(name)
        return (
            tool is not None
            and cmp_tools.find_program(tool, os.environ.get("PATH", "")) is not None
        )

    def _current(self) -> dict[str, str]:
        stamps = {}
        for name, entry in self._entries.items():
            own = entry.get("x-atip")
            state = own.get("metadataHash") if isinstance(own, dict) else None
            stamps[name] = f"{__version__} {state or entry.get('hash')}"
        for key, tool in self._read_cmp().items():
            stamps[key] = self._marks.get(tool.folder.path, "")
        return stamps

    def _read_cmp(self) -> dict[str, cmp_tools.CmpTool]:
        if self._folders and not self._cmp:
            found = cmp_tools.manifests(cmp_places(self._box)).tools
            self._cmp = {tool.key: tool for tool in found}
        return self._cmp

    def _load(self, name: str) -> Tool:
        tool = self._cmp.get(name)
        if tool is not None:
            return cmp_tools.capability(tool.folder).tool
        document = self._box.store.load_metadata(name, self._entries[name])
        return with_knowledge(decode_tool(document).replace(name=name))
