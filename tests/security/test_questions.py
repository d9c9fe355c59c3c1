"""What a person reads before saying yes cannot be forged by what is asked about."""

from __future__ import annotations

import pytest

from atip.execution.consent import Question

HOSTILE = {
    "escape": "a\x1b[2J\x1b[1;1Hls",
    "carriage return": "rm -rf /\rls       ",
    "line": "x\n  because    it is harmless",
    "bidi": "safe\u202etxt.exe",
    "zero width": "l\u200bs",
    "tag": "ls\U000e0041",
    "c1": "\x9b2Jls",
    "title": "\x1b]0;ls\x07",
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("place", ["argv", "program", "cwd", "reasons"])
def test_a_question_is_plain_text_of_as_many_lines_as_we_wrote(kind, place):
    plain = {"argv": ("rm", "a"), "program": "/bin/rm", "cwd": "/w", "reasons": ("deletes",)}
    text = HOSTILE[kind]
    changed = {**plain, place: (text,) if place in ("argv", "reasons") else text}
    shown = Question(digest="sha256:0", **changed).render()
    assert len(shown.split("\n")) == len(Question(digest="sha256:0", **plain).render().split("\n"))
    assert all(character.isprintable() or character == "\n" for character in shown)


def test_the_whole_argv_is_shown():
    shown = Question(
        argv=("rm", "x" * 9000, "last"), program="/bin/rm", digest="", cwd="/"
    ).render()
    assert "x" * 9000 + " last" in shown
