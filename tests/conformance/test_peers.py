"""Decisions beside those of other guards: every difference that counts against us has a written reason, and the figures do not get worse.

The rows belong to their projects and are read in place; `conformance/peers/reasons.tsv` names them by id.
"""

from __future__ import annotations

import json

import pytest

from atip.toolbox import Toolbox
from tests.shared import ROOT, shared

REASONS = ROOT / "conformance" / "peers" / "reasons.tsv"
OBJECTS = ("needs_approval", "challenged", "blocked")


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    rows = shared("peerbench/peers.dev.jsonl").read_text().splitlines()
    box = Toolbox(home=str(tmp_path_factory.mktemp("home")), policy="cautious")
    found = []
    for row in map(json.loads, rows):
        explained = box.explain(row["line"], cwd=row["cwd"])
        found.append((row, explained.decision, explained.in_sandbox))
    return found


def written(kind: str) -> dict[str, str]:
    rows = [row.split("\t") for row in REASONS.read_text().splitlines() if row[:1] != "#"]
    return {name: reason for which, name, reason in rows if which == kind}


def test_every_line_that_a_peer_objects_to_and_we_allow_has_a_reason(answers):
    allowed = {r["id"] for r, d, _ in answers if r["sem"] in OBJECTS and d.outcome == "allow"}
    assert allowed <= set(written("objected"))
    assert all(written("objected").values())


def test_only_the_never_list_denies_what_a_peer_lets_run(answers):
    denied = {
        row["id"]: decision.rule
        for row, decision, _ in answers
        if row["sem"] in ("auto_approve", "not_blocked") and decision.outcome == "deny"
    }
    assert set(denied) <= set(written("overblocked"))
    assert set(denied.values()) <= {"never"}


def test_figures_do_not_get_worse(answers):
    """Shares that were reached; a client that cannot run another line asks where the sandbox would settle it."""
    auto = [(d.outcome, s.outcome) for r, d, s in answers if r["sem"] == "auto_approve"]
    blocked = [s.outcome for r, _, s in answers if r["sem"] == "blocked"]
    assert sum(plain != "allow" for plain, _ in auto) <= 0.255 * len(auto)
    assert sum(boxed == "ask" for _, boxed in auto) <= 0.15 * len(auto)
    assert sum(boxed == "confine" for _, boxed in auto) <= 0.105 * len(auto)
    assert sum(each in ("deny", "confine") for each in blocked) >= 0.40 * len(blocked)
