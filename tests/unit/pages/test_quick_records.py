"""Values that a site reads quickly are those that the ordinary decoder makes."""

from __future__ import annotations

import copy

import pytest

from atip.errors import FormatError
from atip.knowledge.reading import names
from atip.model.reading.decode import decode, decode_record, decode_tool
from atip.model.tool import Option, Tool
from atip.pages.site import quick_records
from atip.pages.site.quick_records import quick_record
from tests.simulators.pages import known_shim

FULL = {
    "atip": {"version": "0.6", "features": ["partial-discovery"]},
    "name": "x",
    "version": "1",
    "description": "Does x",
    "trust": {
        "source": "native",
        "integrity": {"checksum": "sha256:0", "signature": {"type": "c"}},
    },
    "partial": True,
    "filter": {"commands": ["a"], "depth": None},
    "omitted": {"reason": "size", "x-own": [1]},
    "globalOptions": [{"name": "v", "flags": ["-v"], "type": "boolean", "description": "More"}],
    "authentication": {"required": True, "methods": [{"type": "token", "envVar": "X"}]},
    "patterns": [
        {"name": "p", "steps": [{"command": "x {a}"}], "variables": {"a": {"default": None}}}
    ],
    "commands": {
        "a": {
            "description": "Do a",
            "effects": {
                "filesystem": {"write": True, "paths": ["/tmp"]},
                "cost": {"billable": False},
            },
            "options": [
                {"name": "o", "flags": ["-o"], "type": "enum", "enum": ["a", 1], "default": None},
                {
                    "name": "p",
                    "flags": ["-p"],
                    "type": "string",
                    "envVar": None,
                    "x-atip": {"runs": True},
                },
            ],
            "arguments": [{"name": "f", "type": "file", "required": None}],
            "commands": {"b": {"description": "Do b", "effects": None, "odd key'\"": {}}},
        }
    },
}


def outcome(document, record):
    """The tool, or the problems of a document that is refused: `dd` has operands such as `of=`, which are no flags."""
    try:
        return decode(document, record=record).tool
    except FormatError as error:
        return error.problems


@pytest.mark.parametrize("name", sorted(names())[::40])
def test_known_tools_are_equal(name):
    document = known_shim(name)
    assert outcome(document, quick_record) == outcome(document, None)


@pytest.mark.parametrize("protocol", [{"version": "0.6"}, "0.4", None])
def test_every_kind_of_field_is_equal(protocol):
    document = {**copy.deepcopy(FULL), "atip": protocol}
    quick = decode_tool(document, quick_record)
    assert quick == decode_tool(document)
    assert type(quick) is Tool
    assert repr(quick.commands["a"].options) == repr(decode_tool(document).commands["a"].options)


def test_values_are_frozen_and_own_nothing_of_the_next():
    one = quick_record(Option, {"name": "a", "x-1": 1})
    two = quick_record(Option, {"name": "b", "x-1": 2})
    assert (one.extra, two.extra) == ({"x-1": 1}, {"x-1": 2})
    with pytest.raises(AttributeError):
        one.name = "c"


def test_keys_of_a_document_never_become_source():
    key = "x'];raise SystemExit#"
    assert quick_record(Option, {"name": "a", key: 1}).extra == {key: 1}


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(quick_records, "_MAX_MAKERS", 0)
    wide = {"name": "a", **{f"x-{number}": number for number in range(100)}}
    assert quick_record(Option, wide) == decode_record(Option, wide)
    assert (Option, *wide) not in quick_records._MAKERS


def test_a_missing_name_is_the_same_error():
    for document in ({}, {"name": None}):
        with pytest.raises(TypeError):
            quick_record(Option, document)
