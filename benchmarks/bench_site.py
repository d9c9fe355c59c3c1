"""The static site of a registry with many tools: a whole build against rendering its templates alone, a rebuild after
100 changes, what a first search result costs, and how soon it is there in a real browser.

    SITE_TOOLS=10000 python -m benchmarks site

Build and templates are measured side by side, in turns of about a hundred tools of one build: a load that comes and goes meets both.
Both run in one process and are counted in CPU seconds; without `jobs=1` a build uses every processor.
Files are written to memory where the system has such a folder: what a disk needs for 120,000 new files says
nothing about templates (58 to 680 µs each on the same ext4 volume, by what had been deleted there lately).
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import pathlib
import random
import re
import tempfile
import time

from atip.knowledge.reading import load, names
from atip.pages.rendering import Renderer, load_assets
from atip.pages.site import build as site_build
from atip.pages.site.published import Registry, open_registry, read_tool
from atip.pages.site.tool_pages import describe_tools
from benchmarks.measure import figure
from tests.simulators.pages import FirstSearch, first_search, opened, served, started_browser

WORDS = sorted(
    {
        word
        for name in names()
        for word in re.findall(r"[a-z]{3,12}", (load(name).description or "").lower())
    }
)
PER_TURN = 128
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
QUERIES = ("file", "list", "a", "remove fil", "show the log of a", "create network", "zzzz")


class TemplatesAlone:
    """Renders the pages of the tools that a build has just made once more, from data that is ready, and counts that
    alone. As the progress function of a build it meets the same load as the build itself."""

    def __init__(self, registry: pathlib.Path) -> None:
        self._source = Registry(str(registry))
        self._store = open_registry(str(registry))
        self._names = self._source.names()
        site = {"name": "Registry", "updated": "", "menu": site_build.MENU, "footer": "Registry."}
        self._renderer = Renderer(site, load_assets())
        self._done = 0
        self.seconds = 0.0
        """CPU of the templates."""
        self.apart = 0.0
        """CPU of everything done here, which is not the build's."""

    def __call__(self, _stage: str, done: int, total: int) -> None:
        if done - self._done < PER_TURN and done < total:
            return
        started = time.process_time()
        names, self._done = self._names[self._done : done], done
        described = describe_tools(
            [read_tool(self._store, self._source.entry(name)) for name in names]
        )
        pages = [page for one in described for page in one.pages]
        template, data = pages[0]
        self._renderer.page(template, data["address"], page=data)  # compiles what is shared
        gc.collect()
        rendering = time.process_time()
        for template, data in pages:
            self._renderer.page(template, data["address"], page=data)
        ended = time.process_time()
        self.seconds += ended - rendering
        self.apart += ended - started


def sentence(draw: random.Random, count: int) -> str:
    return " ".join(draw.choices(WORDS, k=count)).capitalize()


def make_shim(draw: random.Random, name: str, version: str) -> dict:
    commands = {
        word: {
            "description": sentence(draw, 7),
            "effects": {"network": draw.random() < 0.3, "destructive": draw.random() < 0.1},
            "options": [
                {
                    "name": option,
                    "flags": [f"--{option}"],
                    "type": "boolean",
                    "description": sentence(draw, 9),
                }
                for option in set(draw.choices(WORDS, k=6))
            ],
            "arguments": [{"name": "target", "type": "string", "description": sentence(draw, 4)}],
        }
        for word in set(draw.choices(WORDS, k=5))
    }
    digest = hashlib.sha256(f"{name} {version}".encode()).hexdigest()
    return {
        "atip": {"version": "0.6"},
        "binary": {
            "hash": f"sha256:{digest}",
            "name": name,
            "version": version,
            "platform": "linux-amd64",
        },
        "trust": {"source": "community", "verified": False},
        "description": sentence(draw, 8),
        "commands": commands,
    }


def publish(folder: pathlib.Path, tools: dict[str, list[dict]], updated: str) -> None:
    (folder / "shims" / "sha256").mkdir(parents=True, exist_ok=True)
    catalog = {}
    for name, shims in tools.items():
        versions = {}
        for shim in shims:
            binary = shim["binary"]
            path = folder / "shims" / "sha256" / f"{binary['hash'][7:]}.json"
            if not path.exists():
                path.write_text(json.dumps(shim))
            versions[binary["version"]] = {binary["platform"]: binary["hash"]}
        catalog[name] = {"description": shims[-1]["description"], "versions": versions}
    index = {"version": "1", "updated": updated, "totalShims": len(tools), "tools": catalog}
    (folder / "shims" / "index.json").write_text(json.dumps(index))


def build(registry: pathlib.Path, out: pathlib.Path, templates: TemplatesAlone | None = None):
    """The report, and CPU seconds of a build in one process."""
    started = time.process_time()
    order = site_build.SiteOrder(registry=str(registry), out=str(out), jobs=1)
    report = site_build.build_site(order, templates)
    return report, time.process_time() - started - (templates.apart if templates else 0)


def search_cost(out: pathlib.Path) -> int:
    """Bytes of the worst first result: the table, the largest piece, ten blocks of documents."""
    sizes = {path.name: path.stat().st_size for path in (out / "search").glob("*.json")}
    pieces = [size for name, size in sizes.items() if name.startswith("p-")]
    blocks = sorted((size for name, size in sizes.items() if name.startswith("d-")), reverse=True)
    return sizes["index.json"] + max(pieces) + sum(blocks[:10])


def search_in_the_page(out: pathlib.Path) -> FirstSearch:
    """The dearest of some first searches in a real browser, by each measure."""
    found = []
    with served(out) as url, started_browser() as browser:
        for text in QUERIES:
            with opened(browser, url) as page:
                found.append(first_search(page, url, text))
    return FirstSearch(*map(max, zip(*found, strict=True)))


def main() -> bool:
    count = int(os.environ.get("SITE_TOOLS", "10000"))
    draw = random.Random(21)
    with tempfile.TemporaryDirectory(dir=MEMORY) as scratch:
        registry, out = pathlib.Path(scratch, "registry"), pathlib.Path(scratch, "site")
        tools = {}
        while len(tools) < count:
            name = "-".join(draw.choices(WORDS, k=2))
            tools[name] = [make_shim(draw, name, "1.0")]
        publish(registry, tools, "2026-01-01T00:00:00Z")
        templates = TemplatesAlone(registry)
        report, whole = build(registry, out, templates)
        times = whole / templates.seconds
        for name in list(tools)[:100]:
            tools[name].append(make_shim(draw, name, "1.1"))
        publish(registry, tools, "2026-01-02T00:00:00Z")
        again, rebuild = build(registry, out)
        cost = search_cost(out)
        search = search_in_the_page(out)
    share = 100 * rebuild / whole
    print(f"{report.tools:,} tools, {report.pages:,} pages, {report.written:,} files")
    loaded = max(cost, search.loaded)
    wall = f"{search.wall_ms:.0f} ms on the wall"
    of = f"catalogue of {report.tools:,} tools"
    return all(
        [
            figure(
                f"{of}: build / templates alone", times, 1.5, unit="×", detail=f"{whole:.1f} s CPU"
            ),
            figure(f"{of}: rebuild of {again.rendered} changes", share, 5, unit="% of the build"),
            figure(f"{of}: bytes for the first search result", loaded, 100_000, unit="bytes"),
            figure(f"{of}: search in the page", search.cpu_ms, 100, unit="ms CPU", detail=wall),
        ]
    )


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
