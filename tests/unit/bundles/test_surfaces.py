"""Surfaces: questions on a terminal, forms on a local page, nobody."""

from __future__ import annotations

import io
import re
import threading
import urllib.error
import urllib.parse
import urllib.request

import pytest

from atip.bundles.surfaces.headless import HeadlessSurface
from atip.bundles.surfaces.interface import PromptQuestion, parse_options, settle
from atip.bundles.surfaces.terminal import TerminalSurface
from atip.bundles.surfaces.web import WebSurface
from atip.errors import AtipError

SELECT = PromptQuestion(
    id="r", text="Region", type="select", options=(("eu", "Europe"), ("us", "us"))
)


@pytest.mark.proves("AIP29-SURFACE-01")
def test_terminal_asks_text_secret_select_and_opens_addresses():
    out = io.StringIO()
    opened = []
    surface = TerminalSurface(
        io.StringIO("\nhunter2\nmoon\n1\ny\n"), out, browse=lambda url: opened.append(url) or True
    )
    assert (
        surface.ask(PromptQuestion(id="u", text="URL", default="wss://x", description="Why"))
        == "wss://x"
    )
    assert surface.ask(PromptQuestion(id="t", text="Token", type="secret")) == "hunter2"
    assert surface.ask(SELECT) == "eu"
    assert surface.ask(PromptQuestion(id="b", text="Beta", type="boolean")) == "true"
    surface.open("https://example.com/")
    assert opened == ["https://example.com/"]
    shown = out.getvalue()
    assert "Why" in shown and "1. Europe (eu)" in shown and "not a valid answer" in shown
    assert "hunter2" not in shown


def test_terminal_shows_nothing_that_can_move_the_cursor():
    out = io.StringIO()
    TerminalSurface(io.StringIO("x\n"), out).ask(
        PromptQuestion(id="a", text="ask\x1b[2Jme", description="\x1b]0;t\x07")
    )
    assert "\x1b" not in out.getvalue()


def test_end_of_input_is_a_cancellation():
    with pytest.raises(AtipError) as caught:
        TerminalSurface(io.StringIO(""), io.StringIO()).ask(PromptQuestion(id="a", text="?"))
    assert caught.value.code == "setup.cancelled"
    with pytest.raises(AtipError):
        HeadlessSurface().ask(PromptQuestion(id="a", text="?"))


@pytest.mark.parametrize(
    ("question", "answer", "value"),
    [
        (PromptQuestion(id="a", text="?"), "  x ", "x"),
        (PromptQuestion(id="a", text="?"), "", None),
        (PromptQuestion(id="a", text="?", type="secret"), " x \n", " x "),
        (PromptQuestion(id="a", text="?", type="boolean"), "maybe", None),
        (SELECT, "3", None),
        (SELECT, "us", "us"),
        (PromptQuestion(id="a", text="?"), "x" * 20_000, None),
    ],
)
def test_answers_are_settled(question, answer, value):
    assert settle(question, answer) == value


def test_options_of_a_command():
    assert parse_options(["a\tFirst", "b", "", "\tx"]) == (("a", "First"), ("b", "b"))


class Browser:
    """Opens the page and answers its forms from another thread."""

    def __init__(self, url, answers, *, attack=None):
        self.url, self.answers, self.attack = url, list(answers), attack
        self.pages: list[str] = []
        self.refused: list[int] = []
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        page = self.get(self.url)
        for answer in self.answers:
            token = re.search(r'name=token value="([^"]+)"', page)[1]
            if self.attack:
                self.attack(self, token)
            form = {"token": token, **answer}
            page = self.post(form)

    def get(self, url, **headers):
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            self.pages.append(answer.read().decode())
        return self.pages[-1]

    def post(self, form, url=None, **headers):
        data = urllib.parse.urlencode(form).encode()
        request = urllib.request.Request(url or self.url, data=data, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                self.pages.append(answer.read().decode())
        except urllib.error.HTTPError as error:
            self.refused.append(error.code)
            error.close()
            return ""
        return self.pages[-1]


@pytest.mark.proves("AIP29-SURFACE-02")
def test_web_page_renders_each_question_as_a_form():
    urls: list[str] = []
    surface = WebSurface(urls.append)
    browser = Browser(
        urls[0], [{"answer": "x"}, {"answer": "moon"}, {"answer": "us"}, {"answer": "t"}, {}]
    )
    surface.show("<b>hello</b>")
    surface.open("https://example.com/?a=1&b=2")
    assert (
        surface.ask(PromptQuestion(id="a", text="Name <i>", description="Why & how", default='"q"'))
        == "x"
    )
    assert surface.ask(SELECT) == "us"
    assert surface.ask(PromptQuestion(id="s", text="Secret", type="secret")) == "t"
    assert surface.ask(PromptQuestion(id="b", text="Beta", type="boolean")) == "false"
    surface.close()
    browser.thread.join(10)
    first = browser.pages[0]
    assert "Name &lt;i&gt;" in first and "Why &amp; how" in first and "&quot;q&quot;" in first
    assert "&lt;b&gt;hello&lt;/b&gt;" in first and "a=1&amp;b=2" in first and "<script" not in first
    assert any("type=password" in page for page in browser.pages)
    assert any("try again" in page for page in browser.pages)
    assert "All done" in browser.pages[-1]


def test_web_page_takes_answers_of_its_own_form_only():
    def attack(browser, token):
        origin = urllib.parse.urlsplit(browser.url)
        base = f"{origin.scheme}://{origin.netloc}"
        browser.post({"token": "guess", "answer": "evil"})
        browser.post({"answer": "evil"})
        browser.post({"token": token, "answer": "evil"}, url=f"{base}/setup/guess")
        browser.post({"token": token, "answer": "evil"}, Origin="https://evil.example")
        browser.post({"token": token, "answer": "evil"}, Host="evil.example")

    urls: list[str] = []
    surface = WebSurface(urls.append)
    browser = Browser(urls[0], [{"answer": "good"}], attack=attack)
    assert surface.ask(PromptQuestion(id="a", text="?")) == "good"
    surface.close()
    browser.thread.join(10)
    assert browser.refused == [403, 403, 404, 403, 403]


def test_web_page_can_be_cancelled_and_times_out():
    urls: list[str] = []
    surface = WebSurface(urls.append)
    browser = Browser(urls[0], [{"cancel": "1"}])
    with pytest.raises(AtipError):
        surface.ask(PromptQuestion(id="a", text="?"))
    browser.thread.join(10)
    surface.close()
    surface = WebSurface(urls.append, wait_s=0.2)
    with pytest.raises(AtipError):
        surface.ask(PromptQuestion(id="a", text="?"))
    surface.close()
