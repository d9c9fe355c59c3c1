"""The root command (A11): written with an empty name, used at the tool itself."""

from __future__ import annotations

import pytest

from atip.calls.effects.engine import effects_of
from atip.calls.parse import parse
from atip.discovery.sources.knowledge_source import storable, with_knowledge
from atip.model.reading.decode import decode
from atip.model.reading.encode import encode
from atip.model.root import bare_effects, lift, lower
from atip.model.view.partial import inherited_effects

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


HARMLESS = {"network": False, "destructive": False, "filesystem": {"write": False, "delete": False}}


def test_what_the_bare_tool_does_says_nothing_of_its_commands():
    """`git` alone prints help; that makes no subcommand harmless of which nothing is known."""
    commands = {
        "": {"description": "help", "effects": HARMLESS},
        "sub": {"description": "?"},
        "rm": {"description": "remove", "effects": {"destructive": True}},
    }
    tool = decode({**CURL, "commands": commands, "effects": {"subprocess": True}}).tool
    lifted = lift(tool)
    assert lifted.effects == tool.effects
    assert (bare_effects(lifted).network, bare_effects(lifted).subprocess) == (False, True)
    found = {
        words: effects_of(lifted, parse(lifted, ["curlish", *words])).effects
        for words in ((), ("sub",), ("rm",))
    }
    assert (found["sub",].network, found["sub",].destructive) == (None, None)
    assert (found["rm",].network, found["rm",].destructive) == (None, True)
    assert (found[()].network, found[()].destructive, found[()].subprocess) == (False, False, True)
    again = encode(lower(lifted))
    assert again["effects"] == {"subprocess": True}
    assert again["commands"][""]["effects"] == encode(tool)["commands"][""]["effects"]
    assert "x-atip" not in again


@pytest.mark.parametrize("name", ["git", "docker", "gcloud", "kubectl"])
def test_an_unknown_command_of_a_curated_tool_is_not_called_harmless(name):
    document = {**CURL, "name": name, "commands": {"frobnicate": {"description": "No idea"}}}
    stored = storable(decode(document).tool)
    again = with_knowledge(decode(encode(stored)).tool)
    for tool in (stored, again):
        found = inherited_effects(tool, ("frobnicate",))
        assert (found.destructive, found.network, found.filesystem.write) == (None, None, None)
        assert not found.is_read_only
