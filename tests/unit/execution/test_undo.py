"""Undo: random changes of a workspace are taken back byte for byte; restoring stays beneath it and refuses what changed since."""

from __future__ import annotations

import os
import pathlib
import random
import stat
import subprocess
import sys

import pytest

from atip.errors import ExecutionError, NotFoundError
from atip.execution.undo import copies, journal
from atip.execution.undo.journal import UndoJournal
from atip.execution.undo.restore import restore


def state(root: pathlib.Path) -> dict[str, tuple[object, ...]]:
    """Everything below a folder: kinds, permissions, targets, bytes."""
    found: dict[str, tuple[object, ...]] = {}
    for place, folders, names in os.walk(root):
        for name in (*folders, *names):
            path = pathlib.Path(place, name)
            status = path.lstat()
            content: object = None
            if path.is_symlink():
                content = os.readlink(path)
            elif path.is_file():
                content = path.read_bytes()
            mode = stat.S_IMODE(status.st_mode) if not path.is_symlink() else 0
            found[str(path.relative_to(root))] = (stat.S_IFMT(status.st_mode), mode, content)
    return found


def remove(path: pathlib.Path) -> None:
    if path.is_dir() and not path.is_symlink():
        for each in path.iterdir():
            remove(each)
        path.rmdir()
    elif path.is_symlink() or path.exists():
        path.unlink()


def disturb(root: pathlib.Path, chance: random.Random) -> None:
    """What a line may do: write, append, remove, rename, link, change kinds and permissions."""
    names = ["a", "b", "é ü", "d/x", "d/y", "d/e/z", "link", "-n", "l\nf"]
    for _ in range(chance.randint(1, 4)):
        path = root / chance.choice(names)
        for parent in reversed(path.relative_to(root).parents[:-1]):
            if not (root / parent).is_dir() or (root / parent).is_symlink():
                remove(root / parent)
                (root / parent).mkdir()
        kind = chance.randrange(6)
        if kind == 0 and path.is_file() and not path.is_symlink():
            with path.open("ab") as file:
                file.write(b"more")
        elif kind == 1:
            remove(path)
        elif kind == 2:
            remove(path)
            path.symlink_to(chance.choice(["a", "/etc/passwd", "../.."]))
        elif kind == 3:
            remove(path)
            path.mkdir(mode=chance.choice([0o755, 0o700]))
        elif kind == 4 and path.exists() and not path.is_symlink():
            path.chmod(chance.choice([0o600, 0o644, 0o755]) | (0o100 if path.is_dir() else 0))
        else:
            remove(path)
            path.write_bytes(chance.randbytes(chance.choice([0, 3, 5000])))


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "work"
    (folder / "d/e").mkdir(parents=True)
    (folder / "a").write_bytes(b"\0first")
    (folder / "d/x").write_text("x")
    (folder / "d/x").chmod(0o755)
    (folder / "link").symlink_to("d")
    return folder


@pytest.fixture
def kept(tmp_path: pathlib.Path, work: pathlib.Path) -> UndoJournal:
    return UndoJournal(str(tmp_path / "data"), str(work))


def complain(reason: str) -> None:
    raise AssertionError(reason)


def undo(kept: UndoJournal, run: str = "") -> None:
    restore(kept, kept.find(run))


@pytest.mark.parametrize("seed", range(5))
def test_a_hundred_random_lines_are_undone_byte_for_byte(
    work: pathlib.Path, kept: UndoJournal, seed: int
) -> None:
    chance = random.Random(seed)
    states = []
    for number in range(100):
        before = state(work)
        with kept.watch(run=f"{number:08x}", line=f"line {number}", tell=complain):
            disturb(work, chance)
        if state(work) != before:
            states.append(before)
    assert len(kept.changes()) == len(states) > 50
    for before in reversed(states):
        undo(kept)
        assert state(work) == before
    with pytest.raises(NotFoundError):
        kept.find()


def test_what_changed_since_is_refused_and_nothing_is_touched(
    work: pathlib.Path, kept: UndoJournal
) -> None:
    with kept.watch(run="aaaaaaaa", line="x", tell=complain):
        (work / "a").write_text("by the line")
        (work / "d/x").unlink()
        (work / "new").mkdir()
    for change in (
        lambda: (work / "a").write_text("by a person"),
        lambda: (work / "d/x").write_text("again"),
        lambda: (work / "new/mine").write_text("mine"),
    ):
        keep = state(work)
        change()
        now = state(work)
        with pytest.raises(ExecutionError, match="changed since"):
            undo(kept)
        assert state(work) == now
        for name in ("a", "d/x", "new"):
            remove(work / name)
        (work / "a").write_text("by the line")
        (work / "new").mkdir()
        assert state(work) == keep
    undo(kept)
    assert (work / "a").read_bytes() == b"\0first" and (work / "d/x").read_text() == "x"
    with pytest.raises(ExecutionError, match="already"):
        undo(kept, "aaaaaaaa")


def test_a_folder_that_became_a_link_leads_nowhere(
    work: pathlib.Path, kept: UndoJournal, tmp_path: pathlib.Path
) -> None:
    with kept.watch(run="aaaaaaaa", line="x", tell=complain):
        (work / "d/x").unlink()
    outside = tmp_path / "outside"
    (outside / "e").mkdir(parents=True)
    remove(work / "d")
    (work / "d").symlink_to(outside)
    with pytest.raises((ExecutionError, OSError)):
        undo(kept)
    assert state(outside) == {"e": state(outside)["e"]}


def test_special_bits_are_not_brought_back(work: pathlib.Path, kept: UndoJournal) -> None:
    (work / "a").chmod(0o6755)
    with kept.watch(run="aaaaaaaa", line="x", tell=complain):
        (work / "a").unlink()
    undo(kept)
    assert stat.S_IMODE((work / "a").stat().st_mode) == 0o755


def test_records_that_name_another_place_are_refused(work: pathlib.Path, kept: UndoJournal) -> None:
    with kept.watch(run="aaaaaaaa", line="x", tell=complain):
        (work / "a").unlink()
    record = pathlib.Path(kept.snapshots.folder, "aaaaaaaa.run.json")
    for name in ("../a", "/etc/a", "d/../../a", "d//a"):
        record.write_text(record.read_text().replace('"a":', f'"{name}":'))
        with pytest.raises((ExecutionError, OSError)):
            undo(kept)
        record.write_text(record.read_text().replace(f'"{name}":', '"a":'))


def test_a_killed_run_is_noticed_and_undone(
    work: pathlib.Path, kept: UndoJournal, tmp_path: pathlib.Path
) -> None:
    before = state(work)
    script = (
        "import os, signal, sys; from atip.execution.undo.journal import UndoJournal\n"
        "with UndoJournal(sys.argv[1], sys.argv[2]).watch(run='bbbbbbbb', line='x', tell=print):\n"
        "    open('a', 'w').write('half'); os.unlink('d/x'); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    words = [sys.executable, "-c", script, str(tmp_path / "data"), str(work)]
    assert subprocess.run(words, cwd=work).returncode == -9
    (change,) = kept.changes()
    assert change.interrupted and change.paths == ("a", "d/x")
    undo(kept)
    assert state(work) == before


def test_the_journal_is_private_and_ends_after_a_week(
    work: pathlib.Path, kept: UndoJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept.watch(run="aaaaaaaa", line="x", tell=complain):
        (work / "a").write_text("1")
    for place, folders, names in os.walk(os.path.dirname(kept.snapshots.folder)):
        for name in (*folders, *names, "."):
            assert os.lstat(os.path.join(place, name)).st_mode & 0o077 == 0
    monkeypatch.setattr(journal, "KEEP_S", -1.0)
    with kept.watch(run="bbbbbbbb", line="y", tell=complain):
        (work / "a").write_text("2")
    assert [change.run for change in kept.changes()] == ["bbbbbbbb"]


def test_a_full_journal_says_so_and_gives_nothing_up(
    work: pathlib.Path, kept: UndoJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept.watch(run="aaaaaaaa", line="x", tell=complain):
        (work / "a").write_text("1" * 1000)
    monkeypatch.setattr(copies, "MAX_TOTAL", 1010)
    monkeypatch.setattr(journal, "FULL", 900)
    assert kept.is_full
    (work / "big").write_text("2" * 500)
    told: list[str] = []
    with kept.watch(run="bbbbbbbb", line="y", tell=told.append):
        (work / "a").write_text("3")
    assert "1,010 bytes" in told[0]
    assert [change.run for change in kept.changes()] == ["aaaaaaaa"]
    kept.forget("aaaaaaaa")
    assert kept.changes() == []
