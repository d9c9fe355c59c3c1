"""Completion: verbs, options, values, tools and commands, through the scripts that real shells read."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from tests.cli.run import atip

TOOL = {
    "atip": {"version": "0.6"},
    "name": "frob",
    "version": "1.0",
    "description": "Frobs",
    "commands": {
        "remote": {"description": "Remotes", "commands": {"add": {"description": "Adds"}}},
        "$(touch pwned)": {"description": "Hostile"},
    },
}


@pytest.fixture
def home(tmp_path):
    """A home in which one tool is known, whose description has a hostile name in it."""
    program = tmp_path / "bin" / "frob"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n# --agent\ncat <<'E'\n{json.dumps(TOOL)}\nE\n")
    program.chmod(0o755)
    atip("scan", "--path", str(program.parent), home=tmp_path)
    return tmp_path


CASES = {
    "vali": ["validate"],
    "validate --len": ["--lenient"],
    "guard inst": ["install"],
    "guard install cl": ["claude-code"],
    "list --source n": ["native"],
    "compile frob --for an": ["anthropic"],
    "run --policy ci": ["ci"],
    "convert --to fi": ["fig"],
    "completion fi": ["fish"],
    "show fr": ["frob"],
    "show frob ": ["remote"],
    "show frob remote ": ["add"],
    "run frob remote a": ["add"],
    "show nothing ": [],
    "nonsense ": [],
}


def words_of(line: str) -> list[str]:
    return [*line.split(), *([""] if line.endswith(" ") else [])]


@pytest.mark.sandbox
@pytest.mark.parametrize("line", CASES)
def test_candidates(home, line):
    words = words_of(line)
    document = atip("completion", "bash", "--json", "--candidates", *words, home=home).document
    assert document == {"candidates": CASES[line]}
    assert not (home / "pwned").exists()


def environment(home: pathlib.Path) -> dict[str, str]:
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb"}


@pytest.mark.sandbox
def test_bash_completes_through_its_script(home):
    script = atip("completion", "bash", home=home).out
    probes = [
        (f"COMP_WORDS=(atip {line}{' ' + chr(39) * 2 if line.endswith(' ') else ''}); "
         f"COMP_CWORD={len(words_of(line))}; COMPREPLY=(); _atip; echo \"${{COMPREPLY[*]}}\"")
        for line in CASES
    ]  # fmt: skip
    probes.append("COMP_WORDS=(atip compile frob --for = an); COMP_CWORD=5; _atip; echo ${COMPREPLY[*]}")  # fmt: skip
    done = subprocess.run(
        ["bash", "-c", "\n".join([script, *probes])],
        capture_output=True, text=True, check=True, env=environment(home), cwd=home,
    )  # fmt: skip
    assert done.stdout.splitlines() == [" ".join(found) for found in CASES.values()] + ["anthropic"]
    assert not (home / "pwned").exists()


@pytest.mark.parametrize("shell", [one for one in ("bash", "zsh", "fish") if shutil.which(one)])
def test_scripts_are_read_by_their_shells(shell, home, tmp_path):
    script = tmp_path / "script"
    script.write_text(atip("completion", shell, home=home).out)
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
