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
