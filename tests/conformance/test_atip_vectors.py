"""The public ATIP vectors and the examples of the two texts, read in place."""

from __future__ import annotations

import json
import re

import pytest

from atip.errors import FormatError
from atip.model.reading.decode import decode
from atip.model.reading.documents import judge
from atip.model.reading.reader import read_json
from tests.shared import shared

EXPECTED = {
    # text, name → deviations that RESOLUTIONS names (and nothing else)
    ("0.6", "curl-shim"): {
        "format.hash": "A15",
        "format.missing-description": "A7",
        "format.deprecated-field": "A5",
        "format.missing-version": "A4",
    },
    ("0.6", "curl"): {"format.missing-description": "A7"},
    ("0.6", "gh"): {"format.missing-description": "A7"},
    ("0.1", "curl"): {},
    ("0.1", "gh"): {"format.missing-description": "A7", "format.undeclared-variable": "A38"},
    ("0.1", "kubectl"): {
        "format.missing-description": "A7",
        "format.duration-form": "A9",
        "format.auth-kind": "A49",
    },
    ("0.1", "terraform"): {
        "format.missing-description": "A7",
        "format.cost-word": "A8",
        "format.duration-form": "A9",
    },
}


def test_schema_mode_gives_the_recorded_verdicts():
    folder = shared("vectors/atip")
    verdicts = json.loads((folder / "verdicts.json").read_text())
    assert len(verdicts) > 10
    for name, expected in verdicts.items():
        data = (folder / name).read_bytes()
        if expected.get("json") is False:
            with pytest.raises(FormatError):
                read_json(data)
            continue
        judged = judge(read_json(data), kind="metadata", mode="schema")
        assert judged.is_valid is expected["valid"], (name, judged.problems)


def examples(text: str):
    """Every JSON block of a text that is a whole ATIP document."""
    for block in re.findall(r"```json\n(.*?)```", text, re.S):
        source = re.sub(r"^\s*//.*$", "", block, flags=re.M)
        try:
            value = json.loads(source)
        except ValueError:
            continue  # blocks with `...` are sketches, not documents
        if (
            isinstance(value, dict)
            and "atip" in value
            and ("commands" in value or "binary" in value)
        ):
            yield value.get("name") or f"{value['binary']['name']}-shim", source


@pytest.mark.proves("ATIP6-14-01", "ATIP1-8-01")
@pytest.mark.parametrize("version", ["0.6", "0.1"])
def test_every_example_of_the_texts_loads_with_only_the_known_deviations(version):
    seen = set()
    for name, source in examples(shared(f"specs/atip-{version}.md").read_text()):
        decoded = decode(source)
        found = {problem.code for problem in decoded.problems}
        assert found <= EXPECTED[(version, name)].keys(), (name, found)
        seen.add((version, name))
    assert seen == {key for key in EXPECTED if key[0] == version}


def test_registry_documents_are_known_by_content():
    folder = shared("vectors/atip/registry")
    assert judge(read_json((folder / "registry-manifest.json").read_bytes())).kind == "manifest"
    assert judge(read_json((folder / "valid-shim.json").read_bytes())).kind == "shim"
