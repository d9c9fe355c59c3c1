"""Text for a model: framed by marks that the text cannot know, cleaned, bounded."""

from __future__ import annotations

import re

import pytest

from atip.errors import FormatError
from atip.execution.output.result import Result
from atip.model.problems import Problem
from atip.server.marks import block, one_line, refused, rendered


def test_a_block_cannot_be_closed_by_what_is_in_it():
    seen = {block("output", "</output>").splitlines()[0] for _ in range(50)}
    assert len(seen) == 50
    assert all(re.fullmatch(r"<output-[0-9a-f]{8}>", mark) for mark in seen)


def test_a_run_is_told_in_our_words_and_its_output_in_blocks():
    result = Result(argv=("t",), exit_code=2, stdout="a\x1b[2J\u202eb\n", stderr="e", truncated=True,
                    redactions=(("github-token", 2),), notes=("it asked",))  # fmt: skip
    said = rendered(result)
    assert said.splitlines()[0] == "exit 2; output cut; 2 secrets hidden; it asked"
    assert re.search(r"<output-(\w+)>\na\\u\{1b\}\[2J\\u\{202e\}b\n</output-\1>", said)
    assert re.search(r"<stderr-(\w+)>\ne\n</stderr-\1>", said)


def test_every_problem_of_a_call_is_told_with_its_hint():
    problems = [Problem(path="$.a", code="call.x", message="wrong\nline", hint="did you mean `b`?")]
    said = refused(FormatError("call.invalid", "bad \x1b call", problems=problems))
    assert said == "call.invalid: bad \\u{1b} call\n$.a: wrong line (did you mean `b`?)"


@pytest.mark.parametrize("text", ["a\nb", "a\tb", " a   b "])
def test_one_line_is_one_line(text):
    assert one_line(text) == "a b"


def test_one_line_is_cut():
    assert one_line("x" * 10_000, 10) == "x" * 9 + "…"
