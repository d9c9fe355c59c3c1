"""A registry with well-known tools, its site on loopback, and a real browser to look at it with."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from typing import NamedTuple

import pytest

from atip.discovery.sources.knowledge_source import storable
from atip.knowledge.reading import load
from atip.model.reading.encode import encode
from atip.pages.site.build import SiteOrder, build_site
from atip.registry.publish.files.delivery import headers_for
from atip.system.network.static_server import StaticServer
from tests.shared import ROOT
from tests.simulators.palette_png import with_palette
from tests.unit.registry.publish.source import RELEASE, Source, digits_of

CHROMIUM = shutil.which("chromium")
NODE_MODULES = ROOT / ".venv" / "node" / "node_modules"
PICTURES = ROOT / "docs" / "pictures"
TOOLS = ("git", "gh", "rm", "curl", "find", "ls")
PLATFORMS = ("linux-amd64", "darwin-arm64")


def known_shim(name: str, version: str = "1.0", platform: str = PLATFORMS[0]) -> dict:
    """The shim of a tool that the pack knows."""
    tool = load(name)
    assert tool is not None, name
    document = encode(storable(tool.replace(version=version)))
    document.pop("name", None)
    digits = digits_of(f"{name} {version} {platform}")
    document["binary"] = {
        "hash": f"sha256:{digits}",
        "name": name,
        "version": version,
        "platform": platform,
    }
    document["trust"] = {"source": "community", "verified": False}
    return document


def add_shim(source: Source, document: dict) -> None:
    digits = document["binary"]["hash"].removeprefix("sha256:")
    source.write(f"shims/{digits}.json", document)


def known_registry(folder, tools=TOOLS) -> Source:
    """A published registry of well-known tools in two versions on two platforms."""
    source = Source(folder, name="Known tools")
    for name in tools:
        for version in ("1.0", "2.0"):
            for platform in PLATFORMS:
                document = known_shim(name, version, platform)
                if version == "1.0" and name == "git":
                    document["commands"].pop("push")
                add_shim(source, document)
    publish(source)
    return source


def publish(source: Source, at: float = RELEASE) -> None:
    source.build(at=at, keys=False, judge=False)


def make_site(source: Source, out, **changes):
    return build_site(SiteOrder(registry=str(source.public), out=str(out), **changes))


@contextlib.contextmanager
def served(folder):
    """The address of a folder on loopback."""
    server = StaticServer(str(folder), headers_for)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.close()
        thread.join()


@contextlib.contextmanager
def started_browser():
    """Headless Chromium from the system; one clear line where it is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright")
    if CHROMIUM is None:
        pytest.skip("no chromium (scripts/setup-system installs it)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(browser, url: str, **options):
    """A page that fails the test when a script fails, a policy is violated or anything but `url` is asked."""
    context = browser.new_context(**options)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
    page.on(
        "request",
        lambda r: None if r.url.startswith((url, "data:")) else problems.append(r.url),
    )
    try:
        yield page
        assert problems == []
    finally:
        context.close()


class FirstSearch(NamedTuple):
    """What the first search of a page cost."""

    wall_ms: float
    cpu_ms: float
    """Of the page's own scripts and layout: what a busy machine does not change."""
    loaded: int
    """Bytes of the index."""


def first_search(page, url: str, text: str) -> FirstSearch:
    page.goto(f"{url}/")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = _task_seconds(session)
    page.fill("#find", text)
    page.wait_for_selector("#found[data-took] > *")
    cpu_ms = 1000 * (_task_seconds(session) - before)
    wall_ms = float(page.get_attribute("#found", "data-took"))
    return FirstSearch(wall_ms, cpu_ms, loaded_bytes(page, "/search/"))


def loaded_bytes(page, part: str = "") -> int:
    """Bytes of everything that the page loaded, as the browser itself counted them; with `part`, of such addresses."""
    return page.evaluate(
        """part => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
            .filter(one => one.name.includes(part)).reduce((sum, one) => sum + one.encodedBodySize, 0)""",
        part,
    )


def _task_seconds(session) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def is_too_wide(page) -> bool:
    """Whether the page has to be moved sideways to be read."""
    return page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )


_BROKEN_FLAGS = """(selector) => {
  const broken = [];
  const texts = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    for (const found of texts.currentNode.data.matchAll(/(?<![^\\s(])--?[A-Za-z][\\w-]*/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, found.index);
      range.setEnd(texts.currentNode, found.index + found[0].length);
      if (new Set([...range.getClientRects()].map((one) => one.top)).size > 1) broken.push(found[0]);
    }
  }
  return broken;
}"""


def broken_flags(page, selector: str, widths=range(320, 560, 12)) -> list[str]:
    """Flags in a part of a page that go on in the next line, at any of some widths of the window."""
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        found += page.evaluate(_BROKEN_FLAGS, selector)
    return found


def keep_picture(page, name: str) -> None:
    """Write a picture of the docs again under `ATIP_PICTURES=1`; otherwise it must be there, and as large."""
    picture, path = page.screenshot(), PICTURES / f"{name}.png"
    if os.environ.get("ATIP_PICTURES"):
        PICTURES.mkdir(exist_ok=True)
        path.write_bytes(with_palette(picture))
    assert path.read_bytes()[16:24] == picture[16:24], f"ATIP_PICTURES=1 makes {path.name}"


def serious(page, *rules: str) -> list[str]:
    """What axe-core calls serious or critical on the page at hand; with `rules`, by these only."""
    source = NODE_MODULES / "axe-core" / "axe.min.js"
    if not source.exists():
        pytest.skip("no axe-core (scripts/setup-system installs it)")
    page.evaluate(source.read_text())
    options: dict = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    found = page.evaluate("options => axe.run(options)", options)
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
