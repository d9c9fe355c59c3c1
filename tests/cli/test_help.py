"""Help texts, near misses of options, and tables in terminals of several widths."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

import pytest

from atip.cli.output import UNLIMITED, shorten, table, wrap
from atip.cli.rendering.overview import render, render_all, render_group
from atip.cli.verbs import BARE, GROUPS, NOUNS, VERBS
from tests.cli.run import atip


def test_the_overview_fits_a_screen():
    assert len(render().splitlines()) <= 60
    assert max(map(len, render().splitlines())) <= 80
    listed = {line.split()[0] for line in render().splitlines() if line.startswith("  ")}
    assert listed == {verb for verb, (section, _) in VERBS.items() if section} | NOUNS.keys()


def test_every_verb_is_in_the_long_overview():
    for noun, verbs in NOUNS.items():
        for verb in verbs:
            assert f"  {noun} {verb} " in render_all()
    assert GROUPS.keys() == NOUNS.keys()


@pytest.mark.parametrize("noun", NOUNS)
def test_every_group_has_help(noun, tmp_path):
    shown = {
        atip(*words, home=tmp_path) for words in ((noun, "--help"), (noun, "-h"), ("help", noun))
    }
    assert shown == {(0, render_group(noun) + "\n", "")}
    if noun not in BARE:
        alone = atip(noun, home=tmp_path)
        assert alone.code == 2
        assert f"`atip {noun}` needs a verb" in alone.err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("scan", "--lern"), "did you mean `--learn`?"),
        (("scan", "--jason=1"), "did you mean `--json`?"),
        (("scan", "--nothing-like-it"), "see `atip scan --help`"),
    ],
)
def test_an_unknown_option_gets_the_closest_one(words, hint, tmp_path):
    ran = atip(*words, home=tmp_path)
    assert (ran.code, ran.err.splitlines()[-1].strip()) == (2, hint)


def test_values_of_options_are_checked(tmp_path):
    ran = atip("list", "--source", "foo", home=tmp_path)
    assert ran.code == 2
    assert "'native', 'shim'" in ran.err


def test_text_is_cut_after_a_word_and_wrapped_between_words():
    assert shorten("one two three", 9) == "one two…"
    assert wrap("one two three four five six", 20, "  ") == ["one two three four", "  five six"]
    rows = [("a", "word " * 30), ("n" * 60, "short")]
    assert all(len(line) <= 60 for line in table(rows[:1], width=60, wrapped=True))
    assert table(rows, width=UNLIMITED)[0].endswith("word")


def in_terminal(columns: int, *words: str, home) -> list[str]:
    """The lines of a command that runs in a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {**os.environ, "HOME": str(home), "TERM": "dumb", "NO_COLOR": "1"}
    env.pop("COLUMNS", None)
    command = [sys.executable, "-m", "atip", *words]
    with subprocess.Popen(command, env=env, stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        parts = []
        with contextlib.suppress(OSError):  # EIO: the program has closed its end
            while part := os.read(master, 65536):
                parts.append(part)
        os.close(master)
    assert process.returncode == 0
    return b"".join(parts).decode().replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("words", [("show", "git"), ("show", "git", "branch"), ("show", "ls")])
def test_a_page_stays_inside_the_terminal(columns, words, tmp_path):
    lines = in_terminal(columns, *words, home=tmp_path)
    assert len(lines) > 10
    examples = "  $ "  # stay on one line, to be copied
    assert [line for line in lines if len(line) > columns and not line.startswith(examples)] == []


def test_a_pipe_is_never_cut(tmp_path):
    piped = atip("show", "git", "branch", home=tmp_path).out
    assert "…" not in "".join(line for line in piped.splitlines() if line.startswith("  "))


def test_a_tool_without_commands_has_a_signature(tmp_path):
    ran = atip("show", "ls", "--signature", home=tmp_path)
    assert ran.out.startswith("ls ") and ran.out.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("search", "x", "--limit", "0"), "see `atip search --help`"),
        (("tokens", "--limit", "-3"), "see `atip tokens --help`"),
        (("run", "--timeout", "-1", "true"), "see `atip run --help`"),
        (("run", "--timeout", "inf", "true"), "see `atip run --help`"),
        (("show", "git", "--depth", "-1"), "see `atip show --help`"),
        (("list", "--source", "nativ"), "did you mean `native`?"),
        (("completion", "bsh"), "did you mean `bash`?"),
        (("scan", "--lern"), "did you mean `--learn`?"),
    ],
)
def test_wrong_values_of_options_are_told_before_anything_runs(words, hint, tmp_path):
    ran = atip(*words, "--json" if words[0] != "run" else "--color=never", home=tmp_path)
    if words[0] == "run":
        assert ran.code == 2 and hint in ran.err
    else:
        error = ran.document["error"]
        assert (ran.code, error["code"], error["hint"]) == (2, "cli.usage", hint)
