"""On a terminal of 40, 80 and 120 columns words wrap at words; a pipe gets every line whole; ^C ends at once; the README's session is real."""

from __future__ import annotations

import importlib
import os
import pathlib
import sys

import pytest

from tests.cli.run import atip
from tests.shared import ROOT
from tests.simulators.terminal import on_terminal

PROGRAM = str(pathlib.Path(sys.executable).parent / "atip")
LINE = "terraform destroy -auto-approve && kubectl delete ns production --all"
VERBS = {
    "state": (),
    "overview": ("--help",),
    "all verbs": ("help", "--all"),
    "group": ("registry", "--help"),
    "verb": ("run", "--help"),
    "decision": ("explain", LINE),
    "policy": ("policy", "show"),
    "check": ("policy", "check", LINE),
    "error": ("convert", "--to", "nonsense", "x"),
    "tool": ("show", "frob"),
    "list": ("list",),
    "search": ("search", "a great many words"),
    "tokens": ("tokens",),
    "guard": ("guard", "status"),
    "doctor": ("doctor",),
}
WORD = 30
"""A word that is longer than the rest of the line is not broken."""


def variables(home: pathlib.Path, **more: str) -> dict[str, str]:
    path = f"{os.path.dirname(PROGRAM)}:/usr/local/bin:/usr/bin:/bin"
    return {"PATH": path, "HOME": str(home), "TERM": "xterm", "LANG": "C.UTF-8", **more}


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> pathlib.Path:
    """A home with one described tool; nothing of this machine."""
    home = tmp_path_factory.mktemp("home")
    (home / "bin").mkdir()
    program = home / "bin" / "frob"
    program.write_text(
        "#!/bin/sh\n# --agent\ncat <<'E'\n"
        '{"atip": {"version": "0.6"}, "name": "frob", "version": "1.0", "description": "'
        + "Frobs everything that can be frobbed with many words of description " * 3
        + '", "commands": {"say-something-with-a-long-name": {"description": "' + "Says a great many words about it " * 4 + '"}}}\nE\n'
    )  # fmt: skip
    program.chmod(0o755)
    atip("scan", "--path", str(program.parent), home=home)
    return home


@pytest.mark.sandbox
@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("name", VERBS)
def test_words_wrap_at_words(name, columns, home):
    screen = on_terminal([PROGRAM, *VERBS[name]], columns=columns, env=variables(home), cwd=str(home))  # fmt: skip
    too_long = [line for line in screen.lines if len(line) > columns]
    # one word, a path or a list of choices in a usage line may be longer than the screen
    assert [line for line in too_long if max(map(len, line.split())) < WORD and "{" not in line] == []  # fmt: skip


@pytest.mark.sandbox
@pytest.mark.parametrize("name", ["decision", "tool", "list", "check"])
def test_a_pipe_gets_whole_lines_without_styles(name, home):
    narrow = atip(*VERBS[name], home=home, cwd=home, COLUMNS="40")
    wide = atip(*VERBS[name], home=home, cwd=home, COLUMNS="400")
    assert narrow.out == wide.out
    assert "\x1b" not in narrow.out and "…" not in narrow.out


def test_no_color_is_respected_on_a_terminal(home):
    words = [PROGRAM, "explain", "rm -rf build"]
    plain = on_terminal(words, columns=80, env=variables(home, NO_COLOR="1"), cwd=str(home))
    colored = on_terminal(words, columns=80, env=variables(home), cwd=str(home))
    assert "\x1b" not in plain.raw and "\x1b[33m" in colored.raw
    assert plain.lines == colored.lines


@pytest.mark.sandbox
@pytest.mark.measured
def test_an_interrupt_ends_a_scan_within_a_second(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(200):
        program = folder / f"tool{number}"
        program.write_text(f'#!/bin/sh\n# --agent {{"atip": {number}}}\nsleep 1\n')
        program.chmod(0o755)
    screen = on_terminal(
        [PROGRAM, "scan", "--path", str(folder)],
        columns=80, env=variables(tmp_path), cwd=str(tmp_path), press_after=("asking", b"\x03"),
    )  # fmt: skip
    assert screen.code == 130 and screen.seconds < 1, screen
    assert "interrupted" in screen.raw


def test_session_of_the_readme_is_what_these_commands_print():
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        recorder = importlib.import_module("record_session")
    finally:
        sys.path.pop(0)
    assert recorder.PICTURE.read_text() == recorder.render(recorder.record()), "run `make docs`"


@pytest.mark.sandbox
def test_doctor_puts_details_below_their_names_where_there_is_little_room(home):
    ran = on_terminal([PROGRAM, "doctor"], columns=40, env=variables(home, NO_COLOR="1"), cwd=home)
    assert "    serving MCP clients" in ran.lines
    assert "ok  extra mcp" in ran.lines
    wide = on_terminal([PROGRAM, "doctor"], columns=120, env=variables(home), cwd=home).lines
    at = {
        line.index(word)
        for line in wide
        for word in ("serving MCP", "remote registries")
        if word in line
    }
    assert len(at) == 1  # colors take no columns


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (("--josn",), "unrecognized arguments: --josn", "did you mean `--json`?"),
        (("show",), "the following arguments are required: tool", "see `atip show --help`"),
        (("guard", "install", "claud"), "unknown client `claud`", "did you mean `claude`?"),
        (("mcp", "config", "gemni"), "unknown client `gemni`", "did you mean `gemini`?"),
    ],
)
def test_what_a_newcomer_mistypes_is_answered_with_what_was_meant(words, message, hint, home):
    error = atip(*words, "--json", home=home).document["error"]
    assert (error["message"], error["hint"]) == (message, hint)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ui", "--port", "99999999"), "argument --port: `99999999` is not a port (0 to 65535)"),
        (("explain", "--cwd", "/nowhere", "ls"), "argument --cwd: `/nowhere` is not a folder"),
        (("search", "x", "--limit", "-1"), "argument --limit: `-1` is not a number (1 or more)"),
        (("run", "./missing"), "no executable `{cwd}/missing`"),
        (("search", "compress"), "nothing found: the index is empty; run `atip scan`"),
        (("policy", "test"), "no rule has examples; "),
    ],
)  # fmt: skip
def test_what_cannot_work_is_said_in_plain_words(words, message, tmp_path):
    ran = atip(*words, home=tmp_path, cwd=tmp_path)
    assert message.format(cwd=tmp_path) in ran.out + ran.err


def test_rules_are_shown_as_words(tmp_path):
    shown = atip("policy", "show", home=tmp_path).out
    assert "evidence knowledge, shell, override" in shown and "['" not in shown


def test_a_call_that_cannot_be_confirmed_says_why(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    ran = atip("run", "rm", "notes.txt", home=tmp_path, cwd=tmp_path)
    assert "this needs confirmation (can destroy data irreversibly, deletes files" in ran.err


@pytest.mark.parametrize(
    ("word", "message"),
    [("nosuch=1", "`wc` has no parameter `nosuch`"), ("lines=maybe", "lines expected a boolean")],
)
def test_a_wrong_argument_is_named(word, message, tmp_path):
    assert message in atip("call", "wc", word, home=tmp_path, cwd=tmp_path).err


def test_words_of_one_line_are_to_be_quoted(tmp_path):
    assert "quote words that belong together" in atip("explain", "git", "push", home=tmp_path).err
