"""Help in cobra's template: the heading above a line says what the line is."""

from __future__ import annotations

from atip.inference.cobra_help import by_headings, is_template
from atip.inference.help import infer_help

DRAWING = """Load cargo between two marks

  -5-3-1          x/y
  -x:y (invalid)
  (if known, -1 if not)

To load them all run the following commands:

    load crates   one after the other
    load barrels  last

Usage:
  boat load [crate] [-everything] [flags]
  boat load [command]

Examples:
  --slow        is a flag that only the example has

Available Commands:
  crates      Load crates

Flags:
  -f, --force   do not ask
  -h, --help    help for load

Global Flags:
      --log string   how loud
"""
GROUPED = """Boats.

Usage:
  boat [command]

Harbour:
  land        Land the boat

Flags:
  -h, --help   help for boat
"""
BY_HAND = """boat load [options]

Options:

--force:
  Do not ask.
--slow, -s:
  Take your time.
"""


def read(text):
    told = by_headings(infer_help(text, tool="boat", path=("load",)), text)
    return [option.flags for option in told.options or ()], list(told.commands or {})


def test_only_lines_below_their_heading_are_flags_and_commands():
    flags = [("-f", "--force"), ("-h", "--help"), ("--log",)]
    assert read(DRAWING) == (flags, ["crates"])


def test_commands_may_stand_in_groups_of_the_authors_own():
    assert read(GROUPED) == ([("-h", "--help")], ["land"])


def test_a_page_that_was_written_by_hand_is_left_as_it_was_read():
    assert read(BY_HAND)[0] == [("--force",), ("--slow", "-s")]
    assert not is_template(BY_HAND)


def test_the_template_has_a_usage_flags_and_the_flag_that_cobra_adds():
    assert is_template(DRAWING)
    assert not is_template(DRAWING.replace("Usage:", "How:"))
    assert not is_template(DRAWING.replace("-h, --help ", "-?, --info "))
