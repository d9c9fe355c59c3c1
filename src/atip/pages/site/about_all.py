"""The files of a site that are about all tools. Each is made only if what it is made from differs from last time."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from atip.knowledge.proof import summary as summary_of_proof
from atip.model.reading.shim_records import encode_bytes
from atip.model.text.visible_text import clean
from atip.model.value import Value
from atip.pages.judge_pack import judge_files
from atip.pages.search_pieces import BLOCK, block_data, block_files, word_files
from atip.pages.site import feeds
from atip.pages.tool_data import web_link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from atip.pages.rendering import Asset, Renderer
    from atip.pages.site.published import Registry
    from atip.pages.site.state import SiteState

    Data = dict[str, Any]

_FIRST = 40
"""Tools on the start page."""
_OWN = ("index", "browse/index", "explain/index", "coverage/index", "changes/index")
EXAMPLES = (
    "git push --force origin main",
    "curl -fsSL https://example.com/install.sh | sh",
    "find . -name '*.log' -exec rm {} +",
    "tar -xzf release.tar.gz -C /usr/local",
    "grep -rn TODO src | head",
)
"""Lines to click."""


class SiteFile(Value):
    """A file that may have to be written."""

    path: str
    mark: str
    """Digest of what it is made from."""
    make: Callable[[], bytes]


class _PageRows(dict[int, Any]):
    """Number → a page of a tool, read as what search shows of it: few of many thousands are."""

    def __getitem__(self, number: int) -> tuple[str, str, str, str]:
        page = super().__getitem__(number)
        return page["address"], page["name"], page["text"], page["level"]


class CatalogPages:
    """Start page, lists, charts, changes, search, explain, sitemap and assets of one site."""

    def __init__(
        self, registry: Registry, renderer: Renderer, site: Mapping[str, Any], base: str
    ) -> None:
        self._registry, self._renderer = registry, renderer
        self._site, self._base = site, base

    def files(
        self,
        summaries: list[Data],
        state: SiteState,
        assets: Mapping[str, Asset],
        modules: str,
        fresh: set[str],
    ) -> Iterator[SiteFile]:
        """Every file about all tools.

        Args:
            fresh: addresses of the pages of tools that differ from the last build.

        Raises:
            NotFoundError: `site.no-pyodide`.
        """
        state.changes = state.changes[: feeds.MAX_CHANGES]
        pages = [page for summary in summaries for page in summary["pages"]]
        totals: Data = {"tools": len(summaries), "pages": len(pages), "proof": summary_of_proof()}
        yield from self._overview([_shown(one) for one in summaries], totals, state.changes)
        yield from self._coverage(summaries, totals)
        yield from self._changes(state.changes)
        yield from self._search(pages, state, fresh)
        yield from self._explain(modules)
        yield self._not_found()
        addresses = [*_OWN, *(page["address"] for page in pages)]
        yield from _plain(feeds.sitemap(self._base, addresses, self._updated))
        yield from _plain({f"assets/{asset.name}": asset.data for asset in assets.values()})

    @property
    def _updated(self) -> str:
        return str(self._site["updated"])

    def _page(self, path: str, template: str, page: Data) -> SiteFile:
        return self._page_of(path, template, page, encode_bytes(page))

    def _page_of(self, path: str, template: str, page: Data, data: bytes) -> SiteFile:
        return SiteFile(
            path=path,
            mark=_digest(f"{template} ".encode() + data),
            make=lambda: self._renderer.page(template, path.removesuffix("index.html"), page=page),
        )

    def _with_json(self, path: str, template: str, page: Data) -> Iterator[SiteFile]:
        """A page, and its data beside it."""
        data = encode_bytes(page)
        yield self._page_of(path, template, page, data)
        yield from _plain({f"{path.removesuffix('.html')}.json": data})

    def _overview(self, tools: list[Data], totals: Data, changes: list[Data]) -> Iterator[SiteFile]:
        """The start page and the lists by letter."""
        lists = feeds.lists(tools)
        letters = [
            {"file": one["file"], "label": one["label"], "count": len(one["tools"])}
            for one in lists
        ]
        start = {**totals, "letters": letters, "first": tools[:_FIRST]}
        start["changes"] = [one for one in changes if one["address"]][:8]
        start["updated"] = self._updated[:10]
        yield from self._with_json("index.html", "start.html", start)
        landing: Data = {"file": "index.html", "label": "", "tools": tools[: feeds.PER_LIST]}
        landing |= {"total": len(tools), "letters": letters, "before": "", "after": ""}
        yield from self._with_json("browse/index.html", "browse.html", landing)
        for number, one in enumerate(lists):
            near: Data = {"letters": letters, "before": "", "after": ""}
            if number:
                near["before"] = lists[number - 1]["file"]
            if number + 1 < len(lists):
                near["after"] = lists[number + 1]["file"]
            yield from self._with_json(f"browse/{one['file']}", "browse.html", {**one, **near})

    def _coverage(self, summaries: list[Data], totals: Data) -> Iterator[SiteFile]:
        page = {**totals, "shims": self._registry.total, "charts": feeds.charts(summaries)}
        page["missing"] = _missing(self._registry.coverage)
        yield from self._with_json("coverage/index.html", "coverage.html", page)

    def _changes(self, changes: list[Data]) -> Iterator[SiteFile]:
        yield from self._with_json("changes/index.html", "changes.html", {"changes": changes})
        yield from _plain(feeds.feeds(self._site, self._base, changes))

    def _search(self, pages: list[Data], state: SiteState, fresh: set[str]) -> Iterator[SiteFile]:
        yield self._page("search/index.html", "search.html", {})
        before, addresses = state.numbers, [page["address"] for page in pages]
        state.number_pages(addresses)
        numbers = state.numbers
        places = list(map(numbers.__getitem__, addresses))
        documents = _PageRows(zip(places, pages, strict=True))
        words = dict(zip(places, [page["words"] for page in pages], strict=True))
        yield from _plain(word_files(documents, words))
        stale = {before[address] // BLOCK for address in before.keys() - numbers.keys()}
        stale |= {numbers[address] // BLOCK for address in fresh}
        for path, held in block_files(documents):
            mark = "" if held[0] // BLOCK in stale else state.others.get(path, "")
            # a block whose pages are those of the last build is not even encoded
            data = b"" if mark else block_data(documents, held)
            yield SiteFile(path=path, mark=mark or _digest(data), make=lambda data=data: data)  # type: ignore[misc]

    def _not_found(self) -> SiteFile:
        """Web servers show `404.html` at any address, so its links start at the address of the site."""
        page = {"title": "Not found", "text": "This catalogue has no such page."}
        # SECURITY: the address is a claim of the registry, and links may not run anything
        root = f"{self._base}/" if web_link(self._base) or self._base.startswith("/") else "/"
        return SiteFile(
            path="404.html",
            mark=_digest(encode_bytes([root, page])),
            make=lambda: self._renderer.page("problem.html", "", root=root, page=page),
        )

    def _explain(self, modules: str) -> Iterator[SiteFile]:
        """With the judge, where the folder of its package is named."""
        page = {
            "explains": bool(modules),
            "lead": "Paste a shell line. It is judged in this page and not sent anywhere.",
            "examples": EXAMPLES,
            "url": "",
            "share": "yes",
        }
        yield self._page("explain/index.html", "explain.html", page)
        if modules:
            yield from _plain(judge_files(modules))


def _plain(files: Mapping[str, bytes]) -> Iterator[SiteFile]:
    for path, data in files.items():
        yield SiteFile(path=path, mark=_digest(data), make=lambda data=data: data)  # type: ignore[misc]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _shown(summary: Data) -> Data:
    """Fields of a tool that a list shows."""
    return {key: summary[key] for key in ("name", "address", "text", "badges")}


def _missing(coverage: Data) -> list[str]:
    figures = coverage.get("coverage")
    missing = figures.get("missing") if isinstance(figures, dict) else None
    found = missing if isinstance(missing, list) else []
    return [
        clean(f"{one.get('name', '')} {' '.join(map(str, one.get('platforms', ())))}".strip())
        for one in found
        if isinstance(one, dict)
    ]
