"""Token figures: counted with the named tokenizer on minified documents, for what must really be read."""

from __future__ import annotations

import json

import pytest

import atip
from atip.apis.sync.incremental import SyncState
from atip.apis.sync.tokens import MANIFEST_TOKENS, figures, minify, path_tokens, raw_tokens
from atip.codecs.apis.atm import manifest_of, token_reduction
from atip.model.reading.document_pieces import split_document
from atip.system.tokens import find_counter
from tests.packages import package

DOCUMENT = {
    "openapi": "3.0.0",
    "info": {"title": "Many", "version": "1"},
    "paths": {
        f"/things/{n}": {
            "get": {
                "operationId": f"getThing{n}",
                "summary": f"Get thing number {n}",
                "description": "A long text that says what this thing is, and why one would want it. " * 5,
                "parameters": [{"name": "page", "in": "query", "description": "Which page of it", "schema": {"type": "integer"}}],
            }
        }
        for n in range(200)
    },
}  # fmt: skip


def state(document: object) -> SyncState:
    raw = json.dumps(document, indent=4)
    api = atip.load_api(document, name="many")
    return SyncState(
        digests={},
        names={},
        parts={},
        required=False,
        tokens=raw_tokens(raw, split_document(raw.encode())),
        path_tokens=path_tokens(api, "python"),
    )


@pytest.mark.proves("ATM-B-01")
def test_raw_documents_are_counted_minified_with_the_named_tokenizer() -> None:
    package("rs_bpe")
    found = figures([state(DOCUMENT)])
    name, count = find_counter()
    whole = count(minify(json.dumps(DOCUMENT, indent=4)))
    assert name == "cl100k_base" and found["x-method"].startswith("cl100k_base")
    assert abs(found["traditional"] - whole) / whole < 0.02


@pytest.mark.proves("ATM-3-02")
def test_path_for_one_call_saves_nine_tenths_of_a_large_api() -> None:
    package("rs_bpe")
    told = token_reduction(figures([state(DOCUMENT)]))
    assert told is not None and told["reduction"] >= 0.9


def test_manifest_is_not_larger_than_what_is_counted_for_it() -> None:
    package("rs_bpe")
    api = atip.load_api(DOCUMENT, name="many")
    manifest = manifest_of(
        [api],
        name="many",
        description="Tools of Many",
        generated="2026-01-02T03:04:05Z",
        paths={"runtime": "./codegen/runtime", "wrappers": "./codegen", "config": "./codegen.config.json"},
        tokens={"traditional": 100000, "codeMode": 900, "x-method": "m"},
    )  # fmt: skip
    assert find_counter()[1](json.dumps(manifest)) <= MANIFEST_TOKENS
