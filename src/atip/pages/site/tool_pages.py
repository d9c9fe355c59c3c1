"""The pages of one tool: from its shims to data, from data to files. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.discovery.sources.knowledge_source import with_knowledge
from atip.model.diff.compare import diff
from atip.model.reading.shim_records import encode_bytes
from atip.model.text.visible_text import clean
from atip.model.value import Value
from atip.pages.claims import ToolClaims
from atip.pages.names import page_address
from atip.pages.search_pieces import index_words
from atip.pages.site.signature_status import signature_status
from atip.pages.tool_data import command_data, tool_data

if TYPE_CHECKING:
    from atip.model.tool import Tool
    from atip.pages.rendering import Renderer
    from atip.pages.site.published import PublishedShim, PublishedTool

    Data = dict[str, Any]
    Decoded = dict[str, Tool | None]
    """Digest of a binary → its document; None: cannot be read."""

_MAX_STEPS = 10
"""How many steps between versions are shown, the newest first."""
_MAX_CHANGES = 100
_LEVELS = ("does", "unknown", "may", "safe")
"""States of badges, the most alarming first."""


class ToolPages(Value):
    """What a tool adds to a site."""

    pages: tuple[tuple[str, Data], ...]
    """Template and data of each page."""
    summary: Data
    """What lists, charts, search and feeds need; kept between builds."""


def describe_tool(published: PublishedTool) -> ToolPages:
    """The data of every page of a tool."""
    decoded: Decoded = {}
    newest, tool = _newest(published, decoded)
    claims = ToolClaims(tool)
    data = tool_data(tool, claims)
    data["name"] = data["tool"] = clean(published.name)
    data["versions"] = [_version(shim) for shim in reversed(published.shims)]
    data["changes"] = _changes(published, decoded)
    data["unreadable"] = newest is None
    pages = [("tool.html", data)]
    for path, command in claims.commands:
        if all(path):
            pages.append(("command.html", command_data(tool, path, command, claims)))
    found = [_page(page) for _, page in pages]
    return ToolPages(pages=tuple(pages), summary=_summary(published, data, found))


def render_pages(described: ToolPages, renderer: Renderer) -> list[tuple[str, bytes]]:
    """The file of every page, and the JSON beside it."""
    files = []
    for template, data in described.pages:
        address = data["address"]
        files.append((f"{address}.html", renderer.page(template, address, page=data)))
        files.append((f"{address}.json", encode_bytes(data)))
    return files


def _decode(shim: PublishedShim, decoded: Decoded) -> Tool | None:
    """Each document is decoded once, however often it is asked for."""
    digest = shim.entry.hash
    if digest not in decoded:
        decoded[digest] = shim.decode()
    return decoded[digest]


def _newest(published: PublishedTool, decoded: Decoded) -> tuple[PublishedShim | None, Tool]:
    from atip.model.tool import Tool

    for shim in reversed(published.shims):
        tool = _decode(shim, decoded)
        if tool is not None:
            return shim, with_knowledge(tool.replace(name=published.name))
    return None, Tool(name=published.name, description=published.description)


def _version(shim: PublishedShim) -> Data:
    return {
        "version": clean(shim.entry.version),
        "platform": clean(shim.entry.platform),
        "hash": clean(shim.entry.hash),
        "signed": shim.entry.is_signed,
        "signature": signature_status(shim.data, shim.bundle),
    }


def _changes(published: PublishedTool, decoded: Decoded) -> list[Data]:
    """What changed from version to version, on the platform of the newest shim."""
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
