"""Compiling: 350 commands against `json.dumps` of the result, and `atip compile` against a bare interpreter.

Ratios, each side measured in the same run; best of several.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import atip
from atip.session import compile_tools
from benchmarks.measure import figure

BARE_RATIO = 3.0
DUMP_RATIO = 3.0


def document(commands: int = 350, options: int = 12) -> dict:
    """A tool of the size of a cloud client: groups of commands, options of all types, global options."""
    types = ["string", "boolean", "integer", "file", "enum", "string"]

    def option(number: int) -> dict:
        kind = types[number % len(types)]
        row = {
            "name": f"option-{number}",
            "flags": [f"--option-{number}"],
            "type": kind,
            "description": f"What option number {number} changes about the result of the command",
        }
        if kind == "enum":
            row["enum"] = ["table", "json", "yaml", "text"]
        return row

    groups: dict[str, dict] = {}
    for number in range(commands):
        group = groups.setdefault(
            f"group{number // 10}", {"description": "A group of commands", "commands": {}}
        )
        group["commands"][f"command{number % 10}"] = {
            "description": "Create, change or list one kind of resource in the current project",
            "arguments": [
                {"name": "name", "type": "string", "description": "Name of the resource"}
            ],
            "options": [option(index) for index in range(options)],
            "effects": {
                "network": True,
                "idempotent": number % 2 == 0,
                "destructive": number % 7 == 0,
            },
        }
    return {
        "atip": {"version": "0.6"},
        "name": "cloud",
        "version": "1",
        "description": "A large client",
        "globalOptions": [option(100 + index) for index in range(4)],
        "commands": groups,
    }


def best(work, rounds: int = 15) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def cpu(argv: list[str], rounds: int = 15) -> float:
    times = []
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=True, env=env)  # compiled once
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(argv, stdout=subprocess.DEVNULL, check=True, env=env)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> bool:
    tool = atip.load(document())
    wrong = 0
    for provider, strict in (("openai", True), ("openai", False), ("anthropic", False), ("gemini", False), ("mcp", False)):  # fmt: skip
        result = compile_tools([tool], provider, strict=strict)
        ratio = best(lambda p=provider, s=strict: compile_tools([tool], p, strict=s)) / best(
            lambda r=result: json.dumps(r)
        )
        wrong += ratio > DUMP_RATIO
        name = f"{len(result)} functions for {provider}{' strict' if strict else ''} / json.dumps"
        figure(name, ratio, DUMP_RATIO, unit="×")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tool.json")
        with open(path, "w") as file:
            json.dump(document(commands=20), file)
        bare = cpu([sys.executable, "-c", "pass"])
        command = os.path.join(os.path.dirname(sys.executable), "atip")
        ours = cpu([command, "compile", path])
        wrong += ours / bare > BARE_RATIO
        name = "atip compile of 20 commands / bare python"
        figure(name, ours / bare, BARE_RATIO, unit="×", detail=f"{ours * 1000:.0f} ms")
    return not wrong


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
