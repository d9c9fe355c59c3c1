"""init: finds the agents, shows the changes, writes them once, and takes them back byte for byte."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from tests.cli.run import atip

CLAUDE = '{\n  "model": "opus",\n  "hooks": {}\n}\n'
CODEX = '# mine\nmodel = "o9"\n'
GEMINI = '{"theme": "dark" /* mine */}'


@pytest.fixture
def machine(tmp_path):
    """A home with the settings of three coding agents, and a project."""
    for name, text in {
        ".claude/settings.json": CLAUDE,
        ".claude.json": '{"projects": {}}\n',
        ".codex/config.toml": CODEX,
        ".gemini/settings.json": GEMINI,
        "project/AGENTS.md": "# Rules\nBe kind.\n",
        "project/.git/HEAD": "ref: refs/heads/main\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "bin").mkdir()
    for name in ("bash", "env", "sh", "timeout"):  # and no coding agent of this machine
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    return tmp_path


def init(machine, *words, **changes):
    path = f"{machine}/bin"
    return atip("init", *words, home=machine, cwd=machine / "project", PATH=path, **changes)


def snapshot(machine) -> dict[str, bytes]:
    own = (".local", ".cache", ".config/agent-tools")
    return {
        name: (machine / name).read_bytes()
        for path in sorted(machine.rglob("*"))
        if path.is_file() and not (name := path.relative_to(machine).as_posix()).startswith(own)
    }


def test_a_dry_run_shows_every_file_and_changes_none(machine):
    before = snapshot(machine)
    ran = init(machine, "--dry-run")
    assert ran.code == 0
    for word in (
        "Claude Code: judge every shell line",
        ".codex/hooks.json (new)",
        "AGENTS.md (changed)",
    ):
        assert word in ran.out
    changes = init(machine, "--dry-run", "--json").document["changes"]
    assert {os.path.basename(change["path"]) for change in changes} == {
        "settings.json", ".claude.json", "hooks.json", "config.toml", "AGENTS.md",
    }  # fmt: skip
    assert snapshot(machine) == before


def test_without_a_terminal_nothing_is_written(machine):
    before = snapshot(machine)
    ran = init(machine, "--no-scan")
    assert (ran.code, "consent.no-terminal" in ran.err) == (126, True)
    assert snapshot(machine) == before


def test_everything_is_written_once_and_taken_back(machine):
    before = snapshot(machine)
    ran = init(machine, "--yes", "--no-scan")
    assert ran.code == 0, ran.err
    assert "then try:" in ran.out
    gemini = json.loads((machine / ".gemini/settings.json").read_text().replace("/* mine */", ""))
    assert gemini["theme"] == "dark" and gemini["hooks"] and gemini["mcpServers"]["atip"]
    assert "[mcp_servers.atip]" in (machine / ".codex/config.toml").read_text()
    assert "/* mine */" in (machine / ".gemini/settings.json").read_text()
    after = snapshot(machine)
    again = init(machine, "--yes", "--no-scan", "--json")
    assert again.document["written"] == []
    assert snapshot(machine) == after
    removed = init(machine, "--remove", "--yes", "--json")
    assert removed.document["edited"] == []
    assert snapshot(machine) == before


def test_what_was_changed_since_keeps_those_changes(machine):
    before = snapshot(machine)
    assert init(machine, "--yes", "--no-scan").code == 0
    settings = machine / ".gemini/settings.json"
    value = json.loads(settings.read_text().replace("/* mine */", ""))
    settings.write_text(json.dumps({**value, "theme": "light"}, indent=2))
    note = machine / "project/AGENTS.md"
    note.write_text(note.read_text() + "\nBe brief.\n")
    codex = machine / ".codex/config.toml"
    codex.write_text(codex.read_text() + "\n[tui]\nnotifications = true\n")
    removed = init(machine, "--remove", "--yes", "--json").document
    assert {os.path.basename(path) for path in removed["edited"]} == {
        "settings.json",
        "AGENTS.md",
        "config.toml",
    }
    left = json.loads(settings.read_text())
    assert left["theme"] == "light"
    assert "atip" not in json.dumps(left)
    assert note.read_text().splitlines() == ["# Rules", "Be kind.", "", "Be brief."]
    assert "atip" not in codex.read_text() and "[tui]" in codex.read_text()
    assert snapshot(machine)[".claude/settings.json"] == before[".claude/settings.json"]


def test_one_client_can_be_named(machine):
    ran = init(machine, "codex", "--yes", "--no-scan", "--json")
    assert ran.code == 0
    assert not any("gemini" in path for path in ran.document["written"])


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--remove", "--yes"), "init.not-set-up"), (("nonsense",), "guard.unknown-client")],
)
def test_errors_have_codes(machine, words, code):
    ran = init(machine, *words, "--json")
    assert ran.document["error"]["code"] == code


def test_a_machine_without_agents_says_so(tmp_path):
    ran = atip("init", "--dry-run", "--json", home=tmp_path, cwd=tmp_path, PATH="/nonexistent")
    assert ran.document["error"]["code"] == "init.no-client"


def test_a_damaged_file_stops_before_anything_is_written(machine):
    (machine / ".gemini/settings.json").write_text('{"theme": ')
    before = snapshot(machine)
    ran = init(machine, "--yes", "--no-scan", "--json")
    assert ran.document["error"]["code"] == "config.damaged"
    assert snapshot(machine) == before


def test_the_next_step_is_the_setup_until_it_is_done(machine):
    path = f"{machine}/bin"
    state = atip("--json", home=machine, cwd=machine / "project", PATH=path).document
    assert state["next"]["command"] == "atip init"
    assert "Claude Code, Codex, Gemini CLI" in state["next"]["why"]
    assert init(machine, "--yes", "--no-scan").code == 0
    state = atip("--json", home=machine, cwd=machine / "project", PATH=path).document
    assert state["next"]["command"] == "atip scan"


@pytest.mark.parametrize(
    "line",
    [
        "atip search 'compress a folder'",
        "atip show git commit",
        "atip explain 'rm -rf build'",
        "atip guard log",
    ],
)
def test_what_the_note_tells_agents_to_do_needs_no_question(line, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    assert atip("policy", "check", line, home=tmp_path, cwd=project).code == 0
    assert atip("policy", "check", f"{line} > out.txt", home=tmp_path, cwd=project).code != 0
