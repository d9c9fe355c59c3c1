"""Searching everything that is known: the store's tools and the CMP folders, in one index that follows both.

Where the workflow meets: store and folders → tools (with knowledge) → `search.index`. Reads only; what it writes is
the index, which may be deleted at any time. Implements DESIGN §5 `Toolbox.search`.
"""

from __future__ import annotations

import os

from atip.cmp_looking import cmp_places
from atip.discovery import cmp_tools
from atip.discovery.knowing import with_knowledge
from atip.model.decode import decode_tool
from atip.search.upkeep import open_index
from atip.system.digests import sha256_hex
from atip.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.model.tool import Tool
    from atip.search.index import Hit, Index
    from atip.search.intents import Candidate, Match
    from atip.toolbox import Toolbox

LIKELY = 10
"""CMP tools that search contributes to a match …"""
MOST_EXACT = 20
"""… and those that say the very words."""
MAX_REQUEST = 500


def search_everything(
    box: Toolbox, words: str, limit: int = 5, *, available: bool = False, **filters: Any
) -> list[Hit]:
    """Commands by intent, best first. `available` leaves out tools whose program is not there."""
    sources = _Sources(box)
    with sources.index() as index:
        if available:
            filters["accept"] = sources.is_available
        return index.search(words, limit=limit, **filters)


def match_cmp(box: Toolbox, words: str, *, tool: str | None = None) -> Match:
    """Which intent of the CMP tools a request means.

    Without `tool` the index tells which few tools can be meant; only their documents are read (§5.4).

    Raises:
        NotFoundError: `cmp.not-found`.
    """
    from atip.errors import AtipError
    from atip.search.intents import match

    candidates: list[Candidate] = []
    with _Sources(box).index() as index:
        if tool is not None:
            candidates += intents_of(cmp_tools.find_tool(cmp_places(box), tool))
            return match(words, candidates, index.lexicon)
        for name in _likely(index, words):
            folder = cmp_tools.folder_at(index.storage.stamp(name).rpartition("\n")[2])
            try:
                candidates += intents_of(cmp_tools.read_manifest(folder))
            except AtipError:
                continue  # listed by `cmp list` with its problem
        return match(words, candidates, index.lexicon)


def _likely(index: Index, words: str) -> list[str]:
    """CMP tools that a request can mean: by a pattern word for word, by a fitting `re:`, by search."""
    from atip.errors import FormatError
    from atip.model.regex import compile_regex
    from atip.search.text import normal_phrase

    text = normal_phrase(words[:MAX_REQUEST])
    found = index.storage.tools_saying(text)
    for pattern, name in index.storage.regexes():
        try:
            if compile_regex(pattern[3:], ignore_case=True).matches(text):
                found.append(name)
        except FormatError:
            continue  # reported when the tool was read
    hits = index.search(words, limit=4 * LIKELY, accept=lambda name: "/" in name)
    near = list(dict.fromkeys(hit.tool for hit in hits))[:LIKELY]
    return list(dict.fromkeys([*found[:MOST_EXACT], *near]))


def intents_of(tool: cmp_tools.CmpTool) -> list[Candidate]:
    """Every intent of one tool, as candidates of a match.

    Raises:
        FormatError: `cmp.invalid` with all problems.
        NotFoundError: `cmp.no-capability`.
    """
    from atip.codecs.cmp_document import Reader
    from atip.search.intents import Candidate

    kept: Any = cmp_tools.capability(tool.folder).tool.extra["x-cmp"]
    manifest = tool.manifest
    about = " ".join((manifest.name, manifest.domain, manifest.summary, *(manifest.tags or ())))
    return [
        Candidate(tool=tool.key, number=number, intent=intent, about=about)
        for number, intent in enumerate(Reader().intents(kept["capability"]))
    ]


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
            # the path is kept with the state, so that a match can go straight to the folder
            stamps[key] = f"{self._marks.get(tool.folder.path, '')}\n{tool.folder.path}"
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
