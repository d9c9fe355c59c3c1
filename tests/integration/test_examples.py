"""Examples run as they stand."""

from __future__ import annotations

import os
import subprocess
import sys

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
