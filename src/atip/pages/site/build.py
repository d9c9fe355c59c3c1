"""Build the static site of a registry: only what changed is rendered, only what differs is written.

(1) compare   the catalogue with what the last build remembers: what was not written since is not even read
(2) tools     pages of each tool that is new or different, by several processes where there are many
(3) remove    pages that no longer belong to anything
(4) all       start page, lists, search, charts, feeds, sitemap, assets
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, UsageError
from atip.model.text.visible_text import clean
from atip.model.value import Value
from atip.pages.rendering import Renderer, load_assets, style_digest
from atip.pages.site import feeds
from atip.pages.site.about_all import CatalogPages
from atip.pages.site.folder import SiteFolder
from atip.pages.site.published import Registry
from atip.pages.site.quick_values import quicken
from atip.pages.site.state import SiteState
from atip.pages.site.tool_pages import files_of
from atip.pages.site.workers import ToolOrder, WorkPlace, collecting_rarely, work_all
from atip.system.stores.parts import ObjectInfo
from atip.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.pages.site.workers import ToolResult

    Progress = Callable[[str, int, int], None]
    """Told of the stage, how much is done, and of how much."""

MENU = (
    {"folder": "browse/", "label": "Tools"},
    {"folder": "explain/", "label": "Explain"},
    {"folder": "coverage/", "label": "Coverage"},
    {"folder": "changes/", "label": "Changes"},
)


class SiteOrder(Value):
    """Settings of one build."""

    registry: str
    """The published tree: a folder, or `s3://bucket/prefix`."""
    out: str
    """Folder of the site."""
    base: str = ""
    """Address under which the site is published; empty: the registry's own with `/site`."""
    node_modules: str = ""
    """Folder that holds the package `pyodide`; empty: the page that explains a line is built without it."""
    jobs: int = 0
    """Processes that render; 0: by the number of tools and processors."""


class SiteReport(Value):
    """Result of one build."""

    out: str
    tools: int
    pages: int
    rendered: int
    """Tools whose pages were made again."""
    removed: int
    written: int
    explains: bool
    """Whether lines can be explained in the page."""

    def to_json(self) -> dict[str, object]:
        return {
            "out": self.out,
            "tools": self.tools,
            "pages": self.pages,
            "rendered": self.rendered,
            "removed": self.removed,
            "written": self.written,
            "explains": self.explains,
        }


def build_site(order: SiteOrder, progress: Progress | None = None) -> SiteReport:
    """Bring a site up to date with its registry.

    Raises:
        UsageError: `site.out`.
        NotFoundError: `site.no-registry`.
        AtipError: `pages.missing-extra`, `file.unwritable`, `site.worker`.
    """
    if "://" in order.out:
        hint = "build into a folder, then copy it to the web server"
        raise UsageError("site.out", f"`{order.out[:100]}` is not a folder", hint=hint)
    quicken(ObjectInfo)
    with collecting_rarely():
        return _SiteBuild(order, Registry(order.registry)).run(progress)


class _SiteBuild:
    """One build; holds what its steps share."""

    def __init__(self, order: SiteOrder, registry: Registry) -> None:
        self.order, self.registry = order, registry
        self.site = {
            "name": clean(registry.name),
            "updated": clean(registry.updated),
            "menu": MENU,
            "footer": _footer(registry),
        }
        style = f"{style_digest()} {self.site['name']} {self.site['footer']}"
        self.state = SiteState(order.out, style)
        self.folder = SiteFolder(order.out, is_first=not self.state.tools)
        self.written = 0
        self.fresh: set[str] = set()
        """Addresses of the pages that this build made."""

    def run(self, progress: Progress | None) -> SiteReport:
        try:
            os.makedirs(self.order.out, exist_ok=True)
            rendered, removed = self._tools(progress)
            summaries = [self.state.tools[name]["summary"] for name in sorted(self.state.tools)]
            self._write_others(summaries)
            self.state.save()
        except OSError as error:
            raise AtipError(
                "file.unwritable", f"cannot write `{error.filename}`: {error.strerror}"
            ) from error
        pages = sum(len(summary["pages"]) for summary in summaries)
        return SiteReport(
            out=self.order.out, tools=len(summaries), pages=pages, rendered=rendered,
            removed=removed, written=self.written + self.folder.written,
            explains=bool(self.order.node_modules),
        )  # fmt: skip

    def _tools(self, progress: Progress | None) -> tuple[int, int]:
        before = self.state.tools
        stamps, orders = self._compare(before)  # (1)
        results = self._work(orders, progress)  # (2)
        now: dict[str, dict[str, Any]] = {}
        for name, stamp in stamps.items():
            result = results.get(name)
            if result is None or result.summary is None:
                now[name] = {**before[name], "stamp": stamp}
            else:
                now[name] = {"stamp": stamp, "mark": result.mark, "summary": result.summary}
                self.fresh |= {page["address"] for page in result.summary["pages"]}
                self._replace(before.get(name), result.summary, is_first=not before)
        gone = sorted(before.keys() - now.keys())
        for name in gone:  # (3)
            self._note(before[name]["summary"], None)
            self.folder.remove(files_of(before[name]["summary"]))
        self.state.tools = now
        return sum(result.summary is not None for result in results.values()), len(gone)

    def _compare(self, before: dict[str, dict[str, Any]]) -> tuple[dict[str, str], list[ToolOrder]]:
        """The stamp of every tool, and those that may differ from the last build."""
        stamps, orders = {}, []
        for name in self.registry.names():
            stamps[name] = stamp = self.registry.stamp(name)
            old = before.get(name) if self.state.is_current else None
            if old is None or not stamp or old["stamp"] != stamp:
                mark = old["mark"] if old else ""
                orders.append(ToolOrder(entry=self.registry.entry(name), mark=mark))
        return stamps, orders

    def _work(self, orders: list[ToolOrder], progress: Progress | None) -> dict[str, ToolResult]:
        place = WorkPlace(
            registry=self.order.registry, out=self.order.out, site=self.site,
            is_first=not self.state.tools,
        )  # fmt: skip
        results = {}
        for result in work_all(orders, place, self.order.jobs):
            results[result.name] = result
            self.written += result.written
            if progress is not None:
                progress("pages", len(results), len(orders))
        return results

    def _replace(
        self, old: dict[str, Any] | None, summary: dict[str, Any], *, is_first: bool
    ) -> None:
        """Note what became of a tool, and remove pages that it no longer has."""
        if not is_first:
            self._note(old["summary"] if old else None, summary)
        if old is not None:
            self.folder.remove(files_of(old["summary"]) - files_of(summary))

    def _note(self, old: dict[str, Any] | None, new: dict[str, Any] | None) -> None:
        text = feeds.describe_change(old, new)
        about = new or old
        if text and about is not None:
            address = new["address"] if new else ""
            change = {"name": about["name"], "address": address, "text": text}
            self.state.changes.insert(0, {**change, "at": str(self.site["updated"])})

    def _write_others(self, summaries: list[dict[str, Any]]) -> None:
        """(4)"""
        assets = load_assets()
        base = (self.order.base or f"{self.registry.url}/site").rstrip("/")
        pages = CatalogPages(self.registry, Renderer(self.site, assets), self.site, base)
        modules = self.order.node_modules
        files = list(pages.files(summaries, self.state, assets, modules, self.fresh))
        before = self.state.others if self.state.is_current else {}
        self.folder.write(
            (file.path, file.make()) for file in files if before.get(file.path) != file.mark
        )
        marks = {file.path: file.mark for file in files}
        self.folder.remove(self.state.others.keys() - marks.keys())
        self.state.others = marks


def _footer(registry: Registry) -> str:
    """Without a date: a page that did not change is not made again."""
    text = f"{clean(registry.name)}."
    if registry.fingerprint:
        text += f" Fingerprint {clean(registry.fingerprint)}."
    return f"{text} Pages by atip {__version__}."
