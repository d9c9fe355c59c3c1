"""`atip mcp config` and `atip mcp approve` on the command line."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

from tests.cli.run import atip
from tests.simulators.known_tools import document, home_with, know

ATIP = str(pathlib.Path(sys.executable).parent / "atip")


@pytest.mark.parametrize(
    ("client", "place"),
    [
        ("claude-code", ".claude.json"),
        ("claude-desktop", ".config/Claude/claude_desktop_config.json"),
        ("codex", ".codex/config.toml"),
        ("gemini-cli", ".gemini/settings.json"),
        ("cursor", ".cursor/mcp.json"),
        ("vscode", ".config/Code/User/mcp.json"),
    ],
)
def test_an_entry_is_printed_and_with_write_installed(tmp_path, client, place):
    words = ("mcp", "config", client, "--command", ATIP, "--expose", "git status")
    printed = atip(*words, home=tmp_path)
    assert (printed.code, f"belongs in {tmp_path / place}" in printed.err) == (0, True)
    assert not (tmp_path / place).exists()
    written = atip(*words, "--write", "--json", home=tmp_path).document
    assert (written["path"], written["written"], written["backup"]) == (
        str(tmp_path / place),
        True,
        None,
    )
    assert (tmp_path / place).read_text() == printed.out
    assert written["entry"]["args"] == ["mcp", "serve", "--expose", "git status"]
    again = atip(*words, "--write", "--json", home=tmp_path).document
    assert again["written"] is False


def test_the_default_program_is_this_one_by_its_absolute_path(tmp_path):
    entry = atip("mcp", "config", "cursor", "--json", home=tmp_path).document["entry"]
    assert entry["command"].startswith("/")
    assert entry["args"] == ["mcp", "serve"]


def test_a_project_file_is_written_where_asked_for(tmp_path):
    ran = atip("mcp", "config", "claude-code", "--project", "--write", home=tmp_path)
    assert ran.code == 0
    assert "atip" in json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]
    ran = atip("mcp", "config", "claude-desktop", "--project", "--json", home=tmp_path)
    assert ran.document["error"]["code"] == "mcp.no-project-file"


@pytest.mark.parametrize("command", ["/nowhere/atip", "/bin/true"])
def test_an_entry_that_cannot_start_is_not_written(tmp_path, command):
    words = ("mcp", "config", "cursor", "--command", command, "--write", "--json")
    ran = atip(*words, home=tmp_path)
    assert (ran.code, ran.document["error"]["code"]) == (2, "mcp.entry-does-not-start")
    assert not (tmp_path / ".cursor").exists()


def test_damage_and_unknown_clients_are_refused(tmp_path):
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{broken")
    ran = atip("mcp", "config", "cursor", "--write", "--json", home=tmp_path)
    assert (ran.code, ran.document["error"]["code"]) == (1, "config.damaged")
    assert (tmp_path / ".cursor" / "mcp.json").read_text() == "{broken"
    ran = atip("mcp", "config", "cursr", "--json", home=tmp_path)
    assert ran.document["error"]["hint"] == "did you mean `cursor`?"


def test_approval_needs_a_terminal_and_lists_what_waits(tmp_path):
    from atip.server.catalogue import Catalogue
    from atip.server.pins import Pins

    box = home_with(tmp_path)
    pins = Pins(box.places.config)
    pins.put(Catalogue(box).function("greet say"), document())
    assert atip("mcp", "approve", "--list", home=tmp_path).out == "nothing needs approval\n"
    sample = document()
    sample["commands"]["say"]["description"] = "Other words"
    know(box, [sample], tmp_path / "bin" / "greet")
    ran = atip("mcp", "approve", "--list", "--json", home=tmp_path)
    assert (ran.code, ran.document) == (1, {"waiting": ["greet say"]})
    ran = atip("mcp", "approve", "greet", "say", home=tmp_path, stdin="y\n" * 10)
    assert ran.code == 126
    assert '+  "description": "Other words"' in ran.err
    assert atip("mcp", "approve", "--list", home=tmp_path).code == 1


def test_serve_says_what_is_wrong_before_it_speaks(tmp_path):
    home_with(tmp_path)
    ran = atip("mcp", "serve", "--expose", "greet sya", home=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert "did you mean `greet say`?" in ran.err
    ran = atip("mcp", "serve", "--root", "nowhere", home=tmp_path)
    assert (ran.code, "mcp.root" in ran.err) == (2, True)
