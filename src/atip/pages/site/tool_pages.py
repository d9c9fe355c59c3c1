"""The pages of one tool: from its shims to data, from data to files. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.discovery.sources.knowledge_source import with_knowledge
from atip.model.diff.compare import diff
from atip.model.reading.shim_records import encode_bytes
from atip.model.text.visible_text import clean
from atip.model.tool import Tool
from atip.model.value import Value
from atip.pages.claims import ToolClaims
from atip.pages.names import page_address
from atip.pages.search_pieces import index_words
from atip.pages.site.signature_status import signature_status
from atip.pages.tool_data import command_data, tool_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from atip.pages.rendering import Renderer
    from atip.pages.site.published import PublishedShim, PublishedTool

    Data = dict[str, Any]
    Decoded = dict[str, Tool | None]
    """Digest of a binary → its document; None: cannot be read."""

_MAX_STEPS = 10
"""Steps between versions that are shown, the newest first."""
_MAX_CHANGES = 100
_LEVELS = ("does", "unknown", "may", "safe")
"""States of badges, the most alarming first."""


class ToolPages(Value):
    """Pages and summary of one tool."""

    pages: tuple[tuple[str, Data], ...]
    """Template and data of each page."""
    summary: Data
    """Data for lists, charts, search and feeds; kept between builds."""


def describe_tools(published: Iterable[PublishedTool]) -> list[ToolPages]:
    """The data of every page of some tools, in their order.

    Each step is taken for all of them before the next: a processor that has the code of a step at hand needs a fifth less.
    """
    drafts = [_ToolDraft(one) for one in published]
    for step in (_ToolDraft.decode, _ToolDraft.claim, _ToolDraft.describe, _ToolDraft.add_commands):
        for draft in drafts:
            step(draft)
    return [draft.pages() for draft in drafts]


def render_pages(
    described: Sequence[ToolPages], renderer: Renderer
) -> list[list[tuple[str, bytes]]]:
    """The files of each tool: every page, and the JSON beside it. One kind after the other, for the same reason."""
    pages = [
        [renderer.page(template, data["address"], page=data) for template, data in one.pages]
        for one in described
    ]
    documents = [[encode_bytes(data) for _, data in one.pages] for one in described]
    return [list(_files(*parts)) for parts in zip(described, pages, documents, strict=True)]


def _files(
    described: ToolPages, pages: list[bytes], documents: list[bytes]
) -> Iterator[tuple[str, bytes]]:
    for (_, data), page, document in zip(described.pages, pages, documents, strict=True):
        address = data["address"]
        yield f"{address}.html", page
        yield f"{address}.json", document


class _ToolDraft:
    """A tool on its way from shims to pages; the methods are the steps, in their order."""

    def __init__(self, published: PublishedTool) -> None:
        self._published = published
        self._decoded: Decoded = {}

    def decode(self) -> None:
        """The newest document that can be read."""
        published = self._published
        found = (_decode(shim, self._decoded) for shim in reversed(published.shims))
        tool = next(filter(None, found), None)
        self._is_readable = tool is not None
        if tool is None:
            self._tool = Tool(name=published.name, description=published.description)
        else:
            named = tool if tool.name == published.name else tool.replace(name=published.name)
            self._tool = with_knowledge(named)

    def claim(self) -> None:
        self._claims = ToolClaims(self._tool)
        self._claims.prepare()

    def describe(self) -> None:
        """The page of the tool."""
        published = self._published
        self._data = data = tool_data(self._tool, self._claims)
        data["name"] = data["tool"] = clean(published.name)
        data["versions"] = [_version(shim) for shim in reversed(published.shims)]
        data["changes"] = _changes(published, self._decoded)
        data["unreadable"] = not self._is_readable

    def add_commands(self) -> None:
        """The page of every command that has a name."""
        self._commands = [
            command_data(self._tool, path, command, self._claims)
            for path, command in self._claims.commands
            if all(path)
        ]

    def pages(self) -> ToolPages:
        found = [_page(self._data), *map(_page, self._commands)]
        return ToolPages(
            pages=(("tool.html", self._data), *(("command.html", one) for one in self._commands)),
            summary=_summary(self._published, self._data, found),
        )


def _decode(shim: PublishedShim, decoded: Decoded) -> Tool | None:
    """Each document is decoded once, however often it is asked for."""
    digest = shim.entry.hash
    if digest not in decoded:
        decoded[digest] = shim.decode()
    return decoded[digest]


def _version(shim: PublishedShim) -> Data:
    return {
        "version": clean(shim.entry.version),
        "platform": clean(shim.entry.platform),
        "hash": clean(shim.entry.hash),
        "signed": shim.entry.is_signed,
        "signature": signature_status(shim.data, shim.bundle),
    }


def _changes(published: PublishedTool, decoded: Decoded) -> list[Data]:
    """Changes from version to version, the newest first, on the platform of the newest shim."""
    if len(published.shims) < 2:
        return []
    platform = published.shims[-1].entry.platform
    same = [shim for shim in published.shims if shim.entry.platform == platform]
    shims = same[-_MAX_STEPS - 1 :]
    steps = []
    before: Tool | None = None
    for shim in shims:
        tool = _decode(shim, decoded)
        if tool is not None and before is not None:
            steps.append(_step(before, tool))
        before = tool or before
    return [step for step in reversed(steps) if step["from"] != step["to"]]


def _step(old: Tool, new: Tool) -> Data:
    found = diff(old, new)
    changes = [
        {
            "category": change.category,
            "at": clean(change.at),
            "message": clean(change.message),
            "direction": change.direction or "",
        }
        for change in found.changes
    ]
    return {
        "from": clean(_version_of(old)),
        "to": clean(_version_of(new)),
        "semver": found.semver,
        "total": len(changes),
        "changes": changes[:_MAX_CHANGES],
    }


def _version_of(tool: Tool) -> str:
    return (tool.binary.version if tool.binary else "") or tool.version


def _page(data: Data) -> Data:
    """One page in search results."""
    states = {badge["state"] for badge in data["badges"]}
    level = next(filter(states.__contains__, _LEVELS), "safe")
    # a description that only repeats the name says nothing below it
    is_name = data["description"].lower() == data["name"].rpartition(" ")[2].lower()
    text = "" if is_name else data["description"][:160]
    return {
        "address": data["address"],
        "name": data["name"],
        "text": text,
        "level": level,
        "words": index_words(data["name"], text),
    }


def files_of(summary: Data) -> set[str]:
    """Every file of a tool, by what is remembered of it."""
    addresses = [page["address"] for page in summary["pages"]]
    return {f"{address}{ending}" for address in addresses for ending in (".html", ".json")}


def _summary(published: PublishedTool, data: Data, pages: list[Data]) -> Data:
    return {
        "name": data["name"],
        "address": page_address(published.name),
        "text": data["description"][:160],
        "badges": data["badges"],
        "version": data["versions"][0]["version"] if data["versions"] else "",
        "platforms": sorted({version["platform"] for version in data["versions"]}),
        "signed": sum(version["signed"] for version in data["versions"]),
        "shims": len(data["versions"]),
        "source": data["source"],
        "pages": pages,
    }
