"""`agent(command)`: click programs answer, and are otherwise unchanged."""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner

from atip.model.shapes.check import check_tool
from atip.sdk import READ_ONLY, agent, describe, effects


def make() -> click.Group:
    @click.group(context_settings={"auto_envvar_prefix": "TOOL"})
    @click.option("--verbose", "-v", count=True, help="say more")
    def tool(verbose: int) -> None:
        """Does things.

        And explains them at length.
        """

    @tool.command(deprecated=True)
    @click.argument("path", type=click.Path(exists=True))
    @click.option("--mode", type=click.Choice(["a", "b"]), default="a", help="how")
    @click.option("--count", type=click.IntRange(1, 9), default=3, help="how often")
    @click.option("--ratio", type=float, help="how much")
    @click.option("--into", type=click.Path(file_okay=False), help="where to")
    @click.option("--pair", nargs=2, help="two of them")
    @click.option("--tag", multiple=True, help="labels")
    @click.option("--shout/--whisper", help="loudly")
    @click.option("--password", prompt=True, hide_input=True, default="hunter2", help="login")
    @click.option("--inner", hidden=True, help="for us")
    @effects(READ_ONLY, flags={"--shout": {"network": True}})
    def work(**given: object) -> None:
        """Work hard."""
        click.echo(json.dumps(given, default=str))

    @effects(destructive=True)
    @tool.command(hidden=True)
    @click.argument("names", nargs=-1, required=True)
    def drop(names: tuple[str, ...]) -> None:
        """Drop them."""

    return tool


def answer(command: click.Command, *words: str) -> dict:
    result = CliRunner().invoke(command, [*words], prog_name="tool")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout_bytes.decode("utf-8"))


@pytest.mark.proves("ATIP6-3.1-01", "ATIP6-2-02")
def test_click_group_answers_with_all_it_knows():
    tool = agent(make(), version="1.2", name="tool")
    document = answer(tool, "--agent")
    assert document["description"] == "Does things."
    assert check_tool(document, "strict") == []
    work = document["commands"]["work"]
    found = {option["name"]: option for option in work["options"]}
    assert work["deprecated"] is True
    assert document["commands"]["drop"]["hidden"] is True
    assert document["commands"]["drop"]["effects"] == {"destructive": True}
    named = "The argument `path`"
    assert work["arguments"] == [{"name": "path", "type": "file", "description": named}]
    assert found["mode"]["enum"] == ["a", "b"] and found["mode"]["default"] == "a"
    assert found["mode"]["envVar"] == "TOOL_WORK_MODE"
    assert found["count"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 9}
    assert found["ratio"]["type"] == "number" and "default" not in found["ratio"]
    assert found["into"]["type"] == "directory"
    assert found["pair"]["variadic"] is found["tag"]["variadic"] is True
    assert found["shout"]["exclusive"] == ["whisper"]
    assert found["shout"]["x-atip"] == {"effects": {"network": True}}
    assert found["inner"]["hidden"] is True
    assert "default" not in found["password"]
    assert work["effects"]["interactive"]["prompts"] is True, (
        "the parser asks, whatever is declared"
    )
    assert document["globalOptions"][0]["flags"] == ["--verbose", "-v"]


def test_click_program_is_unchanged_without_the_flag(tmp_path):
    words = ["-v", "work", "--password", "x", "--shout", str(tmp_path)]
    plain = CliRunner().invoke(make(), words)
    wrapped = CliRunner().invoke(agent(make(), version="1"), words)
    assert plain.exit_code == wrapped.exit_code == 0
    assert plain.output == wrapped.output != ""
    assert "--agent" in CliRunner().invoke(agent(make()), ["--help"]).output


def test_flag_counts_after_other_options_and_not_after_a_command():
    tool = agent(make(), version="1", name="tool")
    assert answer(tool, "-v", "--agent")["name"] == "tool"
    assert answer(tool, "--agent", "--depth", "1")["partial"] is True
    assert CliRunner().invoke(tool, ["drop", "--agent"]).exit_code == 2


def test_single_command_answers_before_its_arguments_are_missed():
    @click.command()
    @click.argument("name")
    @click.password_option()
    def greet(name: str, password: str) -> None:
        """Greets somebody"""

    document = answer(agent(greet, version="1", name="greet"), "--agent")
    assert [argument["name"] for argument in document["arguments"]] == ["name"]
    assert document["effects"] == {"interactive": {"prompts": True}}
    assert check_tool(document, "strict") == []


def test_own_agent_option_of_the_program_is_not_taken_over():
    @click.command()
    @click.option("--agent")
    def tool(agent: str) -> None:
        """Has one already"""

    with pytest.raises(ValueError, match="already has an option"):
        agent(tool)


def test_same_command_under_two_names_is_an_alias():
    group = make()
    group.add_command(group.commands["drop"], "zap")
    commands = describe(group, version="1", name="tool")["commands"]
    assert commands["drop"]["aliases"] == ["zap"] and "zap" not in commands


def test_effects_for_a_command_that_does_not_exist_are_refused():
    @click.group()
    def cli():
        """Tool."""

    with pytest.raises(ValueError, match="commands that do not exist: no such"):
        describe(cli, version="1", name="tool", effects={"no such": {"network": True}})
