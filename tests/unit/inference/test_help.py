"""Evidence, conflicts, limits and the small parts of the help parser."""

from __future__ import annotations

import pytest

from atip.inference.help import infer_help
from atip.inference.help.flags import parse_flags
from atip.inference.help.layout.page import MAX_LINES, clean, read_page
from atip.inference.help.usage_lines.synopsis import parse_synopsis, tokenize
from atip.inference.help.values.choices import are_values
from atip.model.tool import BOOLEAN, Option


def options(text: str, **given) -> dict[str, Option]:
    command = infer_help(text, **given)
    return {flag: option for option in command.options or () for flag in option.flags}


def test_option_keeps_the_lines_it_was_read_from() -> None:
    text = "Options:\n  -a        one\n  -b FILE   two\n            and more\n"
    found = options(text)
    assert found["-b"].own["evidence"] == {"source": "help", "lines": [3, 4], "part": "definition"}


def test_subcommand_keeps_the_lines_it_was_read_from() -> None:
    command = infer_help("Commands:\n  add   one\n        more\n  rm    two\n", tool="x")
    assert command.commands is not None
    assert command.commands["add"].own["evidence"] == {"source": "help", "lines": [2, 3]}


def test_conflict_between_usage_and_definition_is_reported() -> None:
    text = "usage: x [-i IFACE]\n\n  -a, --all      all\n  -i, --device   interface\n"
    option = options(text, tool="x")["--device"]
    assert option.takes_value
    assert option.own["conflicts"] == [
        "line 1: usage gives -i the value `IFACE`, its definition gives it none"
    ]


def test_group_of_an_option_is_its_section() -> None:
    found = options("Network options:\n  -4    IPv4 only\n\nOutput options:\n  -q    quiet\n")
    assert found["-q"].own["group"] == "Output options"


def test_flag_in_prose_is_mentioned_not_defined() -> None:
    text = "Options:\n  --json   Print JSON. Use --no-json to disable.\n"
    found = options(text, tool="x")
    assert found["--no-json"].own["mentioned"] is True
    assert "mentioned" not in found["--json"].own


def test_flag_of_another_program_is_not_taken() -> None:
    assert "--follow" not in options("Trace with strace --follow first.\n\n  -x   run\n", tool="y")


def test_wrapped_text_that_starts_with_a_flag_is_not_a_definition() -> None:
    text = "Options:\n  -l, --level   report more\n                -ll for even more\n"
    assert set(options(text)) == {"-l", "--level"}


def test_truncated_flag_is_marked() -> None:
    text = (
        "╭─ Options ─────────────────╮\n"
        "│ --a-very-long-na…  TEXT  x │\n"
        "│ --short            TEXT  y │\n"
        "╰────────────────────────────╯\n"
    )
    found = options(text)
    assert found["--a-very-long-na…"].own["truncated"] is True


def test_tool_and_path_are_never_looked_up() -> None:
    text = "Usage: zzz [OPTIONS]\n\nOptions:\n  -a   one\n"
    assert [option.flags for option in infer_help(text, tool="git").options or ()] == [("-a",)]
    assert infer_help("", tool="git", path=("commit",)).options == ()


@pytest.mark.parametrize(
    "text", ["", "\n\n", "   ", "\x00\x01", "-", "--", "[", "usage:", "│", "╭"]
)
def test_almost_nothing_gives_an_empty_command(text: str) -> None:
    command = infer_help(text)
    assert not command.options and not command.commands


def test_examples_are_kept_and_define_nothing() -> None:
    command = infer_help("Usage: x\n\nExamples:\n  $ x --fast run\n  other --flag\n", tool="x")
    assert command.examples == ("x --fast run",)
    assert command.options == ()


@pytest.mark.parametrize(
    ("text", "flags", "value", "optional"),
    [
        ("-h, --help", ("-h", "--help"), None, False),
        ("-o, --output=FILE", ("-o", "--output"), "FILE", False),
        ("-j [N], --jobs[=N]", ("-j", "--jobs"), "N", True),
        ("-c CONFIG, --config CONFIG", ("-c", "--config"), "CONFIG", False),
        ("--color[=WHEN]", ("--color",), "WHEN", True),
        ("--[no-]status", ("--status", "--no-status"), None, False),
        ("--shout / --no-shout", ("--shout", "--no-shout"), None, False),
        ("-c|-C|--columns", ("-c", "-C", "--columns"), None, False),
        ("-D<name>=<value>", ("-D",), "<name>=<value>", False),
        ("-n MODE[,STATUS], --nocheck=MODE[,STATUS]", ("-n", "--nocheck"), "MODE[,STATUS]", False),
        ("-a, --args JSON ARRAY", ("-a", "--args"), "JSON ARRAY", False),
        ("-o [ --output ] arg", ("-o", "--output"), "arg", False),
        ("--host=", ("--host",), "", False),
        ("-v, --verbose...", ("-v", "--verbose"), None, False),
        ('-1 ("one"), --single', ("-1", "--single"), None, False),
    ],
)
def test_flag_spec(text: str, flags: tuple[str, ...], value: str | None, optional: bool) -> None:
    spec = parse_flags(text)
    assert spec is not None
    assert (spec.flags, spec.value, spec.optional_value) == (flags, value, optional)


@pytest.mark.parametrize("text", ["-", "--", "- item", "plain", "", "---"])
def test_not_a_flag_spec(text: str) -> None:
    assert parse_flags(text) is None


def test_list_of_flags_on_one_line_is_several_options() -> None:
    found = options("Tests (N can be +N):\n      -empty -false -fstype TYPE -links N\n")
    assert found["-fstype"].flags == ("-fstype",)
    assert [found[flag].takes_value for flag in ("-empty", "-fstype", "-links")] == [
        False,
        True,
        True,
    ]


def test_unbalanced_usage_still_gives_a_tree() -> None:
    root = parse_synopsis("x [-a [--b <c> | d")
    assert root.children[0].text == "x"
    assert tokenize("[-a]...") == ["[", "-a", "]", "..."]


def test_terminal_decoration_is_stripped() -> None:
    assert clean("\x1b[1mb\x1b[0m_\bu\bu\x1b]0;title\x07x\r\n") == "bux\n"


def test_text_beyond_the_limit_is_cut_and_says_so() -> None:
    page = read_page("x\n" * (MAX_LINES + 5))
    assert page.cut and len(page.lines) == MAX_LINES
    assert infer_help("x\n" * (MAX_LINES + 5)).own["cut"] is True


def test_types_follow_placeholders() -> None:
    text = (
        "Options:\n  --in FILE     a\n  --dir DIR     b\n  --port PORT   c\n"
        "  --url URL     d\n  --rate FLOAT  e\n  --name NAME   f\n  --go          g\n"
    )
    found = options(text)
    kinds = [
        found[flag].type
        for flag in ("--in", "--dir", "--port", "--url", "--rate", "--name", "--go")
    ]
    assert kinds == ["file", "directory", "integer", "url", "number", "string", BOOLEAN]


def test_a_long_flag_behind_one_dash_keeps_its_value_apart_as_shown():
    text = "Options:\n  -name PATTERN  match\n  -chdir=DIR     go there\n  -o FILE        output\n"
    options = {
        option.flags[0]: option.own.get("join") for option in infer_help(text, tool="x").options
    }
    assert options == {"-name": "space", "-chdir": None, "-o": None}


def test_abbreviations_and_own_spellings_are_no_choices() -> None:
    text = """Usage: boat [options]

Options:
  --quotes <yes/no/alt>     Smart quotes (valid values: yes, no, alt[ernative)
  --wood KIND               Kind of wood (possible values: oak, pine; others later)
"""
    found = {option.flags[0]: option.enum for option in infer_help(text, tool="boat").options or ()}
    assert found == {"--quotes": None, "--wood": ("oak", "pine")}
    assert not are_values(("load", "cargo"), ("--load", "--cargo"))
    assert are_values(("load", "sail"), ("--load",))


def test_commands_below_headings_of_their_own_are_found() -> None:
    text = """Usage: ferry [OPTIONS] [COMMAND] [ARGS]...

  Cross rivers.

Options:
  -v, --verbose  Say more.

Look at the river:
  depth     Measure the depth.
  current   Measure the current.

Cross it:
  row (paddle)  Cross by hand.
"""
    commands = infer_help(text, tool="ferry").commands or {}
    assert list(commands) == ["depth", "current", "row"]
    assert commands["row"].aliases == ("paddle",)


def test_examples_after_a_list_of_commands_are_not_commands() -> None:
    text = """Usage: ferry [OPTIONS] [COMMAND] [ARGS]...

Main commands:
  depth     Measure the depth.
  current   Measure the current.

Examples
  $ ferry depth --here

Learn more
  Use `ferry <command> --help` for more information.
"""
    assert list(infer_help(text, tool="ferry").commands or {}) == ["depth", "current"]


def test_invocations_below_what_they_do_are_commands() -> None:
    text = """Usage: ferry [options] COMMAND

Commands:
  Tie the boat to a post
      ferry tie POST
  Let it go
      ferry release [POST]

For more information, ask the captain:
captain@example.com
"""
    commands = infer_help(text, tool="ferry").commands or {}
    assert list(commands) == ["tie", "release"]
    assert commands["tie"].description == "Tie the boat to a post"
    assert [argument.name for argument in commands["release"].arguments or ()] == ["POST"]


def test_a_positional_with_its_values_has_a_name_and_choices() -> None:
    text = """Usage: ferry load [OPTIONS] PLACE CARGO:{she
                  ep|goat|cabbage}

Arguments:
  PLACE                      Where.  [required]
  CARGO:{sheep|goat|cabbage}
                             What to load.  [required]
"""
    arguments = infer_help(text, tool="ferry", path=("load",)).arguments or ()
    assert [(argument.name, argument.enum) for argument in arguments] == [
        ("PLACE", None),
        ("CARGO", ("sheep", "goat", "cabbage")),
    ]


def test_values_that_a_sentence_states_are_choices() -> None:
    text = """Usage: ferry [options]

Options:
  --flag=FLAG     Flag to fly. Supported values are: red, blue. Needs a mast.
  --horn KIND     Sound a horn. KIND can be: low, high,
                  or foghorn.
"""
    found = {
        option.flags[0]: option.enum for option in infer_help(text, tool="ferry").options or ()
    }
    assert found == {"--flag": ("red", "blue"), "--horn": ("low", "high", "foghorn")}


def test_a_listed_command_has_one_sentence() -> None:
    text = """Usage: ferry COMMAND

Commands:
  sink    Send the boat to the ground of the river, together with everything that is on it at the moment.
          Nothing comes back. Look at ferry-raise(1) for boats that were sent to the ground by mistake.
  raise   Bring it back.
"""
    commands = infer_help(text, tool="ferry").commands or {}
    assert commands["sink"].description.endswith("on it at the moment.")
    assert commands["raise"].description == "Bring it back."


def test_values_attached_to_an_option_in_two_spellings_are_not_positionals() -> None:
    text = "Usage:\n  ferry get [(-o|--output=)json|yaml|wide] (TYPE NAME) [flags]\n"
    found = infer_help(text, tool="ferry", path=("get",))
    assert [argument.name for argument in found.arguments or ()] == ["TYPE", "NAME"]


def test_a_line_of_flags_is_not_a_definition() -> None:
    text = """Usage: ferry [OPTION...]

  --format=FORMAT   shape of the bow

*This* ferry defaults to:
--format=round -f- -b20 --paint=blue
"""
    options = infer_help(text, tool="ferry").options or ()
    assert {option.description for option in options if "--format" in option.flags} == {
        "shape of the bow"
    }


def test_kinds_of_values_in_braces_are_one_positional():
    command = infer_help("Usage: scan [options] {dir|jar|class} ...\n", tool="scan")
    assert not command.commands
    (argument,) = command.arguments
    assert (argument.name, argument.variadic) == ("dir-or-jar-or-class", True)
