"""Looking through: what a line leads to is told, and only ever makes the answer stricter; nothing is executed."""

from __future__ import annotations

import json
import pathlib
import time

import pytest

from atip.toolbox import Toolbox
from tests.cli.run import atip


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "home/work"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    scripts = {
        "test": "vitest run",
        "deploy": "npm run build && git push",
        "build": "tsc -p .",
        "loop": "npm run loop; npm run loop",
        "bad": "rm -rf ~",
        "clean": "rm -rf build",
    }
    (folder / "package.json").write_text(json.dumps({"scripts": scripts}))
    (folder / "Makefile").write_text("all:\n\ttouch ran\nship: all\n\tscp x host:/y\n")
    (folder / "t.sh").write_text("#!/bin/sh\nmake ship\n")
    (folder / "t.sh").chmod(0o755)
    return folder


def explain(work: pathlib.Path, line: str) -> dict:
    return Toolbox(home=str(work.parent), cwd=str(work)).explain(line, cwd=str(work)).to_json()


@pytest.mark.parametrize(
    ("line", "decision", "confined"),
    [
        ("npm test", "ask", "confine"),
        ("npm run clean", "ask", "confine"),
        ("npm run deploy", "ask", "confine"),
        ("npm run loop", "ask", "confine"),
        ("npm run bad", "deny", "deny"),
        ("make", "ask", "confine"),
        ("make ship", "ask", "confine"),
        ("./t.sh", "ask", "confine"),
        ("bash t.sh", "ask", "confine"),
        ("git status", "allow", "allow"),
        ("ls", "allow", "allow"),
    ],
)
def test_what_is_found_makes_the_answer_stricter(
    work: pathlib.Path, line: str, decision: str, confined: str
) -> None:
    found = explain(work, line)
    assert (found["decision"], found["inSandbox"]) == (decision, confined), found
    assert not (work / "ran").exists()


def test_what_is_sent_is_a_question_where_policy_grants_a_host(work: pathlib.Path) -> None:
    folder = work.parent / ".config/agent-tools"
    folder.mkdir(parents=True)
    policy = {
        "policy": {"version": "1", "preset": "cautious", "grants": {"hosts": ["example.com"]}}
    }
    (folder / "policy.json").write_text(json.dumps(policy))
    for line in ("npm run deploy", "make ship", "./t.sh"):
        assert explain(work, line)["inSandbox"] == "ask", line
    assert explain(work, "npm test")["inSandbox"] == "confine"


def test_the_reason_names_the_chain(work: pathlib.Path) -> None:
    found = atip("explain", "--json", "./t.sh", home=work.parent, cwd=work).document
    assert found["chains"][-1].startswith("`./t.sh` → `#!/bin/sh make ship` → ")
    assert any("scp x host:/y" in chain for chain in found["chains"])
    assert any("→" in reason for reason in found["reasons"])


@pytest.mark.parametrize(
    "setting",
    [
        "[core]\n\tfsmonitor = ./evil\n",
        '[filter "x"]\n\tclean = ./evil\n',
        "[include]\n\tpath = x\n",
        "odd\n",
    ],
)
def test_a_repository_that_starts_programs_is_not_read_only(
    work: pathlib.Path, setting: str
) -> None:
    (work / ".git/config").write_text(setting)
    found = explain(work, "git status")
    assert (found["decision"], found["inSandbox"]) == ("ask", "confine")


def test_no_script_makes_a_line_allowed(work: pathlib.Path) -> None:
    (work / "package.json").write_text('{"scripts": {"test": "ls"}}')
    (work / "t.sh").write_text("#!/bin/sh\nls\n")
    for line in ("npm test", "./t.sh", "bash t.sh"):
        assert explain(work, line)["decision"] == "ask"


def test_secrets_and_files_of_elsewhere_are_not_quoted(work: pathlib.Path) -> None:
    token = "ghp_" + "a1B2" * 9
    (work.parent / "outside.sh").write_text("echo the text itself\n")
    (work / ".env").write_text("PASSWORD=hunter2hunter2\n")
    (work / "link.sh").symlink_to(work.parent / "outside.sh")
    (work / "t.sh").write_text(f"#!/bin/sh\ncurl -H 'Authorization: Bearer {token}' x\n")
    for line in ("bash ../outside.sh", "bash link.sh", "bash .env", "./t.sh"):
        shown = json.dumps(explain(work, line)["chains"])
        assert not any(text in shown for text in ("text itself", "hunter2", token)), shown


def test_a_changed_script_is_another_decision(work: pathlib.Path) -> None:
    box = Toolbox(home=str(work.parent), cwd=str(work))
    first = box.explain("npm test", cwd=str(work)).digest
    assert first and box.explain("npm test", cwd=str(work)).digest == first
    (work / "package.json").write_text('{"scripts": {"test": "vitest run --coverage"}}')
    assert box.explain("npm test", cwd=str(work)).digest != first
    assert box.explain("ls", cwd=str(work)).digest == ""


@pytest.mark.measured
def test_large_repositories_and_files_cost_little(work: pathlib.Path) -> None:
    """Reads the files that a line names, and no folder: 10,000 files more change nothing."""
    box = Toolbox(home=str(work.parent), cwd=str(work))
    box.explain("npm test && make ship", cwd=str(work))

    def cost() -> float:
        times = []
        for _ in range(5):
            start = time.process_time()
            box.explain("npm test && make ship", cwd=str(work))
            times.append(time.process_time() - start)
        return min(times)

    alone = cost()
    for number in range(10_000):
        (work / f"f{number}").touch()
    assert cost() < 2 * alone + 0.02
    (work / "package.json").write_text('{"scripts": {"test": "' + "x" * 500_000 + '"}}')
    assert explain(work, "npm test")["chains"] == []


NOX = """
import nox

@nox.session(python=["3.11", "3.12"])
def tests(session):
    session.install("pytest")
    session.run("pytest", "-q", *session.posargs)

@nox.session
def ship(session):
    session.run("git", "push", external=True)
"""


def test_sessions_of_nox_are_read_and_never_run(work: pathlib.Path) -> None:
    (work / "noxfile.py").write_text(NOX + "open('ran', 'w')\n")
    found = explain(work, "nox -s tests")
    assert found["inSandbox"] == "confine"
    assert any("`pytest -q " in chain for chain in found["chains"]), found["chains"]
    assert not any("git push" in chain for chain in found["chains"])
    assert any("git push" in chain for chain in explain(work, "nox")["chains"])
    assert not (work / "ran").exists()
    (work / "noxfile.py").write_text("def (")
    assert explain(work, "nox")["inSandbox"] == "confine"


def test_hooks_are_part_of_what_git_runs(work: pathlib.Path) -> None:
    hook = work / ".git/hooks/pre-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nnpx lint-staged\n")
    assert explain(work, "git commit -m x")["chains"] == []  # it is not executable
    hook.chmod(0o755)
    assert any("npx lint-staged" in chain for chain in explain(work, "git commit -m x")["chains"])
    assert explain(work, "git status")["chains"] == []
    (work / ".git/config").write_text("[core]\n\thooksPath = .githooks\n")
    (work / ".githooks").mkdir()
    moved = work / ".githooks/pre-push"
    moved.write_text("#!/usr/bin/env python3\nprint(1)\n")
    moved.chmod(0o755)
    assert any("./pre-push" in chain for chain in explain(work, "git push")["chains"])


def test_settings_of_a_linked_worktree_are_those_of_its_repository(work: pathlib.Path) -> None:
    main = work.parent / "main/.git"
    entry = main / "worktrees/work"
    entry.mkdir(parents=True)
    (main / "HEAD").write_text("ref: refs/heads/main\n")
    (main / "config").write_text("[core]\n\tfsmonitor = ./watch.sh\n")
    (entry / "gitdir").write_text(f"{work}/.git\n")
    for path in (work / ".git").iterdir():
        path.unlink()
    (work / ".git").rmdir()
    (work / ".git").write_text(f"gitdir: {entry}\n")
    found = explain(work, "git status")
    assert found["inSandbox"] == "confine" and found["chains"] == ["`git status` → `./watch.sh`"]
    (entry / "gitdir").write_text("/elsewhere/.git\n")
    assert explain(work, "git status")["chains"] == []


@pytest.mark.parametrize(
    ("file", "text", "line", "code"),
    [
        ("mypy.ini", "[mypy]\nplugins = ./evil.py\n", "mypy .", "./evil.py"),
        (".flake8", "[flake8:local-plugins]\nextension = X = plug:C\n", "flake8", "./plug.py"),
        (".yarnrc.yml", "yarnPath: .yarn/y.cjs\n", "yarn list", "./.yarn/y.cjs"),
        ("rust-toolchain.toml", '[toolchain]\npath = "t"\n', "cargo --version", "./t/bin"),
        ("Gemfile", "", "bundle list", "./Gemfile"),
        (".terraform.lock.hcl", "", "terraform validate", "./.terraform/providers"),
        (".git/config", "[gpg]\n\tprogram = ./evil\n", "git log --show-signature", "./evil"),
    ],
)
def test_settings_that_name_code_of_the_workspace_end_an_allow(
    work: pathlib.Path, file: str, text: str, line: str, code: str
) -> None:
    assert explain(work, line)["decision"] == "allow"
    (work / file).write_text(text)
    found = explain(work, line)
    assert (found["decision"], found["inSandbox"]) == ("ask", "confine"), found
    assert code in json.dumps(found["chains"])
