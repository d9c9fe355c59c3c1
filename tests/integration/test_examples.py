"""Examples run as they stand."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from tests.cli.run import atip
from tests.shared import ROOT


def test_the_agent_loop_reads_and_refuses_to_destroy(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "notes.txt").write_text("a\nb\n")
    (project / "untracked.txt").write_text("mine\n")
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    env = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ATIP_"))}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "agent_loop.py")],
        capture_output=True, text=True, cwd=project, env={**env, "HOME": str(tmp_path)}, check=True,
    )  # fmt: skip
    first, second = done.stdout.splitlines()
    assert first.startswith("wc ") and "2 notes.txt" in first
    assert second.startswith("git_clean ") and "consent.no-terminal" in second
    assert (project / "untracked.txt").exists()


def clean_environment(home):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ATIP_"))}
    path = f"{pathlib.Path(sys.executable).parent}:{env['PATH']}"
    return {**env, "HOME": str(home), "PATH": path}


def test_policy_of_a_team_passes_its_own_examples(tmp_path):
    policy = ROOT / "examples" / "team" / "policy.json"
    result = atip("policy", "test", str(policy), home=tmp_path)
    assert result.code == 0, result.out + result.err
    installed = tmp_path / ".config" / "agent-tools" / "policy.json"
    installed.parent.mkdir(parents=True)
    installed.write_text(policy.read_text())
    installed.chmod(0o600)
    denied = atip("explain", "git push --force origin main", "--json", home=tmp_path).document
    assert (denied["decision"], denied["rule"]) == ("deny", "user: no force pushes")
    wrong = json.loads(policy.read_text())
    wrong["policy"]["rules"][1]["not_match"] = ["git push --force"]
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    assert atip("policy", "test", str(tmp_path / "wrong.json"), home=tmp_path).code == 1


@pytest.mark.sandbox
def test_cmp_tool_is_valid_found_and_asks_before_it_destroys(tmp_path):
    tool = ROOT / "examples" / "cmp" / "jot"
    checked = atip("validate", str(tool / "cmp"), home=tmp_path)
    assert checked.code == 0, checked.out + checked.err
    shutil.copytree(tool, tmp_path / ".cmp" / "tools" / "jot")
    work = tmp_path / "work"
    work.mkdir()
    assert "jot-cli list" in atip("cmp", "match", "show my notes", home=tmp_path).out
    plan = atip(
        "cmp", "run", "write a note", "text=a b", "--dry-run", "--json", home=tmp_path, cwd=work
    )
    assert plan.document["argv"][1:] == ["add", "a b"]
    refused = atip("cmp", "run", "drop every note", "--yes", home=tmp_path, cwd=work)
    assert refused.code == 126


@pytest.mark.sandbox
def test_private_registry_brings_the_policy_of_its_organization(tmp_path):
    script = ROOT / "examples" / "private_registry.sh"
    done = subprocess.run(
        [script], capture_output=True, text=True, env=clean_environment(tmp_path), timeout=200
    )
    assert done.stdout.splitlines()[-1:] == ["example finished"], done.stdout + done.stderr


@pytest.mark.sandbox
def test_client_of_the_official_sdk_finds_describes_and_runs(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "notes.txt").write_text("a\nb\n")
    env = clean_environment(tmp_path)
    client = [sys.executable, str(ROOT / "examples" / "mcp_client.py")]
    words = ["count", "lines", "of", "a", "file", "--", "wc", 'FILE:=["notes.txt"]']
    done = subprocess.run(
        [*client, *words], capture_output=True, text=True, cwd=project, env=env, timeout=200
    )
    assert done.returncode == 0 and "2 2 4 notes.txt" in " ".join(done.stdout.split()), (
        done.stdout + done.stderr
    )
