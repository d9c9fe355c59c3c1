"""Laws of CMP: words as a POSIX shell cuts them, values that stay values, documents that come back."""

from __future__ import annotations

import contextlib
import json
import shlex
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from atip.calls.templates.cmp import CmpIntent, Param, build_argv, split_template
from atip.calls.templates.cmp_shell import build_line
from atip.codecs.cmp import codec as cmp
from atip.errors import FormatError
from atip.model.problems import render_path
from atip.model.reading.decode import decode_tool
from atip.model.reading.encode import encode
from tests.property.documents import TOOL

HOSTILE = st.text(
    st.one_of(
        st.sampled_from("$`\"'\\;|&<>(){}*?~!#=@%+-,. \t\n"),
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"),
    ),
    max_size=30,
)
VALUES = HOSTILE.filter(lambda text: text[:1] not in ("-", "@", "+"))
PLAIN = st.text(st.sampled_from("abc \t'\"\\{}x=-*~#"), max_size=30)


@given(PLAIN)
def test_words_are_those_of_the_standard_librarys_shell_splitter(command):
    # inside double quotes that library keeps a backslash which a shell takes away
    assume('"' not in command or "\\" not in command)
    try:
        expected = shlex.split(command)
    except ValueError:
        expected = None
    try:
        found = list(split_template(f"t {command}"))[1:]
    except FormatError:
        found = None
    assert found == expected


@given(HOSTILE)
def test_any_text_is_split_or_refused(command):
    try:
        words = split_template(command)
    except FormatError as error:
        assert error.code == "cmp.template"
    else:
        assert words


@given(VALUES, VALUES)
@pytest.mark.proves("CMP-4.1-12")
def test_a_value_is_one_word_and_is_never_read_again(first, second):
    made = CmpIntent(
        patterns=("x",),
        command="""tool {a} '{b}' "--opt={a}" fixed""",
        params=(Param(name="a"), Param(name="b")),
    )
    try:
        argv = build_argv(made, {"a": first, "b": second})
    except FormatError as error:
        assert {problem.code for problem in error.problems} <= {
            "call.injection",
            "call.unusable-value",
        }
        return
    assert argv == ("tool", first, second, f"--opt={first}", "fixed")


@given(st.lists(VALUES, min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
@pytest.mark.proves("CMP-4.1-13")
def test_a_real_shell_finds_the_values_as_they_were(values):
    made = CmpIntent(
        patterns=("x",),
        command=r"""printf '%s\0' {many} "{one}" a{one}b | cat""",
        params=(Param(name="many", type="array<string>"), Param(name="one")),
    )
    try:
        line = build_line(made, {"many": values, "one": values[0]})
    except FormatError as error:
        assert error.code == "call.invalid"
        return
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=True)
    expected = [*values, values[0], f"a{values[0]}b"]
    assert done.stdout.decode("utf-8") == "".join(f"{value}\0" for value in expected)


@given(TOOL.map(decode_tool))
@settings(max_examples=80, deadline=None)
def test_every_tool_can_be_written_as_cmp_and_read_again(tool):
    encoded = cmp.encode(tool)
    documents = json.loads(json.dumps(encoded.data))
    back = cmp.decode(documents).tool
    again = cmp.encode(back)
    assert again.data == documents
    assert cmp.decode(again.data).tool == back
    seen = [p for i in documents["capability"]["intents"] for p in i["patterns"]]
    assert len(seen) == len(set(seen))


@given(TOOL.map(decode_tool))
@settings(max_examples=60, deadline=None)
def test_the_losses_that_are_told_are_those_that_are_there(tool):
    encoded = cmp.encode(tool)
    before, after = encode(tool), encode(cmp.decode(encoded.data).tool)
    changed = {render_path((key,)) for key, value in before.items() if after.get(key, ...) != value}
    told = [loss.path for loss in encoded.losses]
    for path in changed:
        assert any(one.startswith(path) for one in told), path
    for path in told:
        assert any(path.startswith(one) for one in changed), path


@given(st.binary(max_size=200))
def test_no_bytes_make_reading_fail_otherwise(data):
    with contextlib.suppress(FormatError):
        cmp.decode(data)
