"""Laws of linting: it never fails, its repairs never calm, its positions are exact."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from atip.model.lint.config import STRICT
from atip.model.lint.fix import apply_fixes, fixed_text
from atip.model.lint.linter import lint
from atip.model.problems import render_path
from atip.model.reading.positions import Positions, parse_path
from atip.model.shapes.metadata import COMMAND, OPTION, PATTERN, TOOL

KEYS = st.sampled_from(
    sorted(
        {*TOOL.fields, *COMMAND.fields, *OPTION.fields, *PATTERN.fields, "destructive", "network"}
    )
) | st.text(max_size=4)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30)
)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["enum", "-o", "--output", " x ", "delete", "native", "tool run"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=40,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=10)


@settings(max_examples=150)
@given(DOCUMENTS)
def test_no_document_makes_lint_fail(document):
    for finding in lint(document, config=STRICT):
        assert finding.path == render_path(finding.parts)


def effects_of(value):
    """Every effects object of a document."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key == "effects" and isinstance(each, dict):
                yield each
            yield from effects_of(each)
    elif isinstance(value, list):
        for each in value:
            yield from effects_of(each)


@given(DOCUMENTS)
def test_a_repair_adds_no_fact_but_irreversibility(document):
    fixed = apply_fixes(document, lint(document))
    before, after = list(effects_of(document)), list(effects_of(fixed))
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        added = {key: new[key] for key in new.keys() - old.keys()}
        assert added in ({}, {"reversible": False})
        for key in old:
            if isinstance(old[key], bool):
                assert new[key] is old[key]


@given(DOCUMENTS, st.sampled_from([None, 1, 4]), st.booleans())
def test_text_and_values_are_repaired_alike(document, indent, is_ascii):
    text = json.dumps(document, indent=indent, ensure_ascii=is_ascii)
    findings = lint(document)
    assert json.loads(fixed_text(Positions(text), findings)) == apply_fixes(document, findings)


@given(DOCUMENTS, st.sampled_from([None, 2]))
def test_every_value_is_found_where_it_stands(document, indent):
    text = json.dumps(document, indent=indent)
    positions = Positions(text)
    stack = [((), document)]
    while stack:
        path, value = stack.pop()
        start, end = positions.span(path)
        assert json.loads(text[start:end]) == value
        place = positions.place(path)
        assert text.split("\n")[place.line - 1][place.column - 1] == text[start]
        if isinstance(value, dict):
            stack += [((*path, key), each) for key, each in value.items()]
        elif isinstance(value, list):
            stack += [((*path, number), each) for number, each in enumerate(value)]


@given(st.lists(st.text(max_size=6) | st.integers(0, 99)))
def test_paths_survive_rendering(parts):
    assert parse_path(render_path(tuple(parts))) == tuple(parts)
