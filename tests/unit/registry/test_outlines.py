"""One command of a stored document is read without the others; an outline is derived and never trusted blindly."""

from __future__ import annotations

import json

import pytest

from atip.errors import FormatError
from atip.model.view.plain import plain_part
from atip.registry.store import Store
from atip.system.paths import find_places

RELATIVE = "shims/sha256/aa.tool.json"
COMMANDS = {
    "": {"description": "the tool itself"},
    **{
        f"c{n}": {"description": "ä" * 500 + f' "c{n}":{{', "aliases": [f"alias{n}"]}
        for n in range(60)
    },
    "group": {"description": "x", "commands": {"one": {"description": "1"}, "two": {"description": "2"}}},
    "wipe": {"description": "gone", "effects": {"destructive": True}},
}  # fmt: skip
DOCUMENT = {"atip": {"version": "0.6"}, "name": "tool", "version": "1", "description": "d", "commands": COMMANDS,
            "trust": {"source": "inferred"}}  # fmt: skip


@pytest.fixture
def store(tmp_path):
    return Store(find_places(home=str(tmp_path), cwd=str(tmp_path)))


def saved(store: Store) -> dict:
    digest = store.save_metadata(RELATIVE, DOCUMENT)
    return {"metadataPath": RELATIVE, "x-atip": {"metadataHash": digest}}


@pytest.mark.parametrize(
    "words", [["c7"], ["alias59"], ["group"], ["group", "two"], ["c0"], ["wipe"]]
)
def test_a_part_is_the_same_with_and_without_the_outline(store, words):
    entry = saved(store)
    part = store.load_part("tool", entry, words[0])
    assert part is not None
    assert plain_part(part, words) == plain_part(DOCUMENT, words)
    others = {name for name, command in part["commands"].items() if "description" not in command}
    assert len(others) == len(COMMANDS) - 2  # all but the command itself and the tool


def test_an_unknown_command_a_small_document_and_none_at_all_have_no_part(store):
    entry = saved(store)
    assert store.load_part("tool", entry, "nosuch") is None
    small = {**DOCUMENT, "commands": {"a": {"description": "a"}, "b": {"description": "b"}}}
    digest = store.save_metadata("shims/sha256/bb.json", small)
    entry = {"metadataPath": "shims/sha256/bb.json", "x-atip": {"metadataHash": digest}}
    assert store.load_part("tool", entry, "a") is None


def test_a_damaged_outline_or_document_is_not_used(store, tmp_path):
    entry = saved(store)
    outline = next(tmp_path.rglob("outlines/*.json"))
    good = outline.read_bytes()
    outline.write_bytes(good.replace(b"alias7", b"alias8", 1))
    assert store.load_part("tool", entry, "c1") is None
    outline.write_bytes(good)
    assert store.load_part("tool", entry, "c1") is not None
    document = next(tmp_path.rglob("shims/sha256/aa.tool.json"))
    document.write_bytes(document.read_bytes().replace(b"gone", b"safe", 1))
    assert store.load_part("tool", entry, "wipe") is None
    outline.unlink()
    assert store.load_part("tool", entry, "c1") is None


def test_an_outline_of_an_earlier_document_is_not_used(store, tmp_path):
    entry = saved(store)
    old = next(tmp_path.rglob("outlines/*.json")).read_bytes()
    changed = {**DOCUMENT, "version": "2"}
    digest = store.save_metadata(RELATIVE, changed)
    entry = {"metadataPath": RELATIVE, "x-atip": {"metadataHash": digest}}
    assert store.load_part("tool", entry, "c1")["version"] == "2"
    next(tmp_path.rglob("outlines/*.json")).write_bytes(old)
    assert store.load_part("tool", entry, "c1") is None
    assert (
        json.loads(next(tmp_path.rglob("shims/sha256/aa.tool.json")).read_bytes())["version"] == "2"
    )


@pytest.mark.parametrize("order", [("atip", "commands", "trust"), ("commands", "atip"), ("atip", "name", "commands")])  # fmt: skip
def test_the_text_of_commands_is_taken_from_the_document_as_it_is_stored(store, order):
    document = {key: DOCUMENT[key] for key in order}
    digest = store.save_metadata(RELATIVE, document)
    entry = {"metadataPath": RELATIVE, "x-atip": {"metadataHash": digest}}
    outline, text = store.load_texts("tool", entry)
    assert list(outline) == list(document)
    assert list(json.loads(bytes(text))) == list(COMMANDS)
    assert json.loads(bytes(text)) == COMMANDS


def test_the_text_of_a_damaged_document_is_refused_and_without_an_outline_there_is_none(
    store, tmp_path
):
    entry = saved(store)
    document = next(tmp_path.rglob("shims/sha256/aa.tool.json"))
    good = document.read_bytes()
    document.write_bytes(good.replace(b"gone", b"safe", 1))
    with pytest.raises(FormatError) as error:
        store.load_texts("tool", entry)
    assert error.value.code == "store.corrupt"
    document.write_bytes(good)
    next(tmp_path.rglob("outlines/*.json")).unlink()
    assert store.load_texts("tool", entry) is None
