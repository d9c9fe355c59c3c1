"""A confined line can write what a later line runs: what runs files of the workspace is at most confined, and settings cannot be planted."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.cli.run import atip
from tests.cli.test_guard_confine import drive
from tests.cli.test_guard_install import on_terminal

pytestmark = pytest.mark.sandbox

RUNS_FILES = (
    "npm test", "make", "python -m pytest -q", "./check.sh", "node_modules/.bin/tsc", ".venv/bin/python x.py",
    "bash build.sh", "cargo test", "npm rebuild", "some-unknown-tool", "eslint src",
)  # fmt: skip
ORDINARY = ("git fetch", "git add -A", "mkdir build")


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "home/work"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (folder / "package.json").write_text(json.dumps({"scripts": {"test": "node --test"}}))
    return folder


def allow(work: pathlib.Path, *lines: str, unsafe: bool = False) -> None:
    """Rules as `policy allow` writes them."""
    rules = [
        {"decision": "allow", "words": line.split(), **({"unsafeUnconfined": True} if unsafe else {})}
        for line in lines
    ]  # fmt: skip
    folder = work.parent / ".config/agent-tools"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "policy.json").write_text(json.dumps({"policy": {"version": "1", "preset": "cautious", "rules": rules}}))  # fmt: skip


def explain(work: pathlib.Path, line: str) -> tuple[str, str]:
    found = atip("explain", "--json", line, home=work.parent, cwd=work).document
    return found["decision"], found["inSandbox"]


@pytest.mark.parametrize("line", RUNS_FILES)
def test_a_rule_confines_what_runs_files_of_the_workspace(work: pathlib.Path, line: str) -> None:
    allow(work, line)
    assert explain(work, line) == ("confine", "confine")
    allow(work, line, unsafe=True)
    assert explain(work, line) == ("allow", "allow")


def test_a_rule_for_anything_else_allows(work: pathlib.Path) -> None:
    allow(work, *ORDINARY)
    for line in ORDINARY:
        assert explain(work, line) == ("allow", "allow"), line


def test_no_preset_lets_files_of_the_workspace_run_outside(work: pathlib.Path) -> None:
    for preset in ("read-only", "cautious", "workspace", "ci"):
        for line in RUNS_FILES:
            found = atip("policy", "check", "--json", "--policy", preset, line, home=work.parent, cwd=work)  # fmt: skip
            assert found.document["decision"] != "allow", (preset, line)


def test_policy_allow_says_where_the_line_will_run(work: pathlib.Path) -> None:
    home = work.parent
    assert on_terminal(home, b"y\n", "policy", "allow", "npm test", cwd=work).code == 0
    assert explain(work, "npm test") == ("confine", "confine")
    words = ("policy", "allow", "make", "--unsafe-unconfined")
    assert on_terminal(home, b"y\n", *words, cwd=work).code == 0
    assert explain(work, "make") == ("allow", "allow")
    shown = atip("policy", "show", "--json", home=home, cwd=work).document["layers"][0]["rules"]
    assert [each.get("unsafeUnconfined") for each in shown] == [None, True]


def test_a_client_gets_the_confined_line_and_a_stranger_a_question(work: pathlib.Path) -> None:
    (work / "check.sh").write_text("#!/bin/sh\necho x > ../outside.txt\n")
    (work / "check.sh").chmod(0o755)
    allow(work, "./check.sh")
    (said,) = drive(work, "./check.sh")
    assert said["decision"] == "allow" and "run --line" in said["input"]["command"]
    assert not (work.parent / "outside.txt").exists()
    (other,) = drive(work, "./check.sh", version="9.9.9", at=work.parent.parent / "other")
    assert other["decision"] == "ask"


def test_run_is_confined_anyway_and_needs_no_question(work: pathlib.Path) -> None:
    allow(work, "node -p 1+1", "python3 x.py")
    (work / "x.py").write_text("open('../outside.txt', 'w')\n")
    result = atip("run", "python3", "x.py", home=work.parent, cwd=work)
    assert result.code == 0 and not (work.parent / "outside.txt").exists(), result


def test_a_module_beside_the_line_is_not_the_library(work: pathlib.Path) -> None:
    line = "python3 -m json.tool package.json"
    assert explain(work, line) == ("allow", "allow")
    (work / "json.py").write_text("open('/tmp/x', 'w')\n")
    assert explain(work, line) == ("ask", "confine")
    assert explain(work, "python3 -I -m json.tool package.json")[0] == "allow"


HOOKS = {"one": ".githooks", "deep": "tools/git/hooks", "here": ".", "away": "/nowhere/hooks"}


@pytest.mark.parametrize("place", sorted(HOOKS))
def test_hooks_that_settings_move_cannot_be_written(work: pathlib.Path, place: str) -> None:
    folder = HOOKS[place]
    (work / ".git/config").write_text(f"[core]\n\thooksPath = {folder}\n")
    target = work / folder
    script = f"mkdir -p {folder}; echo evil > {folder}/pre-commit; echo done > done.txt"
    atip("run", "--line", script, home=work.parent, cwd=work)
    assert (work / "done.txt").exists()
    assert not (target / "pre-commit").exists()
    if place != "away":
        (target).mkdir(parents=True, exist_ok=True)
        (target / "pre-commit").write_text("mine")
        atip("run", "--line", script, home=work.parent, cwd=work)
        assert (target / "pre-commit").read_text() == "mine"


@pytest.mark.parametrize(
    "name",
    (".husky/pre-commit", ".vscode/tasks.json", ".claude/settings.json", ".codex/config.toml", ".npmrc", ".yarnrc.yml",
     ".yarn/releases/yarn.cjs", ".cargo/config.toml", "rust-toolchain.toml", "sub/.npmrc"),
)  # fmt: skip
def test_settings_cannot_be_planted(work: pathlib.Path, name: str) -> None:
    script = f"mkdir -p {name.rpartition('/')[0] or '.'}; echo evil > {name}; echo x > done.txt"
    atip("run", "--line", script, home=work.parent, cwd=work)
    assert (work / "done.txt").exists() and not (work / name).exists()
