"""Pictures of terminal and pages at three widths in both themes. `ATIP_PICTURES=1` makes those of the docs again."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.simulators.pages import broken_flags, is_too_wide, keep_picture, opened

SIZES = ((360, 740), (1280, 800), (3840, 2160))
PAGES = {"start": "index.html", "tool": "t/gh/index.html", "command": "t/git/push.html"}
KEPT = {
    "start-1280-light",
    "start-3840-dark",
    "tool-360-light",
    "tool-1280-dark",
    "command-3840-light",
    "command-360-dark",
    "command-1280-light",
}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_is_wider_than_any_window(browser, site, theme):
    for width, height in SIZES:
        size = {"width": width, "height": height}
        with opened(browser, site, viewport=size, color_scheme=theme) as page:
            for name, path in PAGES.items():
                page.goto(f"{site}/{path}")
                assert not is_too_wide(page), (name, width)
                if f"{name}-{width}-{theme}" in KEPT:
                    keep_picture(page, f"{name}-{width}-{theme}")
            if width == SIZES[0][0]:
                assert broken_flags(page, ".effects") == []


def test_the_terminal_has_its_picture(browser, tmp_path):
    from rich.console import Console
    from rich.text import Text

    argv = [sys.executable, "-m", "atip.cli.main", "explain", "git push --force && rm -rf build"]
    kept = {key: text for key, text in os.environ.items() if not key.startswith(("XDG_", "ATIP_"))}
    env = {**kept, "HOME": str(tmp_path), "FORCE_COLOR": "1", "COLUMNS": "100"}
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    done = subprocess.run(argv, capture_output=True, text=True, env=env, cwd=project, timeout=60)
    assert "rm -rf build" in done.stdout
    shown = done.stdout.replace(str(tmp_path), "~")
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=100, file=nowhere)
        console.print(Text.from_ansi(f"$ atip explain 'git push --force && rm -rf build'\n{shown}"))
        html = console.export_html(inline_styles=True)
    with opened(browser, "about:", viewport={"width": 1000, "height": 210}) as page:
        page.set_content(html)
        keep_picture(page, "terminal")
