"""The public ATM data, read in place: examples of the text, manifests, configurations, a source document."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from atip.model.shapes.check_atm import check_manifest
from benchmarks.adapters.vectors_atm import cases
from tests.shared import shared


def test_every_case_of_the_vectors_is_right() -> None:
    found = list(cases(shared("vectors/atm")))
    assert len(found) > 30
    assert [name for name, right in found if not right] == []


@pytest.mark.proves("ATM-13-01")
def test_example_manifests_of_the_text_validate() -> None:
    text = shared("specs/atm-1.0.0-draft.md").read_text()
    schema = json.loads((shared("vectors/atm") / "atm.schema.json").read_text())
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    manifests = [json.loads(block) for block in blocks if '"generated": "2025' in block and '"specVersion"' in block]  # fmt: skip
    assert len(manifests) == 3
    for manifest in manifests:
        assert [each for each in check_manifest(manifest) if each.severity == "error"] == []
        jsonschema.validate(manifest, schema)
