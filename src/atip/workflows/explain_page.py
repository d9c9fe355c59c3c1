"""What the page that explains a line asks for: the document of `explain --json` under every preset, and its words.

Runs in a browser too, where nothing compiled, no file and no process is to be had: what is imported here must stay
pure (`pages/judge_pack.py` holds the list, a test in a browser holds us to it).
"""

from __future__ import annotations

import json
from typing import Any

from atip.knowledge.reading import load
from atip.pages.line_words import explain_words
from atip.policy.policy import Policy
from atip.policy.presets import PRESETS
from atip.workflows.judge import explain_line

HOME, CWD = "/home/you", "/home/you/project"
MAX_LINE = 20_000


def explain_in_page(line: str, cwd: str = CWD, home: str = HOME) -> str:
    """JSON: `presets` → the document of `explain --json`, and `words` of every command."""
    if len(line) > MAX_LINE:
        return json.dumps({"error": f"the line has more than {MAX_LINE:,} characters"})
    presets: dict[str, Any] = {}
    words: list[Any] = []
    for preset in PRESETS:
        found = explain_line(line, (Policy(preset=preset),), lookup=load, cwd=cwd, home=home)
        presets[preset] = found.to_json()
        words = words or [explain_words(subject) for subject in found.invocations]
    return json.dumps({"presets": presets, "words": words})
