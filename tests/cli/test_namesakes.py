"""A program that only has the name of a curated one: what is known of the other makes it no safer; real builds stay known."""

from __future__ import annotations

import json

import pytest

from tests.cli.run import atip

pytestmark = pytest.mark.sandbox

LAMPS = """Usage: {name} [options] LAMP

Switches the lamps of a house.

Options:
  --brightness PERCENT  how bright
  --room NAME           which room
  --dim                 slowly
  --blink               on and off
"""
BUSYBOX = """BusyBox v1.36.1 multi-call binary.

Usage: ls [-1AaCxdLHRFplinshrSXvctu] [-w WIDTH] [FILE]...

List directory contents

        -1      One column output
        -a      Include names starting with .
        -R      Recurse
"""


def plant(folder, name, text):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\ncat <<'EOF'\n{text.format(name=name)}EOF\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def machine(tmp_path):
    """Runs `atip` with a folder of planted programs first on the PATH; the folder is not below the home."""
    home, tools, work = tmp_path / "home", tmp_path / "opt", tmp_path / "work"
    home.mkdir()
    work.mkdir()

    def run(*words, stdin=""):
        return atip(*words, home=home, stdin=stdin, cwd=work, PATH=f"{tools}:/usr/bin:/bin")

    run.tools, run.work = tools, work
    return run


def learn(machine):
    done = machine("scan", "--learn", "--path", str(machine.tools))
    assert done.code == 0, done.err


@pytest.mark.parametrize("name", ["ls", "wc"])
def test_a_namesake_of_a_reading_program_is_not_read_only(machine, name):
    assert machine("explain", "--json", f"{name} x").document["decision"] == "allow"
    plant(machine.tools, name, LAMPS)
    learn(machine)
    explained = machine("explain", "--json", f"{name} x").document
    assert explained["decision"] == "ask"
    assert explained["effects"].get("filesystem", {}).get("write") is not False
    assert explained["effects"].get("network") is not False
    shown = machine("show", name, "--json").document
    assert shown["description"] == "Switches the lamps of a house."
    assert shown.get("effects", {}).get("destructive") is not False


def test_a_namesake_of_a_dangerous_program_keeps_the_warning(machine):
    plant(machine.tools, "rm", LAMPS)
    learn(machine)
    explained = machine("explain", "--json", "rm -r x").document
    assert explained["decision"] != "allow"
    assert explained["effects"]["destructive"] is True


def test_the_guard_does_not_allow_a_namesake(machine):
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(machine.work)}
    request = json.dumps({**call, "tool_input": {"command": "ls kitchen"}})
    answers = []
    for text in ("", LAMPS):
        plant(machine.tools, "ls", text)
        learn(machine)
        block = machine("guard", "--for", "claude", stdin=request).document.get(
            "hookSpecificOutput", {}
        )
        answers.append(block.get("permissionDecision", "allow"))
    assert answers[0] == "allow" and answers[1] != "allow"


@pytest.mark.parametrize("text", [BUSYBOX, "ls: unrecognized option: --help\n", ""])
def test_another_build_of_the_same_program_stays_known(machine, text):
    plant(machine.tools, "ls", text)
    learn(machine)
    assert machine("explain", "--json", "ls -l x").document["decision"] == "allow"


def test_real_programs_stay_known(machine):
    machine.tools.mkdir()
    done = machine(
        "scan", "--learn", "--path", "/usr/bin", "--only", "ls", "--only", "wc", "--only", "sort"
    )
    assert done.code == 0, done.err
    for line in ("ls -l", "wc -l x", "sort x"):
        assert machine("explain", "--json", line).document["decision"] == "allow"
