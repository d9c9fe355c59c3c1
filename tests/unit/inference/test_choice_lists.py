"""Values that authors write into explanations, and lists that look like values and are not."""

from __future__ import annotations

import pytest

from atip import infer_help


def values(entry: str, flag: str) -> list[str] | None:
    text = f"Usage: prog [options]\n\nOptions:\n{entry}\n"
    option = next(
        option for option in infer_help(text, tool="prog").options or () if flag in option.flags
    )
    return list(option.enum) if option.enum else None


@pytest.mark.parametrize(
    ("entry", "flag", "expected"),
    [
        ("  --bar <kind>  Which bar to draw. [auto, on, off] (default: auto)", "--bar", "auto on off"),
        ("  --ring <way>  Which way to use [auto, import, none].", "--ring", "auto import none"),
        ("  --act <action>  When a file exists: (s)witch, (i)gnore, (w)ipe.", "--act", "s i w"),
        (
            '  --plan <plan>  How to go on. "eager" - upgrade all; "lazy" - upgrade what is old.',
            "--plan",
            "eager lazy",
        ),
        (
            "  --as=MODE  Control checks. 'plain' checks nothing. 'full' checks all.",
            "--as",
            "plain full",
        ),
        (
            '  --format string  Save image to oci-archive, oci-dir (a folder), tar (one file) (default "tar")',
            "--format",
            "oci-archive oci-dir tar",
        ),
        ("  --paste=mode  Send failed|all lines to the server", "--paste", "failed all"),
        ("  --form <form>  Output format among: rows (default), lines, or json.", "--form", "rows lines json"),
        ("  --rank=RANK  Rank of files. Choices available: bulk, standard", "--rank", "bulk standard"),
        ("  --script SHELL  Print the script for SHELL (bash, zsh or fish) and exit", "--script", "bash zsh fish"),
        (
            "  --time=WORD  access time (-u): atime, access; change time (-c): ctime, status",
            "--time",
            "atime access ctime status",
        ),
    ],
)  # fmt: skip
def test_written_list_is_choices(entry: str, flag: str, expected: str) -> None:
    assert values(entry, flag) == expected.split()


@pytest.mark.parametrize(
    ("entry", "flag"),
    [
        ("  --key=KEY  Key that is used for new objects. [put, sync, cp]", "--key"),
        ("  --hash=HASH  Hash format [md5, sha1, etc].", "--hash"),
        ("  --grant=RIGHT:USER  Right is one of: read, write, all", "--grant"),
        ("  --names VALUE  One of 'unix', 'ascii', or a custom set of characters", "--names"),
        ("  --keep EXPR  Files to keep. Example: --keep \"rating in ('s', 'q')\"", "--keep"),
    ],
)
def test_other_list_is_not_choices(entry: str, flag: str) -> None:
    assert values(entry, flag) is None


def test_values_shown_with_the_flag_count_where_the_option_refers_to_them() -> None:
    text = """Usage: cpy [OPTION]... SOURCE DEST

Options:
      --clone[=WHEN]   control clones. See below
  -f, --force          remove what is there

When --clone[=always] is given, blocks are shared.  If that fails and --clone=auto
is given, a plain copy is made.  Use --clone=never for a plain copy.
"""
    options = infer_help(text, tool="cpy").options or ()
    assert [option.enum for option in options] == [("always", "auto", "never"), None]


def test_forms_below_a_usage_line_are_commands_with_their_arguments() -> None:
    text = """usage: vcs hunt [help|start|bad|reset]

vcs hunt start [--term-{new,bad}=<term>]
	[--no-checkout] [<bad> [<good>...]] [--] [<path>...]
	begin to hunt.
vcs hunt reset [<commit>]
	end the hunt.
vcs hunt replay <logfile>
	play it again.
"""
    command = infer_help(text, tool="vcs", path=("hunt",))
    shown = {
        name: [
            (argument.name, argument.is_required, bool(argument.variadic))
            for argument in child.arguments or ()
        ]
        for name, child in (command.commands or {}).items()
    }
    assert shown == {
        "start": [("bad", False, False), ("good", False, True), ("path", False, True)],
        "reset": [("commit", False, False)],
        "replay": [("logfile", True, False)],
    }


def test_examples_below_a_usage_line_are_not_commands() -> None:
    text = """Usage: box list [command]

Examples:
  box list add name image
  box list make name
  box list drop name

Available Commands:
  add   Add an image
  drop  Drop a list
"""
    assert list(infer_help(text, tool="box", path=("list",)).commands or {}) == ["add", "drop"]


def test_a_long_list_of_possible_values_is_read_whole():
    names = [f"x86_64-platform_2_{number}" for number in range(60)]
    entry = f"  --platform <NAME>\n          The platform [possible values: {', '.join(names)}]"
    assert values(entry, "--platform") == names
