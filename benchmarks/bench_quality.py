"""Scores of the public data, by their own scorers: help texts, effects, guard lines, attacks, what peers approve.

The data is used in place (`ATIP_SHARED`, or `../shared`); a set that is not there is left out and named.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import typing

from benchmarks.measure import figure

HERE = pathlib.Path(__file__).resolve().parent
SHARED = pathlib.Path(os.environ.get("ATIP_SHARED") or HERE.parent.parent / "shared")
ADAPTERS = HERE / "adapters"


def main() -> bool:
    good = True
    for needed, work in (
        ("guardbench/guard.dev.jsonl", guard),
        ("redteam/lines.dev.jsonl", attacks),
        ("peerbench/peers.dev.jsonl", peers),
        ("effectsbench/effects.dev.json", effects),
        ("helpbench/dev.jsonl.gz", help_texts),
    ):
        if (SHARED / needed).exists():
            good &= work()
        else:
            print(f"     {needed} is not here (set ATIP_SHARED)")
    return good


def score(name: str, *words: object) -> str:
    """What a scorer printed."""
    argv = [sys.executable, str(SHARED / name), *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def pairs(text: str) -> dict[str, tuple[int, int]]:
    """`name=3/40` parts of a line of figures."""
    found = re.findall(r"(\w+)=(\d+)/(\d+)", text)
    return {name: (int(part), int(whole)) for name, part, whole in found}


def _lines(title: str, data: str, most_prompts: float) -> bool:
    adapter = ("--quiet", "--", sys.executable, ADAPTERS / "guard.py")
    found = pairs(score("guardbench/score.py", SHARED / data, *adapter))
    (through, attacks_), (asked, harmless) = found["bypasses"], found["false_prompts"]
    good = figure(f"{title}: bypasses of {attacks_:,}", through, 0, unit="lines")
    name = f"{title}: questions about {harmless:,} harmless lines"
    return figure(name, 100 * asked / max(harmless, 1), most_prompts, unit="%") and good


def guard() -> bool:
    return _lines("guardbench", "guardbench/guard.dev.jsonl", 5)


def attacks() -> bool:
    return _lines("redteam", "redteam/lines.dev.jsonl", 5)


def peers() -> bool:
    command = ("--", sys.executable, ADAPTERS / "guard.py")
    found = pairs(score("peerbench/score.py", SHARED / "peerbench/peers.dev.jsonl", *command))
    (asked, auto), (missed, objected) = found["friction"], found["objected"]
    name = f"questions about {auto:,} lines that peers approve"
    good = figure(name, 100 * asked / max(auto, 1), 25, unit="%")
    name = f"lines that we allow, of {objected:,} that peers object to"
    return figure(name, missed, 4, unit="lines", detail="each with a written reason") and good


def effects() -> bool:
    head = _json("effectsbench/score.py", "--gold", SHARED / "effectsbench/effects.dev.json", after=("--", sys.executable, ADAPTERS / "effects.py"))["headline"]  # fmt: skip
    return all(
        [
            figure("effects: destructive recall", head["destructive_recall"], 0.97, unit="share", higher=True),
            figure("effects: destructive precision", head["destructive_precision"], 0.85, unit="share", higher=True),
            figure("effects: destructive called safe", head["false_safe_rate"], 0, unit="share"),
            figure("effects: contrast pairs right", head["contrast_pairs_right"], 0.85, unit="share", higher=True),
        ]
    )  # fmt: skip


def help_texts() -> bool:
    adapter = f"{sys.executable} {ADAPTERS / 'help.py'}"
    text = score("helpbench/score.py", "--corpus", SHARED / "helpbench/dev.jsonl.gz", "--cmd", adapter)  # fmt: skip
    found = dict(re.findall(r"(\w+)=([\d.]+)", text.rpartition("FIGURES")[2]))
    good = figure("help texts: mean of five", float(found["mean5"]), 0.975, unit="share", higher=True)  # fmt: skip
    return figure("help texts: choices", float(found["choices_f1"]), 0.97, unit="share", higher=True) and good  # fmt: skip


def _json(name: str, *words: object, after: tuple[object, ...]) -> dict[str, typing.Any]:
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        score(name, *words, "--json", out.name, *after)
        return typing.cast("dict[str, typing.Any]", json.loads(pathlib.Path(out.name).read_text()))


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
