"""The catalogue in a real browser: search, keyboard, links, themes, narrow windows, no JavaScript, accessibility."""

from __future__ import annotations

import json
import urllib.request

import pytest

from tests.simulators.pages import first_search, is_too_wide, loaded_bytes, opened, serious

PAGES = (
    "",
    "browse/",
    "t/rm/index.html",
    "t/git/push.html",
    "coverage/",
    "changes/",
    "search/?q=push",
    "explain/",
)


def test_search_finds_a_command_and_the_keyboard_opens_it(browser, site):
    with opened(browser, site) as page:
        page.goto(f"{site}/")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "find"
        page.keyboard.type("git push")
        page.wait_for_selector("#found a")
        names = page.locator("#found a code").all_inner_texts()
        assert names[0] == "git push"
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**/t/git/push.html")
        assert page.inner_text("h1") == "git push"


def test_the_middle_of_a_word_is_enough_and_nothing_is_said_plainly(browser, site):
    with opened(browser, site) as page:
        page.goto(f"{site}/t/git/push.html")
        page.fill("#find", "pus")
        page.wait_for_selector("#found a")
        assert "git push" in page.locator("#found a code").all_inner_texts()
        page.fill("#find", "zzzzqqq")
        page.wait_for_selector("#found p")
        assert page.inner_text("#found p") == "Nothing found."
        page.keyboard.press("Escape")
        assert page.is_hidden("#found")


@pytest.mark.measured
@pytest.mark.parametrize("text", ["list", "remove fil", "b"])
def test_search_is_quick_and_needs_little(browser, site, text):
    """The bar is 100 ms, held by the benchmark on a quiet machine; half as much again for one under load."""
    found = []
    for _ in range(3):
        with opened(browser, site) as page:
            found.append(first_search(page, site, text))
    assert max(each.loaded for each in found) < 100_000
    assert min(each.cpu_ms for each in found) < 150


def test_search_results_have_an_address(browser, site):
    with opened(browser, site) as page:
        page.goto(f"{site}/search/index.html?q=push%20commits")
        page.wait_for_selector("#search-results a")
        assert (
            page.locator("#search-results a")
            .first.get_attribute("href")
            .endswith("t/git/push.html")
        )


def test_a_tool_page_says_what_it_may_do_and_what_changed(browser, site):
    with opened(browser, site) as page:
        page.goto(f"{site}/t/git/index.html")
        text = page.inner_text("main")
        assert "may destroy data" in text
        assert "linux-amd64" in text and "darwin-arm64" in text and "sha256:" in text
        assert "1.0 → 2.0" in text and "command push was added" in text
        assert page.locator(".changes code", has_text="push").count() == 1
        page.click("text=push >> nth=0")
        force = page.locator(".options tr", has_text="--force").first
        assert "destroys data" in force.inner_text()


def test_pages_can_be_read_without_scripts(browser, site):
    with opened(browser, site, java_script_enabled=False) as page:
        for path in PAGES:
            page.goto(f"{site}/{path}")
            assert page.inner_text("h1")
        page.goto(f"{site}/")
        page.click("code:text-is('git')")
        assert page.inner_text("h1").startswith("git")
        page.click("code:text-is('push')")
        assert page.inner_text("h1") == "git push"


@pytest.mark.parametrize(
    ("theme", "width", "rules"), [("dark", 360, ["color-contrast"]), ("light", 1280, [])]
)
def test_nothing_is_wider_than_the_window_and_all_can_read_it(browser, site, theme, width, rules):
    size = {"width": width, "height": 800}
    with opened(browser, site, viewport=size, color_scheme=theme) as page:
        for path in PAGES:
            page.goto(f"{site}/{path}")
            assert not is_too_wide(page), path
            assert serious(page, *rules) == [], path


def test_every_effect_has_its_evidence(browser, site):
    with opened(browser, site) as page:
        page.goto(f"{site}/t/git/push.html")
        row = page.locator(".effects tr", has_text="may destroy data").inner_text()
        assert "--force" in row and "curated knowledge" in row
        page.goto(f"{site}/t/ls/index.html")
        assert "does not destroy data" in page.inner_text(".effects")
        page.goto(f"{site}/t/git/index.html")
        assert "push" in page.locator(".effects tr", has_text="change system").inner_text()


def test_the_theme_follows_the_system_and_can_be_chosen(browser, site):
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    with opened(browser, site, color_scheme="dark") as page:
        page.goto(f"{site}/")
        dark = page.evaluate(paper)
        page.click("#theme")
        light = page.evaluate(paper)
        assert light == "rgb(255, 255, 255)" != dark
        page.goto(f"{site}/t/git/index.html")
        assert page.evaluate(paper) == light


@pytest.mark.measured
def test_a_tool_page_is_small_and_soon_there(browser, site):
    found = [paint_over_4g(browser, site) for _ in range(3)]
    assert max(size for _painted, size in found) < 150_000
    assert min(painted for painted, _size in found) < 1000


def paint_over_4g(browser, site):
    """Milliseconds to the first content, and bytes, over a line like 4G: 9 Mbit/s, 85 ms there and back."""
    with opened(browser, site) as page:
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": 85,
                "downloadThroughput": 9e6 / 8,
                "uploadThroughput": 1e6,
            },
        )
        page.goto(f"{site}/t/git/index.html")
        painted = page.evaluate(
            """() => new Promise(resolve => new PerformanceObserver(list => {
                const paint = list.getEntriesByName('first-contentful-paint')[0];
                if (paint) resolve(paint.startTime);
            }).observe({type: 'paint', buffered: true}))"""
        )
        return painted, loaded_bytes(page)


def test_the_same_data_lies_beside_every_page(site):
    def fetch(path):
        with urllib.request.urlopen(f"{site}/{path}", timeout=10) as answer:
            return json.load(answer)

    assert fetch("index.json")["tools"] == 6
    assert [tool["name"] for tool in fetch("browse/g.json")["tools"]] == ["gh", "git"]
    assert fetch("changes/index.json") == {"changes": []}
    assert {chart["id"] for chart in fetch("coverage/index.json")["charts"]} >= {"effects"}
    tool = fetch("t/git/index.json")
    assert tool["name"] == "git" and len(tool["versions"]) == 4
    push = fetch("t/git/push.json")
    assert push["name"] == "git push"
    assert {"destroys data"} <= {
        badge["label"]
        for option in push["options"]
        if "--force" in option["flags"]
        for badge in option["adds"]
    }
    assert fetch("coverage/index.json")["tools"] == 6
