"""Positionals and options in the places where help texts of large tools write them."""

from __future__ import annotations

from atip.inference.help import infer_help

UNITS = """systemctl [OPTIONS...] COMMAND ...

Query or send control commands to the system manager.

Unit Commands:
  list-units [PATTERN...]             List units currently in memory
  restart UNIT...                     Start or restart one or more units
  set-default TARGET                  Set the default target
  daemon-reload                       Reload systemd manager configuration
"""
PACKAGES = """Install a package

Usage:
npm install [<package-spec> ...]

Options:
[-S|--save|--no-save] [-g|--global]
[--install-strategy <hoisted|nested>] [--no-audit]

aliases: add, i
"""


def shown(command):
    return [
        (argument.name, argument.is_required, bool(argument.variadic))
        for argument in command.arguments or ()
    ]


def test_placeholders_after_a_listed_command_are_its_positionals():
    commands = infer_help(UNITS, tool="systemctl").commands
    assert {name: shown(command) for name, command in commands.items()} == {
        "list-units": [("PATTERN", False, True)],
        "restart": [("UNIT", True, True)],
        "set-default": [("TARGET", True, False)],
        "daemon-reload": [],
    }


def test_options_may_be_written_as_the_usage_line_goes_on():
    install = infer_help(PACKAGES, tool="npm", path=("install",))
    flags = {flag: option for option in install.options for flag in option.flags}
    assert {"-S", "--save", "-g", "--global", "--install-strategy", "--no-audit"} <= set(flags)
    assert flags["--install-strategy"].enum == ("hoisted", "nested")
    assert shown(install) == [("package-spec", False, True)]


def test_a_list_of_options_is_not_a_form_without_positionals():
    text = PACKAGES.replace("install [<package-spec> ...]", "uninstall [<@scope>/]<pkg>...")
    assert shown(infer_help(text, tool="npm", path=("uninstall",))) == [("pkg", True, True)]


def test_rest_that_only_a_row_of_a_group_names():
    text = (
        "usage: ferry [-h] [--deck DECK] ...\n\noptions:\n  -h, --help   show this help message and exit\n\n"
        "Boarding options:\n  How one boards.\n\n  --deck DECK  the deck\n  rest         passed to the pilot\n"
    )
    assert shown(infer_help(text, tool="ferry")) == [("rest", False, True)]
    assert shown(infer_help(text.replace(" ...\n", "\n", 1), tool="ferry")) == []


def test_the_only_command_in_braces():
    text = "usage: hatch dep [-h] {synced} ...\n\npositional arguments:\n  {synced}\n"
    found = infer_help(text, tool="hatch", path=("dep",))
    assert list(found.commands) == ["synced"]
    assert shown(found) == []
    repeated = infer_help(
        "Usage: parcel send [OPTIONS] {destination}...\n", tool="parcel", path=("send",)
    )
    assert not repeated.commands


def test_forms_in_braces_are_commands_with_their_positionals():
    text = "usage: apt-mark {hold | unhold} pkg... | {showhold | showinstall} [pkg...]\n"
    found = infer_help(text, tool="apt-mark")
    assert {name: shown(one) for name, one in found.commands.items()} == {
        "hold": [("pkg", True, True)],
        "unhold": [("pkg", True, True)],
        "showhold": [("pkg", False, True)],
        "showinstall": [("pkg", False, True)],
    }
    assert shown(found) == []
    one_list = infer_help("usage: conv [-h] {png,jpg} file\n", tool="conv")
    assert not one_list.commands
    assert shown(one_list) == [("file", True, False)]


def test_a_module_of_python_is_the_program():
    found = infer_help("usage: python3 -m mill [-q] grain [grain ...]\n", tool="mill")
    assert shown(found) == [("grain", True, True)]
    assert [one.flags for one in found.options] == [("-q",)]
