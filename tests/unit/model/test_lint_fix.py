"""Repairs and the positions they are made at."""

from __future__ import annotations

import json

import pytest

from atip.model.lint.fix import apply_fixes, fixed_text, is_conservative
from atip.model.lint.linter import Edit, LintFinding, lint
from atip.model.problems import render_path
from atip.model.reading.positions import Positions, parse_path


def document(**command):
    return {
        "atip": {"version": "0.6"},
        "name": "tool",
        "version": "1.0.0",
        "description": "A tool of some use",
        "commands": {"wipe": {"description": "Wipe everything", **command}},
    }


def test_white_space_and_hidden_characters_are_removed():
    broken = document(description="  Wipe every\u200bthing ")
    once = apply_fixes(broken, lint(broken))
    assert apply_fixes(once, lint(once))["commands"]["wipe"]["description"] == "Wipe everything"


def test_destruction_is_never_repaired_towards_safety():
    broken = document(effects={"destructive": True})
    fixed = apply_fixes(broken, lint(broken))
    assert fixed["commands"]["wipe"]["effects"] == {"destructive": True, "reversible": False}
    assert "reversible" not in broken["commands"]["wipe"]["effects"]


def test_missing_effects_are_not_invented():
    broken = document()
    assert any(each.rule == "no-empty-effects" for each in lint(broken))
    assert apply_fixes(broken, lint(broken)) == broken


@pytest.mark.parametrize(
    "edit",
    [
        Edit(action="add", parts=("effects", "reversible"), value=True),
        Edit(action="add", parts=("effects", "destructive"), value=False),
        Edit(action="add", parts=("effects", "idempotent"), value=True),
        Edit(action="add", parts=("effects",), value={"network": False}),
        Edit(action="replace", parts=("effects", "destructive"), value=False),
    ],
)
def test_an_edit_that_claims_safety_is_refused(edit):
    before = {"effects": {"destructive": True}}
    finding = LintFinding(rule="x", severity="error", parts=(), path="$", message="", edit=edit)
    assert not is_conservative(edit)
    assert apply_fixes(before, [finding]) == before
    assert fixed_text(Positions(json.dumps(before)), [finding]) == json.dumps(before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"destructive": true}', '{"destructive": true, "reversible": false}'),
        (
            '{\n   "destructive": true\n }',
            '{\n   "destructive": true,\n   "reversible": false\n }',
        ),
    ],
)
def test_text_is_edited_in_place_in_its_own_style(before, after):
    text = json.dumps(document()).replace(
        '"Wipe everything"', '"Wipe everything", "effects" : ' + before
    )
    assert fixed_text(Positions(text), lint(json.loads(text))) == text.replace(before, after)


def test_a_place_has_lines_and_columns_from_one():
    place = Positions('{\n  "a": [1,\n    "ü\\"x"]\n}').place(("a", 1))
    assert (place.line, place.column, place.end_line, place.end_column) == (3, 5, 3, 11)


def test_a_missing_place_is_the_nearest_around_it():
    positions = Positions('{"a": {"b": 1}}')
    assert positions.place(("a", "x", 3)) == positions.place(("a",))


@pytest.mark.parametrize(
    "parts", [(), ("a",), ("commands", "pr create", "options", 0), ('q"\\', "é", 12), ("", "$x")]
)
def test_a_rendered_path_can_be_read_back(parts):
    assert parse_path(render_path(parts)) == parts
