"""The documentation as a site: every link leads somewhere, nothing is asked of others, it can be searched and read by everybody."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.shared import ROOT
from tests.simulators.pages import is_too_wide, opened, serious, served

pytest.importorskip("mkdocs", reason="no mkdocs (scripts/setup installs it)")

PAGES = (
    "index.html",
    "start/agent-user.html",
    "guides/policy-cookbook.html",
    "concepts/guard.html",
    "reference/errors.html",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The site, built strictly: a warning, such as a link that leads nowhere, stops it."""
    out = tmp_path_factory.mktemp("docs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(out)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def docs(folder):
    with served(folder) as url:
        yield url


def test_every_page_of_the_docs_is_in_the_site(folder):
    pages = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    missing = [str(page) for page in pages if not (folder / page.with_suffix(".html")).exists()]
    assert missing == []


def test_marks_of_the_tests_are_not_shown(folder):
    for page in folder.rglob("*.html"):
        assert "<!-- run -->" not in page.read_text(), page


def test_nothing_is_loaded_from_elsewhere(folder):
    pattern = re.compile(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?//', re.I)
    assert [page.name for page in folder.rglob("*.html") if pattern.search(page.read_text())] == []


@pytest.mark.parametrize(("theme", "width"), [("dark", 360), ("light", 1280)])
def test_pages_fit_the_window_and_can_be_read(browser, docs, theme, width):
    size = {"width": width, "height": 800}
    with opened(browser, docs, viewport=size, color_scheme=theme) as page:
        for path in PAGES:
            page.goto(f"{docs}/{path}")
            assert page.inner_text("h1")
            assert not is_too_wide(page), path
            assert serious(page) == [], path


def test_search_finds_a_page(browser, docs):
    with opened(browser, docs) as page:
        page.goto(f"{docs}/index.html")
        page.fill("[data-md-component=search-query]", "undo journal", force=True)
        page.wait_for_selector(".md-search-result__link")
        assert page.locator(".md-search-result__link").count() > 0
