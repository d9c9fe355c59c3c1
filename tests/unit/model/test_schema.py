"""The published schemas are the model's own tables, and judge like them."""

from __future__ import annotations

import json
import pathlib
import random

import jsonschema
import pytest

import atip.model
from atip.model.reading.documents import judge
from atip.model.shapes.schema import names, schema_of
from tests.property.random_documents import random_document

FOLDER = pathlib.Path(atip.model.__file__).parent / "schemas"


@pytest.mark.proves("ATIP6-12.1-01", "ATIP6-B-01", "ATIP1-A-01")
@pytest.mark.parametrize("name", names())
def test_published_schema_equals_the_model(name):
    published = json.loads((FOLDER / f"{name}.json").read_text())
    assert published == schema_of(name), "run scripts/schemas.py"
    jsonschema.Draft202012Validator.check_schema(published)


def test_no_schema_is_left_over():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(names())


def test_the_schema_accepts_what_schema_mode_accepts():
    validator = jsonschema.Draft202012Validator(schema_of("metadata"))
    for seed in range(150):
        document = random_document(random.Random(seed))
        assert (
            validator.is_valid(document) == judge(document, kind="metadata", mode="schema").is_valid
        )
        broken = {
            **document,
            random.Random(seed).choice(list(document)): [{"no": object}.keys().__len__()],
        }
        assert (
            validator.is_valid(broken) == judge(broken, kind="metadata", mode="schema").is_valid
        ), broken
