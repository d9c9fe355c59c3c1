"""Lists that are not lists of commands: keys, exit codes, headings, the language of a shell."""

from __future__ import annotations

import pytest

from atip import infer_help
from atip.discovery.sources.inference_sources import read_root_command
from atip.inference.command_names import are_keys, may_be_command, without_other_lists
from atip.inference.manual.man import infer_man
from atip.model.tool import Command, Tool

KEYS = "  q  Quit\n  h  Help\n  ESC-v  Backward\n  n  Next\n"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("q h ESC-v ^V z", True),
        ("C-b M-o x y", True),
        ("d m p q r s t x", True),
        ("add remove list q", False),
        ("a b", False),
        ("", False),
    ],
)
def test_keys_are_told_from_names(names, expected):
    assert are_keys(names.split()) is expected


@pytest.mark.parametrize("name", ["Note", "USAGE", "0", "12", "systemd.unit", "q", "C-b", "ESC-v"])
def test_what_no_command_is_called_in_a_manual(name):
    assert not may_be_command(name)


@pytest.mark.parametrize("name", ["add", "list-units", "tcp_metrics", "x509", "s_client", "c2c"])
def test_what_commands_are_called(name):
    assert may_be_command(name)


def test_keys_of_a_pager_are_no_commands():
    assert not infer_help(f"SUMMARY OF COMMANDS\n\n{KEYS}", tool="less").commands


def test_letters_that_the_usage_asks_for_are_commands():
    letters = "Usage: pack [-]{qhnx} archive\n\nCommands:\n  q  Quick\n  h  Head\n  n  New\n  x  Extract\n"
    assert list(infer_help(letters, tool="pack").commands) == ["q", "h", "n", "x"]
    named = letters.replace("[-]{qhnx} archive", "<command> [archive]")
    assert list(infer_help(named, tool="pack").commands) == ["q", "h", "n", "x"]


def test_letters_that_a_completion_script_offers_are_no_commands():
    script = "_sed() { COMPREPLY=($(compgen -W 'a b c d i p' -- \"$2\")); }\ncomplete -F _sed sed\n"
    assert not read_root_command("bash", script, "sed").commands


def test_the_language_of_a_shell_is_not_its_commands():
    page = (
        ".TH DASH 1\n.SH NAME\ndash \\- command interpreter\n.SH SYNOPSIS\n"
        "dash [command_file [argument ...]]\n.br\ndash -c command_string [command_name [argument ...]]\n"
        ".SH COMMANDS\n.TP\nif\nDo it if.\n.TP\nwhile\nDo it while.\n.TP\nalias\nName it.\n"
    )
    assert not infer_man(page, tool="dash").commands


def test_exit_codes_and_headings_of_a_manual_are_no_commands():
    page = (
        ".TH BOAT 1\n.SH NAME\nboat \\- sail\n.SH SYNOPSIS\nboat [option...] command\n"
        ".SH COMMANDS\n.TP\nload\nLoad it.\n.TP\nNote\nTake care.\n.TP\n0\nSuccess.\n.TP\n1\nFailure.\n"
    )
    assert list(infer_man(page, tool="boat").commands) == ["load"]


def _named(*names: str) -> dict[str, Command]:
    return {name: Command(description=f"do {name}") for name in names}


def test_a_manual_that_lists_other_things_adds_none_of_them():
    known = _named("qdisc", "class", "filter", "action")
    page = Tool(name="tc", commands=_named("add", "delete", "change", "filter"))
    assert list(without_other_lists(page, known).commands) == ["filter"]


def test_a_manual_that_lists_far_more_adds_none_of_it():
    known = _named(*(f"cmd{n}" for n in range(30)))
    page = Tool(name="tmux", commands=known | _named(*(f"key{n}" for n in range(40))))
    assert without_other_lists(page, known).commands.keys() == known.keys()


def test_a_manual_that_completes_a_list_is_used():
    known = _named("show", "search", "policy")
    page = Tool(name="apt-cache", commands=known | _named("stats", "dump", "madison", "dotty"))
    assert without_other_lists(page, known) is page
    assert without_other_lists(page, None) is page
