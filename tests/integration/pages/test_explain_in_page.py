"""The judge in the page gives what `atip explain --json` gives, and the line never leaves the page."""

from __future__ import annotations

import json

import pytest

from atip.policy.presets import PRESETS
from atip.toolbox import Toolbox
from tests.shared import shared
from tests.simulators.pages import NODE_MODULES, broken_flags, keep_picture, opened, serious

pytestmark = pytest.mark.skipif(
    not (NODE_MODULES / "pyodide").exists(), reason="no pyodide (scripts/setup-system installs it)"
)
LINES = 300


@pytest.fixture(scope="module")
def judge(browser, judged_site):
    """A page whose judge has started."""
    with opened(browser, judged_site, viewport={"width": 1280, "height": 800}) as page:
        page.goto(f"{judged_site}/explain/index.html")
        page.wait_for_selector("body[data-judge=ready]", timeout=120_000)
        yield page


def lines() -> list[str]:
    """Lines of every kind, spread over our own sets."""
    found = []
    for name in ("guardbench/guard.dev.jsonl", "redteam/lines.dev.jsonl"):
        rows = [json.loads(text) for text in shared(name).read_text().splitlines()]
        found += [row["line"] for row in rows if len(row["line"]) < 2000]
    step = len(found) / LINES
    return [found[int(at * step)] for at in range(LINES)]


def test_the_page_and_the_command_agree(judge, tmp_path, monkeypatch):
    monkeypatch.delenv("ATIP_DELEGATION", raising=False)
    chosen = lines()
    assert len(set(chosen)) > LINES * 0.9
    home, cwd = str(tmp_path), str(tmp_path / "project")
    answers = judge.evaluate(
        "([lines, cwd, home]) => Promise.all(lines.map((line) => atipExplain(line, cwd, home)))",
        [chosen, cwd, home],
    )
    for preset in PRESETS:
        box = Toolbox(home=home, policy=preset)
        for line, answer in zip(chosen, answers, strict=True):
            expected = json.loads(json.dumps(box.explain(line, cwd=cwd).to_json()))
            assert answer["presets"][preset] == expected, line


def test_every_word_is_explained(judge):
    found = judge.evaluate("atipExplain('git push --force origin main && rm -rf build')")
    push, remove = found["words"]
    assert [(one["word"], one["role"]) for one in push][:3] == [
        ("git", "tool"),
        ("push", "command"),
        ("--force", "option"),
    ]
    assert "destructive" in push[2]["text"]
    assert "recursive" in remove[1]["text"] and "force" in remove[1]["text"]


def test_each_reason_names_its_command(judge):
    judge.fill("#shell", "git push --force origin main && rm -rf build && ls")
    judge.keyboard.press("Enter")
    judge.wait_for_selector("#explanation[data-line$=ls]")
    # All presets have the same reasons: shown once, not in each box.
    push, remove = judge.locator("#explanation p.dim:not(.rule)").all_inner_texts()
    assert push.startswith("git push --force origin main: can destroy data irreversibly (--force)")
    assert remove.startswith("rm -rf build: can destroy data irreversibly")


def test_no_flag_goes_on_in_the_next_line(judge):
    line = (
        "git push --force-with-lease origin main && rm -rf build && tar -xzf a.tar.gz -C /usr/local"
    )
    judge.fill("#shell", line)
    judge.keyboard.press("Enter")
    judge.wait_for_selector("#explanation[data-line^='git push --force-with']")
    assert judge.locator("#explanation .whole", has_text="-rf").count()
    assert broken_flags(judge, "main") == []
    judge.set_viewport_size({"width": 1280, "height": 800})


def test_a_line_is_shared_by_its_fragment_and_sent_nowhere(judge):
    questions = []
    judge.on("request", lambda request: questions.append(request.url))
    judge.fill("#shell", "echo '<script>alert(1)</script>'")
    judge.keyboard.press("Enter")
    judge.wait_for_selector("#explanation .card")
    assert judge.evaluate("location.hash").startswith("#echo%20")
    assert judge.locator("#explanation script").count() == 0
    judge.click("text=find . -name")
    judge.wait_for_selector("#explanation[data-line^=find]")
    assert "deletes files" in judge.inner_text("#explanation")
    assert serious(judge) == []
    assert [url for url in questions if "/assets/icon." not in url] == []


def test_an_explained_line_has_its_picture(judge):
    judge.fill("#shell", "git push --force origin main && rm -rf build")
    judge.keyboard.press("Enter")
    judge.wait_for_selector("#explanation[data-line^=git]")
    keep_picture(judge, "explain-1280-light")
