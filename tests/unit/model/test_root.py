"""The root command (A11): written with an empty name, used at the tool itself."""

from __future__ import annotations

import pytest

from atip.calls.effects import effects_of
from atip.calls.parse import parse
from atip.model.decode import decode
from atip.model.encode import encode
from atip.model.root import lift, lower

CURL = {
    "atip": {"version": "0.6"},
    "name": "curlish",
    "version": "1",
    "description": "Transfer data",
    "commands": {
        "": {
            "description": "Transfer a URL",
            "arguments": [{"name": "url", "type": "url", "description": "where"}],
            "options": [
                {
                    "name": "output",
                    "flags": ["-o", "--output"],
                    "type": "file",
                    "description": "file",
                }
            ],
            "effects": {"network": True, "filesystem": {"write": True}},
        }
    },
}


@pytest.mark.proves("ATIP6-4.5-05")
def test_a_tool_without_subcommands_is_parsed_by_its_root_command():
    tool = decode(CURL).tool
    call = parse(tool, ["curlish", "-o", "file", "https://x.org"])
    assert (call.path, call.arguments) == ((), ("https://x.org",))
    assert [given.value for given in call.options] == ["file"]
    found = effects_of(tool, call).effects
    assert (found.network, found.filesystem.write) == (True, True)


def test_lowering_what_was_lifted_gives_the_same_document():
    tool = decode(CURL).tool
    assert encode(lower(lift(tool)))["commands"][""]["options"] == CURL["commands"][""]["options"]
    assert lift(lower(lift(tool))) == lift(tool)


def test_siblings_of_the_root_command_stay():
    both = decode(
        {**CURL, "commands": {**CURL["commands"], "sub": {"description": "another"}}}
    ).tool
    lifted = lift(both)
    assert list(lifted.commands) == ["sub"]
    assert list(lower(lifted).commands) == ["", "sub"]
