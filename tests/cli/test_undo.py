"""`undo`: what confined lines did to a workspace is listed and taken back, also after `kill -9`."""

from __future__ import annotations

import os
import pathlib
import random
import signal
import subprocess
import sys

import pytest

from tests.cli.run import atip
from tests.unit.execution.test_undo import state

pytestmark = pytest.mark.sandbox


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "home/work"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (folder / "src").mkdir()
    (folder / "src/a.txt").write_text("first\n")
    (folder / "gone.txt").write_text("second\n")
    (folder / "change.sh").write_text(
        "#!/bin/sh\necho more >> src/a.txt; rm gone.txt; mkdir out; ln -s ../src out/link\n"
        "ls -A ~/.local 2>/dev/null; echo up; $1\n"
    )
    (folder / "change.sh").chmod(0o755)
    return folder


def test_lines_are_listed_and_undone(work: pathlib.Path) -> None:
    before = state(work)
    result = atip("run", "--line", "./change.sh", home=work.parent, cwd=work)
    assert result.code == 0 and result.out == "up\n", result
    changed = state(work)
    assert atip("run", "--line", "./change.sh true", home=work.parent, cwd=work).code == 0
    rows = atip("undo", "--list", "--json", home=work.parent, cwd=work / "src").document["runs"]
    assert [row["line"] for row in rows] == ["./change.sh", "./change.sh true"]
    assert rows[0]["removed"] == ["gone.txt"] and rows[0]["changed"] == ["src/a.txt"]
    assert rows[0]["made"] == ["out", "out/link"] and rows[1]["changed"] == ["src/a.txt"]
    early = atip("undo", rows[0]["run"], home=work.parent, cwd=work)
    assert early.code != 0 and "undo.changed" in early.err and "src/a.txt" in early.err
    assert atip("undo", home=work.parent, cwd=work).code == 0 and state(work) == changed
    assert atip("undo", "--json", home=work.parent, cwd=work).document["undone"] is False
    assert state(work) == before
    assert "undo.not-found" in atip("undo", home=work.parent, cwd=work).err
    assert "(undone)" in atip("undo", "--list", home=work.parent, cwd=work).out


def test_a_run_that_was_killed_is_undone(work: pathlib.Path) -> None:
    before = state(work)
    env = {"PATH": os.environ["PATH"], "HOME": str(work.parent)}
    words = [sys.executable, "-m", "atip.cli.main", "run", "--line", "./change.sh 'sleep 314.159'"]
    with subprocess.Popen(words, cwd=work, env=env, stdout=subprocess.PIPE) as going:
        assert going.stdout is not None and going.stdout.readline() == b"up\n"
        going.send_signal(signal.SIGKILL)
        assert going.wait(timeout=20) == -9
    result = atip("undo", "--list", home=work.parent, cwd=work)
    assert "(interrupted)" in result.out and "gone.txt" in result.out
    assert atip("undo", home=work.parent, cwd=work).code == 0 and state(work) == before


def test_a_line_that_changes_nothing_leaves_no_record(work: pathlib.Path) -> None:
    assert atip("run", "--line", "ls; ./unknown || true", home=work.parent, cwd=work).code == 0
    assert atip("undo", "--list", "--json", home=work.parent, cwd=work).document == {"runs": []}
    assert atip("undo", "--forget", home=work.parent, cwd=work).code != 0


def random_line(rng: random.Random) -> str:
    """Something that changes files: made, appended to, removed, moved, linked, given another mode."""
    one, other = (f"d{rng.randrange(4)}/f{rng.randrange(5)}" for _ in range(2))
    folder = one.partition("/")[0]
    return rng.choice(
        (
            f"mkdir -p {folder} && echo {rng.random()} > {one}",
            f"mkdir -p {folder} && echo {rng.random()} >> {one}",
            f"rm -f {one}",
            f"rm -rf {folder}",
            f"mv {one} {other}",
            f"cp {one} {other}",
            f"mv {folder} m{rng.randrange(3)}",
            f"ln -sfn {one} l{rng.randrange(3)}",
            f"chmod {rng.choice(('600', '755', '400'))} {one}",
            f"truncate -s {rng.randrange(5000)} {one}",
            f"echo '{rng.random()}' > src/new{rng.randrange(3)}.py",
        )
    )


@pytest.mark.soak
def test_a_hundred_random_confined_lines_are_undone_byte_for_byte(work: pathlib.Path) -> None:
    seed = random.SystemRandom().randrange(2**31)
    rng = random.Random(seed)
    cases = "".join(f"{number}) {random_line(rng)};;\n" for number in range(100))
    (work / "step.sh").write_text(f"case $1 in\n{cases}esac 2>/dev/null\ntrue\n")
    before = state(work)
    for number in range(100):
        result = atip("run", "--line", f"sh step.sh {number}", home=work.parent, cwd=work)
        assert result.code == 0, (seed, result)
    assert state(work) != before
    while atip("undo", home=work.parent, cwd=work).code == 0:
        pass
    assert state(work) == before, seed
