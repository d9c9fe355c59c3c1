"""Write docs/reference/recorded-day.md: what the guard answers to the lines of examples/recorded-day.txt (a test holds it equal)."""

from __future__ import annotations

import pathlib
import subprocess
import tempfile
import typing

from atip.toolbox import Toolbox

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "examples/recorded-day.txt"
TARGET = ROOT / "docs/reference/recorded-day.md"


class Row(typing.NamedTuple):
    who: str
    line: str
    outcome: str
    reason: str


def judge_day() -> list[Row]:
    """Every line under the default preset, in an empty repository, for a client that runs rewritten lines."""
    rows = []
    with tempfile.TemporaryDirectory() as home:
        work = pathlib.Path(home, "work")
        subprocess.run(["git", "init", "-q", str(work)], check=True)
        box = Toolbox(home=home, cwd=str(work))
        for text in SOURCE.read_text().splitlines():
            if text and not text.startswith("#"):
                who, line = text.split(" ", 1)
                explanation = box.explain(line, cwd=str(work))
                reason = "; ".join(explanation.decision.reasons)
                rows.append(Row(who, line, explanation.in_sandbox.outcome, reason))
    return rows


def render(rows: list[Row]) -> str:
    """The page."""
    count = {
        each: sum(row.outcome == each for row in rows)
        for each in ("allow", "confine", "ask", "deny")
    }
    beyond = sum(row.who == "-" and row.outcome in ("ask", "deny") for row in rows)
    lines = [
        "# A recorded day\n",
        "Generated from `examples/recorded-day.txt` by `make docs`; do not edit. Preset `cautious`, a client that runs rewritten lines.\n",
        f"{len(rows)} lines: {count['allow']} allowed, {count['confine']} confined, {count['ask']} asked, {count['deny']} denied; "
        f"{beyond} asked that are not a person's decision.\n",
        "| line | outcome | reason | a person's decision |",
        "|---|---|---|---|",
    ]
    for row in rows:
        line = row.line.replace("|", "\\|")
        mark = "yes" if row.who == "person" else ""
        lines.append(f"| `{line}` | {row.outcome} | {row.reason} | {mark} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(render(judge_day()))
