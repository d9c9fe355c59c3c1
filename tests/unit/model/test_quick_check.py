"""What the quick check accepts, the full check finds no error in; ordinary documents are accepted."""

from __future__ import annotations

import copy

import pytest

from atip.knowledge.reading import names
from atip.model.reading.reader import DOCUMENT, ReadLimits, bound, read_json
from atip.model.reading.shim_records import encode_bytes
from atip.model.shapes.check import check_tool
from atip.model.shapes.quick_check import is_surely_readable
from tests.simulators.pages import known_shim

ODD = (
    None,
    0,
    -1,
    1.5,
    2.0,
    True,
    "",
    "odd",
    "../x",
    "-x",
    "9.9",
    [],
    ["x"],
    [1],
    [None],
    {},
    {"x": 1},
)


def has_errors(document: object) -> bool:
    return any(problem.severity == "error" for problem in check_tool(document, "lenient"))


def places(node: object):
    """Every container of a document with each of its keys."""
    for key, child in list(node.items()) if isinstance(node, dict) else list(enumerate(node or ())):
        yield node, key
        if isinstance(child, (dict, list)):
            yield from places(child)


def small_shim() -> dict:
    option = {"name": "o", "flags": ["-o"], "type": "enum", "description": "x", "enum": ["a", 1]}
    inner = {"description": "Inner", "options": [option], "deprecated": "no", "aliases": ["i"]}
    effects = {"network": True, "filesystem": {"paths": ["/x"]}, "cost": {"estimate": "low"}}
    return {
        "atip": {"version": "0.6", "features": ["trust-v1"], "minAgentVersion": "0.5"},
        "name": "x",
        "version": "1",
        "description": "Does x",
        "trust": {"source": "community", "provenance": {"slsaLevel": 2, "url": "https://x"}},
        "commands": {"a": {"description": "Do a", "effects": effects, "commands": {"b": inner}}},
        "arguments": [{"name": "f", "type": "file", "description": "x", "required": True}],
        "authentication": {"required": True, "methods": [{"type": "token", "scopes": ["x"]}]},
        "patterns": [{"name": "p", "description": "d", "steps": [{"command": "x"}]}],
        "filter": {"commands": ["a"], "depth": None},
        "totalCommands": 2,
        "omitted": {"reason": "filtered"},
    }


@pytest.mark.parametrize("name", sorted(names())[::25])
def test_documents_of_known_tools_are_accepted(name):
    assert is_surely_readable(known_shim(name))


def test_an_accepted_document_has_no_error_whatever_is_put_into_it():
    assert is_surely_readable(small_shim())
    total = len(list(places(small_shim())))
    refused = 0
    for number in range(total):
        for odd in (*ODD, "removed"):
            document = small_shim()
            node, key = list(places(document))[number]
            if odd == "removed":
                del node[key]
            else:
                node[key] = copy.deepcopy(odd)
            if is_surely_readable(document):
                assert not has_errors(document), (key, odd)
            else:
                refused += 1
    assert refused > total


@pytest.mark.parametrize("document", [None, [], "x", {}, {"atip": "0.6"}])
def test_what_is_not_a_tool_is_left_to_the_full_check(document):
    assert not is_surely_readable(document)


def test_deep_commands_are_left_to_the_full_check():
    document = small_shim()
    node = document
    for _ in range(12):
        node["commands"] = {"a": {"description": "Do a"}}
        node = node["commands"]["a"]
    assert not is_surely_readable(document)
    assert not has_errors(document)


@pytest.mark.parametrize("inside", [{}, [], 0, {"a": 0}, [[]]])
@pytest.mark.parametrize("depth", range(1, 9))
def test_small_documents_have_the_limits_of_large_ones(inside, depth):
    limits = ReadLimits(max_depth=6)
    value = inside
    for number in range(depth):
        value = {"a": value} if number % 2 else [value]
    assert _refusal(lambda: read_json(encode_bytes(value), limits, fast_bytes=0)) == _refusal(
        lambda: bound(value, limits)
    )


def test_a_wide_object_is_refused_by_the_quick_reader():
    data = encode_bytes({str(number): 0 for number in range(DOCUMENT.max_keys + 1)})
    assert _refusal(lambda: read_json(data, fast_bytes=0)) == "format.too-many"


def _refusal(read) -> str:
    from atip.errors import FormatError

    try:
        read()
    except FormatError as error:
        return error.code
    return ""
