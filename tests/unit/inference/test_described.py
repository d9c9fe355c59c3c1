"""Machine-readable self-descriptions: each format is told by its shape and read exactly."""

from __future__ import annotations

import json

import pytest

from atip.inference.described import FORMATS, recognize
from atip.model.tool import MISSING

USAGE = r"""
// a comment
name "Boat"
bin "boat"
version "1.2.0"
about "Ship things"
flag "-v --verbose" help="say more" global=true count=true
flag "--harbour <NAME>" help="where to land" env="HARBOUR" {
  arg "<NAME>" { choices "kiel" "riga" }
}
/- flag "--gone" help="commented out"
cmd "load" help="Load \"cargo\"" {
  alias "l"
  flag "-f --force" negate="--no-force"
  arg "<CRATE>..." help="what to load"
  arg "[WHERE]" default="deck"
  cmd "all" hide=true
}
"""
OPENCLI = {
    "opencli": "0.1",
    "info": {"title": "boat", "version": "1.2.0", "description": "Ship things"},
    "options": [
        {
            "name": "--harbour",
            "aliases": ["-H"],
            "recursive": True,
            "arguments": [{"name": "NAME", "acceptedValues": ["kiel", "riga"]}],
        }
    ],
    "commands": [
        {
            "name": "load",
            "aliases": ["l"],
            "options": [{"name": "--force"}],
            "arguments": [{"name": "CRATE", "arity": {"minimum": 0}}],
        }
    ],
}
OCLIF = {
    "version": "1.2.0",
    "commands": {
        "load": {
            "id": "load",
            "summary": "Load cargo",
            "aliases": ["l"],
            "args": {"crate": {"name": "crate", "required": True}},
            "flags": {
                "harbour": {"name": "harbour", "char": "H", "type": "option", "options": ["kiel", "riga"], "env": "HARBOUR"},
                "force": {"name": "force", "type": "boolean", "allowNo": True},
            },
        },
        "cargo:list": {"id": "cargo:list", "flags": {}, "hidden": True},
    },
}  # fmt: skip
SWIFT = {
    "serializationVersion": 0,
    "command": {
        "commandName": "boat",
        "abstract": "Ship things",
        "arguments": [
            {"kind": "option", "names": [{"kind": "long", "name": "harbour"}, {"kind": "short", "name": "H"}],
             "valueName": "name", "isOptional": True, "allValues": ["kiel", "riga"]},
            {"kind": "flag", "names": [{"kind": "longWithSingleDash", "name": "fast"}]},
        ],
        "subcommands": [
            {"commandName": "load", "arguments": [{"kind": "positional", "valueName": "crate", "isRepeating": True}]}
        ],
    },
}  # fmt: skip
CLICK = {
    "command": {
        "name": "boat",
        "help": "Ship things",
        "params": [
            {"name": "harbour", "param_type_name": "option", "opts": ["-H", "--harbour"], "secondary_opts": [],
             "type": {"param_type": "Choice", "name": "choice", "choices": ["kiel", "riga"]}, "nargs": 1,
             "envvar": "HARBOUR", "required": False, "is_flag": False},
            {"name": "fast", "param_type_name": "option", "opts": ["--fast"], "secondary_opts": ["--slow"],
             "type": {"name": "boolean"}, "nargs": 1, "is_flag": True},
        ],
        "commands": {
            "load": {"name": "load", "params": [
                {"name": "crate", "param_type_name": "argument", "opts": ["crate"], "nargs": -1, "required": True}]},
        },
    }
}  # fmt: skip
DOTNET = {
    "name": "boat",
    "version": "1.2.0",
    "options": {
        "--harbour": {"aliases": ["-H"], "valueType": "System.String", "arity": {"minimum": 1, "maximum": 1}},
        "--fast": {"valueType": "System.Boolean", "arity": {"minimum": 0, "maximum": 0}},
    },
    "arguments": {},
    "subcommands": {
        "load": {"options": {}, "arguments": {"crate": {"order": 0, "arity": {"minimum": 1}}}},
    },
}  # fmt: skip
CLAP = {
    "name": "boat",
    "about": "Ship things",
    "args": [
        {
            "name": "harbour",
            "short": "H",
            "long": "harbour",
            "usage": "--harbour <NAME>",
            "help": "where",
        },
        {"name": "fast", "long": "fast", "usage": "--fast"},
    ],
    "subcommands": [{"name": "load", "args": [{"name": "crate", "required": True}]}],
}
FIG = {
    "name": "boat",
    "options": [
        {
            "name": ["-H", "--harbour"],
            "args": {"name": "NAME", "suggestions": ["kiel", {"name": "riga"}]},
        },
        {"name": "--fast", "isPersistent": True},
    ],
    "subcommands": [
        {
            "name": ["load", "l"],
            "args": {"name": "crate", "isVariadic": True, "template": "filepaths"},
        }
    ],
}
CARAPACE = """
name: boat
description: Ship things
persistentflags:
  -H, --harbour=: where to land
  --fast&: hidden switch
flags:
  -r, --repeat*: again
  --maybe?: with or without
completion:
  flag:
    harbour: ["kiel\\tin Germany", "riga"]
commands:
  - name: load
    aliases: [l]
    completion:
      positionalany: ["$files"]
"""
COBRA_DOCS = """
name: boat
synopsis: Ship things
usage: boat [flags]
options:
  - name: harbour
    shorthand: H
    usage: where to land
  - name: fast
    default_value: "false"
see_also:
  - boat load - Load cargo
"""
DOCKER_DOCS = """
command: boat
short: Ship things
cname: [boat load]
options:
  - option: harbour
    shorthand: H
    value_type: string
    description: where to land
  - option: fast
    value_type: bool
    hidden: true
"""
CALLIOPE = {
    "CLI_VERSION": "1.2.0",
    "capsule": "Ship things",
    "commands": {
        "load": {
            "capsule": "",
            "commands": {},
            "flags": {
                "--harbour": {"type": "string", "value": "NAME", "description": "where to land"},
                "-f": {"type": "bool", "nargs": "0", "is_hidden": True},
            },
            "is_group": False,
            "positionals": [{"name": "CRATE", "nargs": "+"}],
            "sections": {"DESCRIPTION": "Load cargo. Slowly."},
        }
    },
    "flags": {},
    "is_group": True,
    "positionals": [],
    "sections": {},
}
TEXTS = {
    "usage": USAGE,
    "calliope": json.dumps(CALLIOPE),
    "opencli": json.dumps(OPENCLI),
    "oclif": json.dumps(OCLIF),
    "swift": json.dumps(SWIFT),
    "click": json.dumps(CLICK),
    "dotnet": json.dumps(DOTNET),
    "clap": json.dumps(CLAP),
    "fig": json.dumps(FIG),
    "carapace": CARAPACE,
    "cobra-docs": COBRA_DOCS,
    "docker-docs": DOCKER_DOCS,
}


def test_every_format_has_a_text_here():
    assert set(TEXTS) == set(FORMATS)


@pytest.mark.parametrize("kind", TEXTS)
def test_a_description_is_told_by_its_shape(kind):
    found = recognize(TEXTS[kind], "boat")
    assert found is not None
    assert found.kind == kind
    assert "load" in found.command.commands


@pytest.mark.parametrize("kind", TEXTS)
def test_options_with_and_without_a_value_are_told_apart(kind):
    command = recognize(TEXTS[kind], "boat").command
    if kind in ("oclif", "calliope"):
        command = command.commands["load"]
    options = {option.flags[-1]: option for option in command.options}
    assert options["--harbour"].takes_value
    switches = [option for option in command.options if not option.takes_value]
    assert switches or kind == "opencli"


@pytest.mark.parametrize("kind", ["usage", "opencli", "oclif", "swift", "click", "fig", "carapace"])
def test_choices_are_kept(kind):
    command = recognize(TEXTS[kind], "boat").command
    if kind == "oclif":
        command = command.commands["load"]
    harbour = next(option for option in command.options if "--harbour" in option.flags)
    assert (harbour.type, harbour.enum) == ("enum", ("kiel", "riga"))


def test_a_usage_spec_keeps_aliases_arguments_and_what_is_hidden():
    found = recognize(USAGE, "boat")
    load = found.command.commands["load"]
    assert (found.version, load.description, load.aliases) == ("1.2.0", 'Load "cargo"', ("l",))
    assert [(a.name, a.is_required, a.variadic) for a in load.arguments] == [
        ("CRATE", True, True),
        ("WHERE", False, None),
    ]
    assert load.arguments[1].default == "deck"
    assert [option.flags for option in load.options] == [("-f", "--force"), ("--no-force",)]
    assert load.commands["all"].hidden
    verbose = found.command.options[0]
    assert (verbose.variadic, verbose.own["inherited"]) == (True, True)
    assert found.command.options[1].env_var == "HARBOUR"
    assert not any("--gone" in option.flags for option in found.command.options)


def test_an_oclif_id_is_a_path():
    command = recognize(TEXTS["oclif"], "boat").command
    assert command.commands["cargo"].commands["list"].hidden
    assert [o.flags for o in command.commands["load"].options][-1] == ("--no-force",)


def test_the_modifiers_of_carapace_are_read():
    options = {o.flags[-1]: o for o in recognize(CARAPACE, "boat").command.options}
    assert options["--repeat"].variadic
    assert options["--maybe"].own["optionalValue"]
    assert options["--fast"].hidden
    assert options["--harbour"].own["inherited"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Usage: boat [OPTIONS]\n",
        "{",
        "[]",
        "{}",
        '{"name": "boat"}',
        '{"version": 1, "commands": {}}',
        "name: boat\n",
        "- a\n- b\n",
        'node "x" {',
        "\x00\x01",
        "{" * 10_000,
        "a " * 200_000,
        "a {" * 5_000,
        '"' * 50_001,
        "/*" * 50_000,
    ],
)
def test_other_texts_are_no_description(text):
    assert recognize(text, "boat") is None


@pytest.mark.parametrize("kind", TEXTS)
def test_damaged_descriptions_never_raise(kind):
    text = TEXTS[kind]
    for cut in range(0, len(text), 7):
        recognize(text[:cut], "boat")
        recognize(text[:cut] + text[cut + 5 :], "boat")


def test_values_of_the_wrong_kind_are_left_out():
    damaged = {**FIG, "options": [{"name": ["-x", 3, None, "no dash"], "description": ["a"]}]}
    option = recognize(json.dumps(damaged), "boat").command.options[0]
    assert (option.flags, option.description, option.default) == (("-x",), "", MISSING)


def test_the_trees_of_the_cloud_sdk_are_read_in_both_forms():
    long = recognize(json.dumps(CALLIOPE), "boat")
    load = long.command.commands["load"]
    assert (long.version, load.description) == ("1.2.0", "Load cargo")
    assert [(option.flags, option.type, option.hidden) for option in load.options] == [
        (("--harbour",), "string", None),
        (("-f",), "boolean", True),
    ]
    assert [(argument.name, argument.variadic) for argument in load.arguments] == [("CRATE", True)]
    kinds = {"--async": "bool", "--harbour": ["kiel", "riga"], "--zone": "dynamic", "--n": "value"}
    leaf = {"commands": {}, "flags": kinds}
    short = {"commands": {"cargo": {"commands": {"load": leaf}, "flags": {}}}, "flags": {}}
    load = recognize(json.dumps(short), "boat").command.commands["cargo"].commands["load"]
    assert load.description == "cargo load"
    assert [(option.type, option.enum) for option in load.options] == [
        ("boolean", None),
        ("enum", ("kiel", "riga")),
        ("string", None),
        ("string", None),
    ]
