"""`agent(parser)`: an argparse program answers, and is otherwise unchanged."""

from __future__ import annotations

import argparse
import pathlib
import sys

import pytest

from atip.model.shapes.check import check_tool
from atip.sdk import READ_ONLY, agent, describe, effects
from tests.unit.sdk.asking import ask


def make() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tool", description="Does – things")
    parser.add_argument("--all", action="store_true", help="everything")
    parser.add_argument("--level", type=int, default=3, help="how much (default: %(default)s)")
    parser.add_argument("--kind", choices=["a", "b"], help="which")
    parser.add_argument("--token", default="s3cr3t", help="login [env: TOOL_TOKEN]")
    parser.add_argument("--out", type=pathlib.Path, help="where to")
    parser.add_argument("--color", action=argparse.BooleanOptionalAction, help="in colour")
    parser.add_argument("--old", help="deprecated: use --new")
    parser.add_argument("--inner", help=argparse.SUPPRESS)
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--json", action="store_true", help="as JSON")
    either.add_argument("--yaml", action="store_true", help="as YAML")
    parser.add_argument("source", help="from")
    parser.add_argument("targets", nargs="*", help="to")
    return parser


def options(document: dict) -> dict:
    return {option["name"]: option for option in document["options"]}


@pytest.mark.proves("ATIP6-3.1-01", "ATIP6-3.1-02", "ATIP6-2-02")
def test_answer_comes_before_required_arguments_and_runs_nothing(monkeypatch, capsysbinary):
    parser = agent(make(), version="1.2")
    document = ask(monkeypatch, capsysbinary, parser.parse_args, "--agent")
    assert (document["name"], document["version"]) == ("tool", "1.2")
    assert document["description"] == "Does – things"
    assert check_tool(document, "strict") == []


def test_program_is_unchanged_without_the_flag():
    words = ["--a", "--level", "4", "x", "y", "z"]
    plain, wrapped = make(), agent(make(), version="1")
    assert vars(plain.parse_args(words)) == vars(wrapped.parse_args(words))
    assert vars(plain.parse_args(["x"])) == vars(wrapped.parse_args(["x"]))
    assert "--agent" in wrapped.format_help()


def test_argument_after_dashes_or_command_is_not_a_question():
    parser = agent(make(), version="1")
    assert parser.parse_args(["--", "--agent"]).source == "--agent"
    with pytest.raises(SystemExit) as refused:
        parser.parse_args(["x", "--agent"])
    assert refused.value.code == 2


def test_options_tell_what_the_parser_knows():
    found = options(describe(make(), version="1"))
    assert found["level"] == {
        "name": "level",
        "flags": ["--level"],
        "type": "integer",
        "description": "how much (default: 3)",
        "default": 3,
    }
    assert found["kind"]["type"] == "enum" and found["kind"]["enum"] == ["a", "b"]
    assert found["out"]["type"] == "file"
    assert found["json"]["exclusive"] == ["yaml"] and found["yaml"]["exclusive"] == ["json"]
    assert found["old"]["deprecated"] is True
    assert found["inner"]["hidden"] is True
    assert found["color"]["exclusive"] == ["no-color"]
    assert found["no-color"]["flags"] == ["--no-color"]
    assert "agent" not in found and "help" not in found


def test_positionals_tell_whether_they_are_needed_and_repeat():
    source, targets = describe(make(), version="1")["arguments"]
    assert "required" not in source and "variadic" not in source
    assert targets["required"] is False and targets["variadic"] is True


def test_secrets_and_values_of_variables_are_not_published(monkeypatch):
    monkeypatch.setenv("SOME_SECRET_PLACE", "value-of-a-variable")
    monkeypatch.setenv("HOME", "/home/someone")
    parser = make()
    parser.add_argument("--place", default="value-of-a-variable")
    parser.add_argument("--config", default="/home/someone/.toolrc")
    found = options(describe(parser, version="1"))
    assert "default" not in found["token"] and found["token"]["envVar"] == "TOOL_TOKEN"
    assert "default" not in found["place"]
    assert found["config"]["default"] == "~/.toolrc"


def test_commands_nest_with_aliases_hidden_and_effects(monkeypatch, capsysbinary):
    @effects(destructive=True, filesystem={"delete": True})
    def remove(_options):
        raise AssertionError

    parser = argparse.ArgumentParser(prog="tool")
    commands = parser.add_subparsers()
    remote = commands.add_parser("remote", help="remotes").add_subparsers()
    remote.add_parser("remove", aliases=["rm"], help="drop one").set_defaults(func=remove)
    remote.add_parser("list", help="show all").add_argument("--force", action="store_true")
    commands.add_parser("secret", help=argparse.SUPPRESS)
    table = {"remote list": {**READ_ONLY, "flags": {"--force": {"network": True}}}}
    agent(parser, version="1", effects=table, examples={"remote list": ["tool remote list"]})
    document = ask(monkeypatch, capsysbinary, parser.parse_args, "--agent")
    inner = document["commands"]["remote"]["commands"]
    assert inner["remove"]["aliases"] == ["rm"]
    assert inner["remove"]["effects"] == {"destructive": True, "filesystem": {"delete": True}}
    assert inner["list"]["effects"] == dict(READ_ONLY)
    assert inner["list"]["options"][0]["x-atip"] == {"effects": {"network": True}}
    assert inner["list"]["examples"] == ["tool remote list"]
    assert document["commands"]["secret"]["hidden"] is True
    assert check_tool(document, "strict") == []


def test_version_is_taken_from_the_version_option():
    parser = make()
    parser.add_argument("--version", action="version", version="%(prog)s v2.3.1 (2026)")
    assert describe(parser)["version"] == "2.3.1"


def test_mistakes_of_the_author_are_told_at_once():
    parser = make()
    parser.add_argument("--agent", help="which ssh agent")
    with pytest.raises(ValueError, match="already has an option --agent"):
        agent(parser, version="1")
    with pytest.raises(TypeError, match="unknown effect 'destructve'"):
        effects(destructve=True)
    with pytest.raises(TypeError, match=r"unknown effect filesystem\.writes"):
        agent(make(), effects={"": {"filesystem": {"writes": True}}})
    with pytest.raises(TypeError, match="takes an ArgumentParser"):
        agent(object())
    with pytest.raises(ValueError, match="commands that do not exist: no such"):
        describe(make(), version="1", effects={"no such": {"network": True}})
    with pytest.raises(ValueError, match="flags that do not exist"):
        describe(make(), effects={"": {"flags": {"--nope": {"network": True}}}})


@pytest.mark.parametrize(
    "words", [["--depth=0"], ["--depth=x"], ["--depth"], ["--commands=nope"], ["extra"], ["--x=1"]]
)
def test_question_that_is_not_understood_is_refused(words, monkeypatch, capsys):
    parser = agent(make(), version="1")
    monkeypatch.setattr(sys, "argv", ["tool", "--agent", *words])
    with pytest.raises(SystemExit) as refused:
        parser.parse_args()
    out, err = capsys.readouterr()
    assert (refused.value.code, out) == (2, "") and err.startswith("tool: ")


def test_intermixed_and_known_parsing_answer_too(monkeypatch, capsysbinary):
    parser = agent(make(), version="1")
    for parse in (parser.parse_known_args, parser.parse_intermixed_args):
        assert ask(monkeypatch, capsysbinary, parse, "--agent")["name"] == "tool"


def test_a_short_h_that_is_not_help_is_an_option():
    parser = argparse.ArgumentParser(prog="tool", add_help=False)
    parser.add_argument("--help", action="help")
    parser.add_argument("-h", "--headers", action="store_true")
    assert [option["flags"] for option in describe(parser, version="1")["options"]] == [
        ["-h", "--headers"]
    ]
