"""Laws of the help parser: any text gives a Command, in linear time, with evidence inside it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atip.inference.completion.bash import infer_bash
from atip.inference.completion.fish import infer_fish
from atip.inference.completion.zsh import infer_zsh
from atip.inference.help import infer_help
from atip.inference.help.flags import parse_flags
from atip.inference.manual.man import infer_man
from atip.model.tool import Command

PIECES = st.sampled_from(
    [
        "-a", "--all", "--out=FILE", "[-x]", "<file>...", "{a,b}", "usage: x ", "Options:\n", "\n", "  ",
        "\t", "Commands:\n", "(default: 3)", "one of a, b", "│", "╭─ A ─╮\n", "...", "|", "[", "]", "<",
        ">", "text ", "X(1) X(1)\n", "\x1b[1m", "_\b", "…", "-", "--[no-]x", "or: x ", "-a, --b C  d\n",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=400), st.lists(PIECES, max_size=80).map("".join))
MEGABYTE = 1_000_000
WORST = [
    " ", "-", "[", "]", "<", "{", "(", "|", ".", ",", "a", "\n", "\t", "│", "\x1b[", "\b", "-a\n",
    "  -a, --bb CC  desc\n", "[-a ", "--a=[", "{a,b}", "<a ", "a  b  ", "│ --a │ b │\n", "usage: ",
    "(default ", "[possible values: ", '"a", ', "Commands:\n  a  b\n", "use --a to ", "\x1b]", "a:\n",
    "(a/b/", "one of ", "{a|", "\u2010\n",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_any_text_gives_a_command_with_evidence_inside_the_text(text: str) -> None:
    command = infer_help(text, tool="x")
    lines = text.count("\n") + text.count("\r") + text.count("\v") + text.count("\f") + 3
    lines += text.count("\u2028") + text.count("\u0085")
    for option in command.options or ():
        first, last = option.own["evidence"]["lines"]  # type: ignore[index]
        assert 1 <= first <= last <= lines
        assert option.flags and all(flag.startswith("-") for flag in option.flags)
    names = [option.name for option in command.options or ()]
    assert len(names) == len(set(names))


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_same_text_gives_the_same_command(text: str) -> None:
    assert infer_help(text, tool="x") == infer_help(text, tool="x")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_man_and_completions_accept_any_text(text: str) -> None:
    assert isinstance(infer_man(".TH X 1\n.SH OPTIONS\n" + text, tool="x"), Command)
    for reader in (infer_bash, infer_zsh, infer_fish):
        assert isinstance(reader(text, "x"), Command)


FLAG = st.from_regex(r"--[a-z]{2,8}(-[a-z]{2,6})?", fullmatch=True)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(FLAG, st.booleans()), min_size=1, max_size=12, unique_by=lambda one: one[0])
)
def test_plain_definitions_are_found_exactly(defined: list[tuple[str, bool]]) -> None:
    rows = "".join(
        f"  {flag + (' VALUE' if value else ''):<30}about it\n" for flag, value in defined
    )
    command = infer_help("Usage: x [OPTIONS]\n\nOptions:\n" + rows, tool="x")
    assert [(o.flags[0], o.takes_value) for o in command.options or ()] == defined


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="-[]<>{}()|=,. abcXYZ", max_size=60))
def test_flag_specs_never_fail(text: str) -> None:
    spec = parse_flags(text)
    assert spec is None or all(flag.startswith("-") for flag in spec.flags)


@pytest.mark.measured
@pytest.mark.parametrize("unit", WORST, ids=repr)
def test_a_megabyte_of_anything_takes_linear_time(unit: str) -> None:
    """Doubling the text at most about doubles the time; a generous bound catches squares."""
    text = unit * (MEGABYTE // len(unit))
    begin = time.process_time()
    infer_help(text, tool="x")
    infer_help("Options:\n  --a X  " + text, tool="x")
    # Squares take minutes; CPU time is used because the machine may be busy.
    assert time.process_time() - begin < 5.0
