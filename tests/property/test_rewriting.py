"""Laws of a rewritten line: every shell hands the original to `run --line` as one word, and nothing before it changes."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atip.policy.rewriting import (
    PROVEN,
    is_proven_version,
    original_line,
    rewrite_line,
)

SHELLS = ("bash", "dash", "zsh")
TEXT = st.text(
    st.one_of(
        st.characters(codec="utf-8", exclude_characters="\0"), st.sampled_from("'\"\\$`!\n;&|<>*~#- ")
    ),
    max_size=60,
)  # fmt: skip
SHOW = (
    "import sys; sys.stdout.buffer.write(b'\\0'.join(map(__import__('os').fsencode, sys.argv[1:])))"
)


@pytest.mark.parametrize("shell", SHELLS)
@settings(max_examples=60, deadline=None)
@given(line=TEXT)
def test_each_shell_hands_the_line_on_as_one_word(shell: str, line: str) -> None:
    if not os.path.exists(f"/bin/{shell}"):
        pytest.skip(f"{shell} is not installed")
    rewritten = rewrite_line(sys.executable, line)
    # the same words, told instead of run
    shown = rewritten.replace("-I -m atip.cli.main", f"-I -c {shlex.quote(SHOW)}", 1)
    result = subprocess.run([f"/bin/{shell}", "-c", shown], capture_output=True, check=True)
    *options, last = result.stdout.split(b"\0")
    assert options == [b"run", b"--line", b"--unattended", b"--"]
    assert last == original_line(line).encode()


@given(line=TEXT, read_only=st.booleans())
def test_rewriting_twice_is_rewriting_once(line: str, read_only: bool) -> None:
    once = rewrite_line("/usr/bin/python3", line, read_only=read_only)
    assert rewrite_line("/usr/bin/python3", once, read_only=read_only) == once
    assert shlex.split(once)[-1] == original_line(line)


@given(line=TEXT)
def test_a_line_is_taken_apart_only_if_it_is_one_plain_command_of_ours(line: str) -> None:
    if not line.startswith("atip"):
        assert original_line(line) == line
    for text in (f"atip run --line x; {line}", f"atip run --line --yes {shlex.quote(line)}"):
        assert original_line(text) == text or ";" not in text


@pytest.mark.parametrize(
    "text",
    [
        "atip run --line 'a' && b",
        'atip run --line "$(b)"',
        "atip run --line --yes a",
        "atip run --policy x --line a",
        "atip run --line",
        "evil run --line 'a'",
        "/usr/bin/python3 -m atip.cli.main run --line 'a'",
    ],
)
def test_other_lines_stay_as_they_are(text: str) -> None:
    assert original_line(text, "/usr/bin/python3") == text


def test_a_relative_interpreter_and_a_nul_are_refused() -> None:
    for python, line in (("python3", "ls"), ("/usr/bin/python3", "ls\0")):
        with pytest.raises(ValueError, match="absolute"):
            rewrite_line(python, line)


@given(
    client=st.sampled_from(sorted(PROVEN)),
    package=st.text(max_size=20),
    version=st.text(max_size=8),
)
def test_only_versions_that_were_tried_are_proven(client: str, package: str, version: str) -> None:
    assert not is_proven_version(client, package, "") and not is_proven_version(
        "generic", package, version
    )
    assert version in PROVEN[client] or not is_proven_version(client, "@openai/codex", version)
