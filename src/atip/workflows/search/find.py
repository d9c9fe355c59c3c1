"""Searching everything that is known, and finding the CMP intent that a request means.

Where the workflow meets: `search_sources` → `search.index` → filters; for CMP also `search.intents`. Reads only; what
it writes is the index, which may be deleted at any time. See docs/architecture.md `Toolbox.search`.
"""

from __future__ import annotations

from atip.discovery.cmp import tools as cmp_tools
from atip.search.flags import FlagFinder
from atip.workflows.cmp.places import cmp_places
from atip.workflows.search.sources import Sources, is_cmp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from atip.search.index import SearchHit, SearchIndex
    from atip.search.intents import Candidate, Match
    from atip.workflows.host import Host

LIKELY = 10
"""CMP tools that search contributes to a match …"""
MOST_EXACT = 20
"""… and those that say the very words."""
MAX_REQUEST = 500
BUILDING = "the search index is being built; results are incomplete"


def search_everything(
    host: Host,
    words: str,
    limit: int = 5,
    *,
    tool: str | None = None,
    having: Sequence[str] = (),
    lacking: Sequence[str] = (),
    accept: Callable[[str], bool] | None = None,
    available: bool = False,
) -> list[SearchHit]:
    """Commands by intent, best first; filters as in `search.index`.

    Args:
        available: leaves out tools whose program is not there.
    """
    sources = Sources(host)
    with sources.index() as index:
        if not index.is_complete:
            host.notices.append(BUILDING)
        if available:
            accept = sources.is_available
        hits = index.search(
            words, limit=limit, tool=tool, having=having, lacking=lacking, accept=accept
        )
        finder = FlagFinder(words, index.rarity_of, index.lexicon.synonyms)
        return [
            hit.replace(option=finder.find(hit.line, hit.summary, sources.options_of(hit)))
            for hit in hits
        ]


def match_cmp(host: Host, words: str, *, tool: str | None = None) -> Match:
    """Find the CMP intent that a request means.

    Without `tool` the index narrows the candidates to a few tools; only their documents are read (§5.4).

    Raises:
        NotFoundError: `cmp.not-found`.
    """
    from atip.errors import AtipError
    from atip.search.intents import match

    candidates: list[Candidate] = []
    with Sources(host).index() as index:
        if tool is not None:
            candidates += intents_of(cmp_tools.find_tool(cmp_places(host), tool))
            return match(words, candidates, index.lexicon)
        for name in _likely(index, words):
            folder = cmp_tools.folder_at(index.storage.stamp(name).rpartition("\n")[2])
            try:
                candidates += intents_of(cmp_tools.read_manifest(folder))
            except AtipError:
                continue  # listed by `cmp list` with its problem
        return match(words, candidates, index.lexicon)


def _likely(index: SearchIndex, words: str) -> list[str]:
    """CMP tools that a request can mean: by a pattern word for word, by a fitting `re:`, by search."""
    from atip.errors import FormatError
    from atip.model.text.regex import compile_regex
    from atip.search.text import normal_phrase

    text = normal_phrase(words[:MAX_REQUEST])
    tools = index.storage.tools_saying(text)
    for pattern, name in index.storage.regexes():
        try:
            if compile_regex(pattern[3:], ignore_case=True).matches(text):
                tools.append(name)
        except FormatError:
            continue  # reported when the tool was read
    hits = index.search(words, limit=4 * LIKELY, accept=is_cmp)
    near = list(dict.fromkeys(hit.tool for hit in hits))[:LIKELY]
    return list(dict.fromkeys([*tools[:MOST_EXACT], *near]))


def intents_of(tool: cmp_tools.CmpTool) -> list[Candidate]:
    """Every intent of one tool, as candidates of a match.

    Raises:
        FormatError: `cmp.invalid` with all problems.
        NotFoundError: `cmp.no-capability`.
    """
    from atip.codecs.cmp.document import Reader
    from atip.search.intents import Candidate

    extension: Any = cmp_tools.capability(tool.folder).tool.extra["x-cmp"]
    manifest = tool.manifest
    about = " ".join((manifest.name, manifest.domain, manifest.summary, *(manifest.tags or ())))
    return [
        Candidate(tool=tool.key, number=number, intent=intent, about=about)
        for number, intent in enumerate(Reader().intents(extension["capability"]))
    ]
