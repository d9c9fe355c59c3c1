"""Names and texts that want to be more than text: shown, never run; no request goes elsewhere; no layout breaks."""

from __future__ import annotations

import json

import pytest

from tests.shared import find_shared
from tests.simulators.pages import is_too_wide, make_site, opened, served
from tests.unit.registry.publish.source import digits_of

OWN = [
    "<script>document.title='owned'</script>",
    "<img src=https://evil.example/x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "javascript:alert(1)",
    "{{ 7*7 }}{% for x in y %}",
    "a\u202egnp.exe",
    "\x1b]0;owned\x07\x00\x9b31m",
    "x" * 100_000,
    "\u0301" * 500,
    "../../../etc/passwd",
    "index.html",
    "CON",
    "-->",
    "]]>&amp;<!--",
]


def corpus() -> list[str]:
    """Texts that want to be more than text: our own, and those of the security corpora where they are."""
    found = list(OWN)
    for name, key in (
        ("names/tool-names.jsonl", "name"),
        ("terminal/escapes.jsonl", "bytes_hex"),
        ("tool-poisoning/descriptions.jsonl", "text"),
    ):
        path = find_shared(f"corpora/security/{name}")
        for line in path.read_text().splitlines() if path else ():
            text = json.loads(line)[key]
            found.append(bytes.fromhex(text).decode("latin-1") if key == "bytes_hex" else text)
    return list(dict.fromkeys(text for text in found if text))


def document(name: str, text: str, digits: str) -> dict:
    return {
        "atip": {"version": "0.6"},
        "binary": {"hash": f"sha256:{digits}", "name": name, "version": text, "platform": text},
        "name": name,
        "version": text,
        "description": text,
        "homepage": text,
        "license": text,
        "trust": {"source": "community"},
        "examples": [text],
        "commands": {
            name: {
                "description": text,
                "examples": [text],
                "aliases": [text],
                "options": [
                    {
                        "name": text,
                        "flags": [text],
                        "type": "string",
                        "description": text,
                        "default": text,
                    }
                ],
                "arguments": [{"name": text, "type": "string", "description": text}],
            }
        },
        "patterns": [{"name": text, "description": text, "steps": [{"command": text}]}],
    }


class Published:
    """A tree that no careful publisher made."""

    def __init__(self, folder, texts):
        self.public = folder / "public"
        (self.public / "shims" / "sha256").mkdir(parents=True)
        tools = {}
        for text in texts:
            digits = digits_of(text.encode("utf-8", "surrogatepass"))
            path = self.public / "shims" / "sha256" / f"{digits}.json"
            path.write_text(json.dumps(document(text, text, digits)))
            versions = {text: {text: f"sha256:{digits}"}, "9": {"any": "sha256:../../x"}}
            tools[text] = {"description": text, "versions": versions}
        catalog = {"version": "1", "updated": texts[0], "totalShims": len(tools), "tools": tools}
        (self.public / "shims" / "index.json").write_text(json.dumps(catalog))
        manifest = {"registry": {"name": texts[0], "url": "https://registry.example"}}
        (self.public / ".well-known").mkdir()
        (self.public / ".well-known" / "atip-registry.json").write_text(json.dumps(manifest))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    report = make_site(Published(folder, corpus()), folder / "out")
    assert report.tools == len(corpus())
    with served(folder / "out") as url:
        yield url, folder / "out"


def test_every_file_stays_inside_and_has_a_tame_name(hostile):
    _url, out = hostile
    for path in out.rglob("*"):
        name = path.relative_to(out).as_posix()
        assert name.isascii() and name.isprintable() and " " not in name
        assert not path.is_symlink()
    assert not (out.parent / "etc").exists()


def test_no_page_holds_markup_from_outside(hostile):
    _url, out = hostile
    for path in out.rglob("*.html"):
        text = path.read_text()
        assert (
            "<script>" not in text
            and "<img" not in text
            and "onload=alert" not in text.replace("&gt;&lt;svg onload=alert(1)&gt;", "")
        )
        assert "\x1b" not in text and "\u202e" not in text and "49{" not in text
        assert 'href="javascript' not in text
    for path in [*out.rglob("feed.xml"), *out.glob("sitemap*.xml")]:
        import xml.dom.minidom

        xml.dom.minidom.parse(str(path))


def visit(browser, url, paths):
    with opened(browser, url, viewport={"width": 360, "height": 800}) as page:
        for path in paths:
            page.goto(f"{url}/{path}", wait_until="load")
            assert page.title() != "owned"
            assert not is_too_wide(page), path


def pages_of(out):
    found = [path.relative_to(out).as_posix() for path in sorted(out.rglob("*.html"))]
    # links of `404.html` start at the public address of the site
    return [path for path in found if not path.startswith(("explain/", "404"))]


def test_nothing_runs_and_nothing_is_asked_elsewhere(browser, hostile):
    """Every page about all tools and one of twelve others; `soak` visits each."""
    url, out = hostile
    tools = [path for path in pages_of(out) if path.startswith("t/")]
    visit(browser, url, [path for path in pages_of(out) if path not in tools] + tools[::12])


@pytest.mark.soak
def test_nothing_runs_on_any_page(browser, hostile):
    url, out = hostile
    visit(browser, url, pages_of(out))


def test_search_results_are_text(browser, hostile):
    url, _out = hostile
    with opened(browser, url) as page:
        page.goto(f"{url}/index.html")
        for words in ("script", "onerror alert", "important"):
            page.fill("#find", words)
            page.wait_for_selector("#found a")
            assert page.locator("#found img, #found script, #found svg").count() == 0
