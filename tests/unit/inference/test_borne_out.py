"""Completion scripts held against the program's own documents."""

from __future__ import annotations

from atip.inference.completion.corroborate import corroborate
from atip.inference.merge import merge_tools
from atip.model.tool import BOOLEAN, Command, Option, Tool


def option(flags: str, source: str) -> Option:
    own = {"evidence": {"source": source, "lines": [1, 1]}}
    names = tuple(flags.split())
    return Option(name=names[-1].lstrip("-"), flags=names, type=BOOLEAN, extra={"x-atip": own})


def command(source: str, *flags: str, description: str = "", **below: Command) -> Command:
    return Command(
        description=description,
        options=tuple(option(flag, source) for flag in flags) or None,
        commands=below or None,
        extra={"x-atip": {"evidence": {"source": source, "lines": [1, 1]}}},
    )


def tool(source: str, *flags: str, **commands: Command) -> Tool:
    options = tuple(option(flag, source) for flag in flags) or None
    return Tool(name="boat", version="1", options=options, commands=commands or None)


def held(script: Tool, *documents: Tool) -> Tool:
    merged = script
    for document in documents:
        merged = merge_tools(merged, document)
    return corroborate(merged, documents)


def flags(one: Tool | Command) -> list[tuple[str, ...]]:
    return [x.flags for x in (*(one.options or ()), *(getattr(one, "global_options", None) or ()))]


def test_documents_that_bear_out_most_of_a_script_deny_the_rest():
    found = held(tool("completion", "-a --all", "-b", "-X"), tool("help", "--all", "-b", "-c"))
    assert flags(found) == [("--all",), ("-b",), ("-c",)]


def test_every_document_counts():
    found = held(tool("completion", "-a", "-b"), tool("help", "-a"), tool("man", "-b"))
    assert flags(found) == [("-a",), ("-b",)]


def test_documents_that_are_shorter_deny_nothing():
    script = tool("completion", "-a", "-b", "-c", "-d", "-e")
    assert len(flags(held(script, tool("help", "-a")))) == 5
    assert len(flags(held(script, tool("help")))) == 5


def test_a_script_that_is_denied_in_everything_is_another_programs():
    script = tool("completion", "-a", "-b", "-c", "-d", "-e")
    assert flags(held(script, tool("help", "--help"))) == [("--help",)]


def test_words_of_a_program_without_commands_are_values():
    script = tool("completion", oak=command("completion"), pine=command("completion"))
    assert held(script, tool("help", "--wood")).commands is None
    described = tool("completion", oak=command("completion", description="Fell it"))
    assert list(held(described, tool("help", "--wood")).commands) == ["oak"]


def test_commands_are_held_against_documents_one_by_one():
    script = tool(
        "completion",
        load=command("completion", "--crate", "--ghost"),
        sail=command("completion", "--wind"),
        haunt=command("completion"),
    )
    found = held(script, tool("help", load=command("help", "--crate"), sail=command("help")))
    assert list(found.commands) == ["load", "sail"]
    assert flags(found.commands["load"]) == [("--crate",)]
    assert flags(found.commands["sail"]) == [("--wind",)]  # its help told nothing at all


def test_a_described_command_is_denied_only_by_a_list_that_has_nearly_all_others():
    names = ["load", "sail", "land", "sink"]
    both = {name: command("completion", description="Do it") for name in (*names, "ghost")}
    listed = {name: command("help") for name in names}
    assert "ghost" not in held(tool("completion", **both), tool("help", **listed)).commands
    del listed["sink"]
    assert "ghost" in held(tool("completion", **both), tool("help", **listed)).commands
