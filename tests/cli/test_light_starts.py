"""What agents call for every command starts without modules that cost more than the work itself."""

from __future__ import annotations

import os
import subprocess
import sys
import typing

import pytest

from tests.simulators.known_tools import document, home_with

if typing.TYPE_CHECKING:
    import pathlib

HEAVY = ("json", "re", "enum", "hashlib", "ctypes", "argparse", "typing", "dataclasses", "signal")
PROGRAM = (
    "import os, sys\n"
    "from atip.cli import main\n"
    "code = main.main(sys.argv[2:])\n"
    "sys.stdout.flush()\n"
    "print(code, *sorted({*sys.argv[1].split(',')} & {*sys.modules}), file=sys.stderr)\n"
)


def loaded(home: pathlib.Path, *words: str) -> str:
    """The last line on standard error: exit code, and which heavy modules a command line has loaded."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ATIP_"))}
    # a secret in the environment is looked for in every record
    env.update(HOME=str(home), SOME_API_KEY="s3cr3t-value-of-a-key")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{PROGRAM}", ",".join(HEAVY), *words],
        capture_output=True, text=True, env=env, cwd=home, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return done.stderr.strip().splitlines()[-1]


@pytest.mark.sandbox
@pytest.mark.parametrize("words", [("run", "true"), ("run", "--line", "true")])
def test_a_run_loads_nothing_heavy(tmp_path, words):
    work = tmp_path / "work"
    work.mkdir()
    assert loaded(work, *words) == "0"


@pytest.mark.parametrize("words", [("greet",), ("greet", "say")])
def test_a_shown_tool_loads_nothing_heavy(tmp_path, words):
    loss = [{"name": "n", "flags": ["--purge-allFiles"], "type": "boolean", "description": "All"}]
    commands = {
        **document()["commands"],
        "say": {"description": "Say", "options": loss, "effects": {"destructive": False}},
    }
    home_with(tmp_path, document(commands=commands))
    assert loaded(tmp_path, "show", *words, "--json") == "0"
