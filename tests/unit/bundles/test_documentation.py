"""What the page on bundles has to answer."""

from __future__ import annotations

import pytest

from tests.shared import ROOT

PAGE = (ROOT / "docs" / "concepts" / "bundles.md").read_text()


@pytest.mark.proves("AIP29-OPEN-01")
def test_every_open_question_of_the_text_has_an_answer():
    section = PAGE.partition("## What the specification leaves open")[2]
    for question in (
        "methods that are not",
        "sandbox grammar",
        "shape of callbacks",
        "versioned manifests",
        "depth of",
    ):
        row = next(line for line in section.splitlines() if question in line)
        assert len(row.split("|")[2].strip()) > 20


@pytest.mark.proves("AIP29-COMPAT-06")
def test_adoption_beside_a_wrapper_is_described():
    section = PAGE.partition("## Add a bundle to an existing wrapper")[2].partition("\n## ")[0]
    assert (
        "without removing anything" in section and "TOOL.md" in section and "define_cli" in section
    )
