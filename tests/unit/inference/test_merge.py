"""Merging two descriptions of one tool: union of facts, the better source wins."""

from __future__ import annotations

from atip.inference.merge import merge_command, merge_tools
from atip.model.effects import Effects
from atip.model.tool import Argument, Command, Option, Tool


def option(*flags, kind="string", **fields):
    return Option(name=flags[0].lstrip("-"), flags=flags, type=kind, **fields)


def test_commands_and_flags_of_both_sources_are_kept():
    better = Tool(
        name="x",
        commands={"a": Command(description="A", options=(option("--one", kind="boolean"),))},
    )
    other = Tool(
        name="x",
        version="1.2",
        description="the x",
        commands={
            "a": Command(description="other", options=(option("-t", "--two"),)),
            "b": Command(description="B"),
        },
    )
    merged = merge_tools(better.replace(version="unknown", description="x"), other)
    assert list(merged.commands) == ["a", "b"]
    assert merged.commands["a"].description == "A"
    assert [one.flags for one in merged.commands["a"].options] == [("--one",), ("-t", "--two")]
    assert (merged.version, merged.description) == ("1.2", "the x")


def test_options_that_share_a_flag_are_one():
    better = Tool(name="x", options=(option("--output", kind="boolean"),))
    other = Tool(
        name="x", options=(option("-o", "--output", kind="file", description="where to write"),)
    )
    merged = merge_tools(better, other).options
    assert [(one.flags, one.type, one.description) for one in merged] == [
        (("--output", "-o"), "file", "where to write")
    ]


def test_whoever_lists_values_knows_that_a_flag_takes_one():
    told = option("--output-format", kind="boolean", description="<formats> : output format")
    listed = option("--output-format", kind="enum", enum=("pcap", "csv"))
    merged = merge_tools(Tool(name="x", options=(told,)), Tool(name="x", options=(listed,))).options
    assert [(one.type, one.enum) for one in merged] == [("enum", ("pcap", "csv"))]


def test_an_alias_is_not_a_second_command():
    better = Tool(name="x", commands={"remove": Command(description="R", aliases=("rm",))})
    other = Tool(name="x", commands={"rm": Command(options=(option("-f", kind="boolean"),))})
    merged = merge_tools(better, other)
    assert list(merged.commands) == ["remove"]
    assert merged.commands["remove"].options[0].flags == ("-f",)


def test_danger_of_either_source_stays():
    calm, loud = Effects(destructive=False, network=False), Effects(destructive=True)
    for first, second in ((calm, loud), (loud, calm)):
        merged = merge_tools(Tool(name="x", effects=first), Tool(name="x", effects=second))
        assert merged.effects.destructive is True


def test_positionals_of_two_sources_are_compared_place_by_place():
    def command(*arguments):
        return Command(description="", arguments=arguments)

    help_text = command(Argument(name="COMMAND"), Argument(name="INITIAL-ARGS", required=False))
    manual = command(
        Argument(name="command", required=False),
        Argument(name="initial-arguments", required=False, variadic=True),
    )
    merged = merge_command(help_text, manual).arguments
    assert [(one.name, one.required, one.variadic) for one in merged] == [
        ("COMMAND", False, None),
        ("INITIAL-ARGS", False, True),
    ]
    assert merge_command(help_text, command(Argument(name="x"))).arguments == help_text.arguments
