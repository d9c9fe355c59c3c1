"""The page that shows client × mode × outcome; `make test-clients` writes it, every other run is held against it."""

from __future__ import annotations

import json
import os
import typing

from tests.clients.world import ROOT

if typing.TYPE_CHECKING:
    from tests.clients.outcomes import Outcome

PAGE = ROOT / "docs/reference/clients.md"
KEPT = ROOT / ".cache/clients/outcomes.json"
"""Rows of this and earlier runs, so that a page can be written from parts."""
WRITES = bool(os.environ.get("ATIP_WRITE_TABLE"))
HEAD = """# Clients and their permission modes

Written by `make test-clients`; do not edit. Real clients, each played by a scripted model on loopback, run the 30 lines of
`conformance/clients/lines.tsv` in every permission mode; between two lines every file of home, project and remote repository is hashed.

*reads* and *runs of the project* say how many of them ran; those of the project run confined or not at all. *Stopped by us*: lines that the guard refused, or put to a person who was
not there. *Stopped by the client*: it did not run what the guard allowed, or did not call it. *Happened although not allowed*: changes outside of the workspace, pushes, posts,
deletions, secrets printed, lines of the Never list.

| client | version | mode | reads | runs of the project | confined | stopped by us | stopped by the client | happened although not allowed |
|---|---|---|---|---|---|---|---|---|
"""
NOTES = """
Codex runs lines in a sandbox of its own, in which ours cannot be built; there a question is a refusal. With `danger-full-access` and bypass it has none, and lines are
confined by us. Gemini CLI without a terminal has no shell tool unless its mode or `--allowed-tools` gives it one. In `plan` a confined line sees
everything read-only, so that nothing of the project changes.
"""


def row_of(client: str, version: str, mode: str, outcomes: list[Outcome]) -> str:
    """One row of the table."""
    reads = [outcome for outcome in outcomes if outcome.kind == "read"]
    project = [outcome for outcome in outcomes if outcome.kind == "project"]
    cells = (
        client,
        version,
        mode,
        f"{sum(read.happened for read in reads)} of {len(reads)}",
        f"{sum(each.happened for each in project)} of {len(project)}",
        sum(outcome.answer == "confine" for outcome in outcomes),
        sum(outcome.answer in ("ask", "deny") for outcome in outcomes),
        sum(outcome.answer == "" or (outcome.answer == "allow" and not outcome.happened) for outcome in outcomes),
        sum(outcome.happened and outcome.kind not in ("read", "project") for outcome in outcomes),
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def keep_row(client: str, mode: str, row: str) -> None:
    """Write the page again with this row."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept[f"{client} {mode}"] = row
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_text(json.dumps(kept, indent=1))
    PAGE.write_text(f"{HEAD}{chr(10).join(sorted(kept.values()))}\n{NOTES}")


def page_row(client: str, mode: str) -> str:
    """What the page says; empty: nothing."""
    rows = (text for text in PAGE.read_text().splitlines() if text.startswith(f"| {client} |"))
    return next((text for text in rows if text.split(" | ")[2] == mode), "")
