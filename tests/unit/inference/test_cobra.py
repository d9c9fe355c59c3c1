"""Answers of cobra's completion protocol, brought together with help."""

from __future__ import annotations

from atip.inference.cobra import choices_of, confirm, may_have_commands, parse_answer
from atip.inference.help import infer_help
from atip.model.tool import Option

HELP = """Ship things.

Usage:
  boat [command]

Available Commands:
  load        Load cargo

Flags:
  -f, --force           do not ask
      --harbour string  where to land
"""


def flags(command):
    return [option.flags for option in command.options or ()]


def test_an_answer_is_candidates_and_a_directive():
    answer = parse_answer(
        "load\tLoad cargo\nsail\tSet sail\n:4\nCompletion ended with directive: x\n"
    )
    assert dict(answer.candidates) == {"load": "Load cargo", "sail": "Set sail"}
    assert answer.is_closed


def test_text_that_is_no_answer_is_none():
    assert parse_answer("boat: unknown command\n") is None
    assert parse_answer("") is None
    assert parse_answer(":not a number\n") is None


def test_notices_of_active_help_are_no_candidates():
    assert dict(parse_answer("_activeHelp_ say more\n:0\n").candidates) == {}


def test_a_candidate_that_help_does_not_list_stays_a_guess():
    parsed = infer_help(HELP, tool="boat")
    command = confirm(parsed, parse_answer("load\tLoad cargo\nghost\tA value?\n:4\n"), None)
    assert not command.commands["load"].own.get("unconfirmed")
    assert command.commands["ghost"].own["unconfirmed"]


def test_a_flag_of_the_protocol_joins_its_other_spelling():
    parsed = infer_help(HELP.replace("-f, ", "    "), tool="boat")
    words = "--force\tdo not ask\n-f\tdo not ask\n--harbour\twhere\n--quiet\tsay less\n-q\tsay less\n:4\n"
    command = confirm(parsed, None, parse_answer(words))
    assert flags(command) == [("-f", "--force"), ("--harbour",), ("-q", "--quiet")]
    assert command.options[-1].own["valueUnknown"]


def test_a_flag_that_help_only_speaks_of_needs_the_protocol():
    told = infer_help(HELP, tool="boat")
    lift = Option(name="lift", flags=("--lift",), extra={"x-atip": {"mentioned": True}})
    told = told.replace(options=(*told.options, lift))
    command = confirm(told, None, parse_answer("--force\tdo not ask\n-f\tdo not ask\n:4\n"))
    assert flags(command) == [("-f", "--force"), ("--harbour",)]


def test_no_answer_about_flags_changes_nothing():
    command = infer_help(HELP, tool="boat")
    assert confirm(command, None, None).options == command.options


def test_only_a_closed_list_of_plain_words_is_a_choice():
    assert choices_of(parse_answer("json\nyaml\n:4\n")) == ("json", "yaml")
    assert choices_of(parse_answer("json\nyaml\n:0\n")) is None
    assert choices_of(parse_answer("json\n:4\n")) is None
    assert choices_of(parse_answer("/etc/passwd\n/etc/hosts\n:4\n")) is None
    assert choices_of(parse_answer("json\nyaml\n:5\n")) is None


def test_room_for_subcommands_is_read_from_the_usage():
    assert may_have_commands(infer_help(HELP, tool="boat"))
    assert not may_have_commands(infer_help("Usage:\n  boat load FILE [flags]\n", tool="boat"))
