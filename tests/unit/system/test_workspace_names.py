"""Public names count where the workspace names them; settings of a workspace that choose an endpoint ask."""

from __future__ import annotations

import pytest

from atip.system.workspace.names import MAX_BYTES, WorkspaceNames
from atip.toolbox import Toolbox


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = git@github.com:acme/rocket.git\n'
    )
    (folder / "package.json").write_text('{"dependencies": {"react": "^18", "@acme/ui": "1"}}')
    return folder


@pytest.mark.parametrize("name", ["react", "acme/rocket", "@acme/ui"])
def test_a_name_of_a_manifest_is_found(workspace, name):
    assert WorkspaceNames(str(workspace)).names(name)


@pytest.mark.parametrize("name", ["reac", "react-dom", "rocket/acme", "", "x" * 200, "ocket"])
def test_anything_else_is_not(workspace, name):
    assert not WorkspaceNames(str(workspace)).names(name)


def test_a_manifest_that_leads_out_of_the_workspace_is_not_read(workspace, tmp_path):
    (tmp_path / "elsewhere.json").write_text('{"dependencies": {"leftpad": "1"}}')
    (workspace / "composer.json").symlink_to(tmp_path / "elsewhere.json")
    assert not WorkspaceNames(str(workspace)).names("leftpad")


def test_a_large_manifest_is_read_up_to_a_bound(workspace):
    (workspace / "Gemfile").write_text("#" * MAX_BYTES + "\nleftpad\n")
    assert not WorkspaceNames(str(workspace)).names("leftpad")


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("npm view react version", "allow"),
        ("npm view leftpad version", "ask"),
        ("npm view react --registry https://x.example", "ask"),
        ("npm outdated", "allow"),
        ("gh pr list -R acme/rocket", "allow"),
        ("gh pr list --repo=acme/rocket", "allow"),
        ("gh pr list -R other/rocket", "ask"),
        ("gh pr list -R x.example/acme/rocket", "ask"),
        ("gh api repos/acme/rocket/issues", "allow"),
        ("gh api repos/acme/rocket/../../other/x", "ask"),
        ("gh api repos/acme/other", "ask"),
        ("gh api repos/acme/rocket-data/issues", "ask"),
        ('npm view "$(cat notes)"', "ask"),
    ],
)
def test_the_judge_asks_the_workspace(workspace, tmp_path, line, outcome):
    box = Toolbox(home=str(tmp_path / "home"), policy="cautious")
    assert box.explain(line, cwd=str(workspace)).decision.outcome == outcome


def test_settings_of_the_workspace_that_choose_a_registry_ask(workspace, tmp_path):
    (workspace / ".npmrc").write_text("registry=https://x.example\n")
    box = Toolbox(home=str(tmp_path / "home"), policy="cautious")
    for line in ("npm view react", "npm outdated", "npm ping"):
        assert box.explain(line, cwd=str(workspace)).decision.outcome == "ask"
    inner = workspace / "packages" / "a"
    inner.mkdir(parents=True)
    assert box.explain("npm outdated", cwd=str(inner)).decision.outcome == "ask"
