"""Positionals of commands whose usage has several forms, and of names with parts in brackets."""

from __future__ import annotations

import time

import pytest

from atip.inference.help import infer_help


def positionals(text, tool, *path):
    return [render(argument) for argument in infer_help(text, tool=tool, path=path).arguments or ()]


def render(argument):
    name = argument.name + ("…" if argument.variadic else "")
    return f"[{name}]" if argument.required is False else f"<{name}>"


@pytest.mark.parametrize(
    ("usage", "words", "expected"),
    [
        (
            "Usage: cp [OPTION]... [-T] SOURCE DEST\n  or:  cp [OPTION]... SOURCE... DIRECTORY\n"
            "  or:  cp [OPTION]... -t DIRECTORY SOURCE...\n",
            "cp",
            ["<SOURCE…>", "[DEST]"],
        ),
        (
            "usage: git fetch [<options>] [<repository> [<refspec>...]]\n   or: git fetch [<options>] <group>\n"
            "   or: git fetch --multiple [<options>] [(<repository> | <group>)...]\n",
            "git fetch",
            ["[repository]", "[refspec…]"],
        ),
        (
            "Usage: seq [OPTION]... LAST\n  or:  seq [OPTION]... FIRST LAST\n  or:  seq [OPTION]... FIRST INCREMENT LAST\n",
            "seq",
            ["[FIRST]", "[INCREMENT]", "<LAST>"],
        ),
        (
            "usage: git log [<options>] [<revision-range>] [[--] <path>...]\n   or: git show [<options>] <object>...\n",
            "git log",
            ["[revision-range]", "[path…]"],
        ),
        (
            "usage: git log [<options>] [<revision-range>] [[--] <path>...]\n   or: git show [<options>] <object>...\n",
            "git show",
            ["<object…>"],
        ),
        (
            "Usage: nohup COMMAND [ARG]...\n  or:  nohup OPTION\n",
            "nohup",
            ["<COMMAND>", "[ARG…]"],
        ),
        ("Usage:  docker pull [OPTIONS] NAME[:TAG|@DIGEST]\n", "docker pull", ["<NAME>"]),
        ("Usage: unzip [-Z] file[.zip] [list] [-d exdir]\n", "unzip", ["<file>", "[list]"]),
        ("Usage: chmod [OPTION]... MODE[,MODE]... FILE...\n", "chmod", ["<MODE…>", "<FILE…>"]),
        ("Usage:\n kill [options] <pid> [...]\n", "kill", ["<pid…>"]),
        ("Usage:\nnpm uninstall [<@scope>/]<pkg>...\n", "npm uninstall", ["<pkg…>"]),
        ("Usage: edit [options] [file ..]\n", "edit", ["[file…]"]),
        (
            "Usage:\nnpm run <command> [-- <args>]\n",
            "npm run",
            ["<command>", "[args…]"],
        ),
        (
            "Usage:\n  kubectl exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...] [options]\n",
            "kubectl exec",
            ["<POD|TYPE/NAME>", "<COMMAND>", "[args…]"],
        ),
        (
            "Usage: pip install [options] <requirement specifier> [package-index-options] ...\n",
            "pip install",
            ["<requirement specifier…>"],
        ),
    ],
)
def test_forms_are_one_list(usage, words, expected):
    tool, *path = words.split()
    assert positionals(usage, tool, *path) == expected


def test_nested_commands_behind_flags_and_placeholders_are_commands():
    text = (
        "usage: git submodule [--quiet] [--cached]\n"
        "   or: git submodule [--quiet] add [-b <branch>] [--] <repository> [<path>]\n"
        "   or: git submodule [--quiet] update [--init] [--] [<path>...]\n"
    )
    found = infer_help(text, tool="git", path=("submodule",))
    assert sorted(found.commands) == ["add", "update"]
    reflog = "usage: git reflog [show] [<ref>]\n   or: git reflog expire [<refs>...]\n   or: git reflog exists <ref>\n"
    assert sorted(infer_help(reflog, tool="git", path=("reflog",)).commands) == [
        "exists",
        "expire",
        "show",
    ]


def choices(text, flag, tool, *path):
    options = infer_help(text, tool=tool, path=path).options
    return next(list(option.enum or ()) for option in options if flag in option.flags)


@pytest.mark.parametrize(
    ("text", "flag", "expected"),
    [
        (
            "      --interactive[=WHEN]  prompt according to WHEN: never, once (-I), or\n"
            "                          always (-i); without WHEN, prompt always\n",
            "--interactive",
            ["never", "once", "always"],
        ),
        (
            "      --output-error[=MODE]   set behavior on write error.  See MODE below\n\n"
            "MODE determines behavior with write errors on the outputs:\n"
            "  warn           diagnose errors writing to any output\n"
            "  exit           exit on error writing to any output\n",
            "--output-error",
            ["warn", "exit"],
        ),
        (
            "      --cached=MODE     specify how to use cached attributes. See MODE below\n\n"
            "The MODE argument of --cached can be: always, never, or default.\n",
            "--cached",
            ["always", "never", "default"],
        ),
        ("  --empty <{stop,drop,keep}>  how to handle empty patches\n", "--empty", ["stop", "drop", "keep"]),
        ("  -keyform PEM|DER|ENGINE  key input format\n", "-keyform", ["PEM", "DER", "ENGINE"]),
        ("  -target HOST|FILE  where to\n", "-target", []),
    ],
)  # fmt: skip
def test_values_that_a_text_explains_elsewhere_are_choices(text, flag, expected):
    assert choices(f"Usage: boat [OPTION]... FILE\n\nOptions:\n{text}", flag, "boat") == expected


def test_values_and_commands_in_usage_lines():
    keygen = "usage: ssh-keygen [-q] [-b bits] [-t dsa | ecdsa | rsa]\n"
    assert choices(keygen, "-t", "ssh-keygen") == ["dsa", "ecdsa", "rsa"]
    apt = "usage: apt-get [-q] {update | install pkg [{=version | /release}]... | remove pkg... | {-h | --help}}\n"
    found = infer_help(apt, tool="apt-get").commands
    assert sorted(found) == ["install", "remove", "update"]
    assert [render(argument) for argument in found["install"].arguments] == ["<pkg…>"]


def test_many_options_and_many_lines_are_read_in_linear_time():
    def spent(count):
        text = "".join(f"  --opt{n} VAL{n}  see below\n" for n in range(count))
        text += "\n" + "".join(f"Part{n}:\n  VAL{n} words\n" for n in range(4 * count))
        begin = time.process_time()
        infer_help(text)
        return time.process_time() - begin

    spent(100)
    assert spent(2_000) < 12 * spent(500) + 0.2


def test_rows_and_credits_are_not_part_of_the_description():
    text = (
        "trans from fleet version 2.4.0\nUsing glib version 2.66.3\nBuilt on Dec  3 2020\n\n"
        "trans: A utility to translate names of boats\nSome One. one@example.org. 2000-2003.\n\n"
        "Synopsis:\n--------\ntrans <path>\n"
    )
    assert infer_help(text, tool="trans").description == "A utility to translate names of boats"
    rows = "Usage: build <names_in> <out>\n    names_in        comma-separated list of names\n    out             write to files of this name\n"
    assert infer_help(rows, tool="build").description == ""


def test_sets_of_values_behind_a_typed_placeholder():
    text = "Usage:\n    boat [SWITCHES] source\n\nSwitches:\n    -m, --mode VALUE:{fast, slow, lazy} How to go on\n    --name VALUE:str                Name of the boat\n"
    mode, name = infer_help(text, tool="boat").options
    assert (mode.flags, mode.enum) == (("-m", "--mode"), ("fast", "slow", "lazy"))
    assert mode.description == "How to go on"
    assert name.takes_value


def test_positionals_of_any_number_are_optional_whatever_their_note_says():
    text = "usage: boat [-h] source [targets ...]\n\npositional arguments:\n  source    Where from. (required)\n  targets   Where to. (required)\n"
    found = infer_help(text, tool="boat").arguments
    assert [(one.name, one.is_required) for one in found] == [("source", True), ("targets", False)]


def test_a_repeated_placeholder_is_one_name():
    text = "usage: boat [-h] PATH [[STR [STR ...]]]\n\npositional arguments:\n  PATH                Where from.\n  [[STR [STR ...]]]   Where to.\n"
    found = infer_help(text, tool="boat").arguments
    assert [(one.name, bool(one.variadic)) for one in found] == [("PATH", False), ("STR", True)]


def test_a_label_announces_the_purpose_and_an_error_above_does_not():
    text = "\n*****ERROR: Unrecognized parameter: --help *****\n\nTool:    ship sort (aka sortShips)\nSummary: Sorts ships by size.\n\nUsage:   ship sort [OPTIONS]\n"
    assert infer_help(text, tool="sortShips").description == "Sorts ships by size."
    text = "boat: invalid option -- '-'\nCarries things over water.\n\nUsage: boat [-a]\n"
    assert infer_help(text, tool="boat").description == "Carries things over water."


def test_an_address_and_a_heading_among_commands_are_none():
    text = (
        "Usage: boat [command]\n\nCommands:\n  row     move by hand\n  boat-yard actions\n          See boat-yard(1) for more.\n"
        "  Boats home page: <https://boats.example/>\n"
    )
    assert list(infer_help(text, tool="boat").commands) == ["row"]


def test_headings_of_a_manual_page_list_no_commands_unless_they_say_so():
    states = "PACKAGE STATES\n   tied\n       The boat is at the pier.\n\n   lost\n       Nobody knows.\n"
    text = f"BOAT(1)      Boats      BOAT(1)\n\nNAME\n       boat - carry things\n\nSYNOPSIS\n       boat [option...] command\n\n{states}"
    assert infer_help(text, tool="boat").commands is None


def test_columns_to_sort_by_are_values():
    text = "Usage: boat [options]\n\nOptions:\n  --sort <value>  Order of the boats: name | size | date\n  --in <value>    Where: name | path | url\n"
    sort, place = infer_help(text, tool="boat").options
    assert sort.enum == ("name", "size", "date")
    assert place.enum is None


def test_the_purpose_stands_above_the_call_or_below_its_heading():
    text = "Scan boats with a library of keels:\n boatscan [options] keels boats\n\n Options:\n   --level <int>   level to use\n"
    assert infer_help(text, tool="boatscan").description == "Scan boats with a library of keels"
    text = "USAGE\n  boatn [-h]\n\nDESCRIPTION\n   Keel-Keel BOAT 2.12.0+\n\nUse '-help' to print more\n"
    assert infer_help(text, tool="boatn").description == "Keel-Keel BOAT"


def test_a_heading_in_angles_lists_single_letters():
    text = "Usage: boatz <command> [<switches>...] <archive_name>\n\n<Commands>\n  a : Add things\n  rn : Rename things\n  x : eXtract things\n\n<Switches>\n  -an : no name\n"
    tool = infer_help(text, tool="boatz")
    assert list(tool.commands) == ["a", "rn", "x"]
    assert [option.flags for option in tool.options] == [("-an",)]


def test_words_behind_one_dash_take_the_word_that_follows():
    text = "USAGE\n  boatdb [-h] [-in input_file]\n    -dbtype keel_type [-title title] [-parse]\n"
    tool = infer_help(text, tool="boatdb")
    assert not tool.arguments
    assert {option.flags[0]: option.takes_value for option in tool.options} == {
        "-h": False, "-in": True, "-dbtype": True, "-title": True, "-parse": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("usage", "words", "expected"),
    [
        (
            "Usage: boat host port [SECURE|NONSECURE] [user]\n",
            "boat",
            ["<host>", "<port>", "[SECURE|NONSECURE]", "[user]"],
        ),
        ("usage: boat [-v] [-o bdf file] [pcf file]\n", "boat", ["[pcf file]"]),
        ("Usage: java org.boats.Query [options] query\n", "boatquery", ["<query>"]),
        ("Usage: java [options] mainclass [args...]\n", "java", ["<mainclass>", "[args…]"]),
        (
            "Usage: boat [OPTION...]\nShow boats.\n\nUSAGE: boat [-T] [interval] [count]\n",
            "boat",
            ["[interval]", "[count]"],
        ),
    ],
)
def test_words_of_a_usage_line_that_are_placeholders(usage, words, expected):
    assert positionals(usage, words) == expected


def test_many_words_of_which_one_is_typed_are_commands():
    text = "Usage: boat <add|archive|clone|commit|diff|fetch> [OPTIONS...]\n"
    tool = infer_help(text, tool="boat")
    assert list(tool.commands) == ["add", "archive", "clone", "commit", "diff", "fetch"]
    assert not tool.arguments
    few = infer_help("Usage: boat <fast|slow> FILE\n", tool="boat")
    assert few.commands is None


def test_an_option_outside_of_brackets_takes_one_value():
    text = "Usage: boat --sea <sea> --uid <uid> <pid> <value>\n\n  --uid <uid>   the boat\n"
    assert positionals(text, "boat") == ["<pid>", "<value>"]
    assert positionals("usage: boat [-|FILE]\n", "boat") == ["[-|FILE]"]


def test_forms_without_a_label_are_commands():
    text = (
        "Tool for boats\n\n boat print [--xml|--json]\n           [--events <filter>]\n           <file>\n     Print a boat.\n\n"
        " boat sink <file>\n     Sink it.\n\n boat version (alias --version)\n     Display the version\n"
    )
    tool = infer_help(text, tool="boat")
    assert list(tool.commands) == ["print", "sink", "version"]
    assert [one.flags for one in tool.commands["print"].options] == [
        ("--xml",), ("--json",), ("--events",),
    ]  # fmt: skip
    assert [one.name for one in tool.commands["sink"].arguments] == ["file"]
    assert [one.description for one in tool.commands.values()] == [
        "Print a boat.", "Sink it.", "Display the version",
    ]  # fmt: skip
    examples = "Boats.\n\nboat row east\nboat row west\nboat sink it\nboat sail home\n"
    assert infer_help(examples, tool="boat").commands is None


def test_commands_in_one_line():
    text = "Usage: boat [options...] [command...]\n\nAvailable commands: row, sail, sink, and version.\n\nOptions:\n    -r SEA   where\n"
    assert list(infer_help(text, tool="boat").commands) == ["row", "sail", "sink", "version"]
