"""Reading shell lines: what we accept, bash accepts; nothing but FormatError is ever raised."""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atip.calls.shell.line import parse_shell
from atip.errors import FormatError

LINES = [
    "git log --oneline | head -n 5 && echo 'a b' > /dev/null", 'for f in $(ls); do echo "$f"; done',
    "if [ -f x ]; then cat x; elif true; then :; else exit 1; fi", "case $x in a|b) ls;; *) pwd;; esac",
    'echo "${a:-$(b)}" ${c[0]} ${#d} ${e%.x} $((1 + 2))', "cat <<E\na $b\nE\nls", "f() { ls; }; f | { cat; }",
    "[[ -n $x && ( $y == *.py || $z =~ ^a(b|c)$ ) ]] && ls", "a=(1 2 [5]=x) b+=c ls 2>&1 >&3 <x", "diff <(a) >(b)",
    "while read -r l; do :; done < x &", "echo $'a\\tb' \"c\\\"d\" e\\ f `g \\`h\\``",
]  # fmt: skip
TOKENS = [*"'\"`$(){}[]|&;<>\\\n #!=*?~", "$(", "${", "))", "((", "<<E\n", "<(", "&&", ";;", "if ", "fi ", "do ", "done ",
          "case ", "esac", "[[ ", " ]]", "f() ", "! ", "a=(", "$'"]  # fmt: skip


def mutated(rnd: random.Random) -> str:
    line = rnd.choice(LINES)
    for _ in range(rnd.randint(1, 3)):
        at = rnd.randint(0, len(line))
        if rnd.random() < 0.5:
            line = line[:at] + rnd.choice(TOKENS) + line[at:]
        else:
            line = line[:at] + line[at + rnd.randint(1, 3) :]
    return line


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash to compare with")
def test_what_we_accept_bash_accepts():
    """`bash -n` reads and never executes. Lines are separate files in spirit: one process each."""
    rnd = random.Random(7)
    accepted = 0
    for _ in range(400):
        line = mutated(rnd)
        try:
            parse_shell(line)
        except FormatError:
            continue
        accepted += 1
        done = subprocess.run(
            ["bash", "--norc", "-n", "/dev/stdin"], input=line.encode(), capture_output=True
        )
        assert done.returncode == 0, (line, done.stderr)
    assert accepted > 50


@given(st.text(alphabet="abrm -$(){}[]'\"`\\|&;<>=*?~#!\n\t@%:/.0", max_size=60))
def test_only_format_errors_are_raised(line):
    try:
        parse_shell(line)
    except FormatError as error:
        assert error.code == "shell.syntax"
