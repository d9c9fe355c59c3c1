"""Data for the page that explains a line: the document of `explain --json` under every preset, and its words.

Also runs in a browser, without compiled modules, files or processes: imports here must stay pure
(`pages/judge_pack.py` lists them; a browser test checks it).
"""

from __future__ import annotations

import json
from typing import Any

from atip.knowledge.reading import load
from atip.pages.line_words import explain_words, reasons_by_command
from atip.policy.policy import Policy
from atip.policy.presets import PRESETS
from atip.workflows.judge import explain_line

HOME, CWD = "/home/you", "/home/you/project"
MAX_LINE = 20_000


def explain_in_page(line: str, cwd: str = CWD, home: str = HOME) -> str:
    """JSON: `presets` → the document of `explain --json`, `reasons` of each by command, and `words` of every command."""
    if len(line) > MAX_LINE:
        return json.dumps({"error": f"the line has more than {MAX_LINE:,} characters"})
    presets: dict[str, Any] = {}
    reasons: dict[str, Any] = {}
    words: list[Any] = []
    for preset in PRESETS:
        explained = explain_line(line, (Policy(preset=preset),), lookup=load, cwd=cwd, home=home)
        presets[preset] = explained.to_json()
        reasons[preset] = reasons_by_command(
            explained.invocations, explained.decisions, explained.decision
        )
        words = words or [explain_words(subject) for subject in explained.invocations]
    return json.dumps({"presets": presets, "reasons": reasons, "words": words})
