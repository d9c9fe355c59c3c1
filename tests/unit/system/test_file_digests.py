"""Digests of files are kept while a file is the same, and never outlive a change."""

from __future__ import annotations

import hashlib
import os
import pathlib
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atip.errors import AtipError
from atip.system import file_digests
from atip.system.file_digests import file_digest


def true_digest(path: pathlib.Path) -> str:
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def kept(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "digests"


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later: files that were written just now have not changed for long."""
    real = time.time_ns
    monkeypatch.setattr(file_digests.time, "time_ns", lambda: real() + 10_000_000_000)


def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts how often content is hashed."""
    found: list[int] = []
    real = file_digests._hash
    monkeypatch.setattr(file_digests, "_hash", lambda h, s: (found.append(1), real(h, s))[1])
    return found


def test_a_file_is_hashed_once_while_it_is_the_same(tmp_path, kept, settled, monkeypatch):
    path = tmp_path / "program"
    path.write_bytes(b"x" * 3_000_000)
    counted = reads(monkeypatch)
    assert {file_digest(str(path), str(kept)) for _ in range(5)} == {true_digest(path)}
    assert len(counted) == 1


def test_a_file_that_changed_just_now_is_not_kept(tmp_path, kept, monkeypatch):
    """SECURITY: within one tick of the clock it may change again, and look the same."""
    path = tmp_path / "program"
    path.write_text("a")
    counted = reads(monkeypatch)
    file_digest(str(path), str(kept))
    file_digest(str(path), str(kept))
    assert (len(counted), kept.exists()) == (2, False)


@pytest.mark.parametrize("change", ["content", "same size and time", "replaced", "permissions"])
def test_no_change_is_missed(tmp_path, kept, settled, change):
    path = tmp_path / "program"
    path.write_text("first")
    file_digest(str(path), str(kept))
    before = path.stat()
    if change == "replaced":
        (tmp_path / "other").write_text("other")
        os.utime(tmp_path / "other", ns=(before.st_atime_ns, before.st_mtime_ns))
        (tmp_path / "other").replace(path)
    elif change == "permissions":
        path.chmod(0o700)
    else:
        time.sleep(0.02)  # a tick of the file system's clock: `_SETTLED_NS` keeps longer than that
        path.write_text("other" if change != "content" else "longer than it was")
        if change == "same size and time":
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file_digest(str(path), str(kept)) == true_digest(path)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(garbage=st.binary(max_size=400))
def test_what_lies_in_the_folder_is_never_believed_without_its_key(
    tmp_path, kept, settled, garbage
):
    path = tmp_path / "program"
    path.write_text("content")
    status = path.stat()
    kept.mkdir(exist_ok=True)
    (kept / f"{status.st_dev:x}.{status.st_ino:x}").write_bytes(garbage)
    assert file_digest(str(path), str(kept)) == true_digest(path)


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path):
    path = tmp_path / "program"
    path.write_text("content")
    os.utime(path, (1, 1))
    assert file_digest(str(path), "/proc/nowhere") == true_digest(path)


def test_the_folder_does_not_grow_without_end(tmp_path, kept, settled, monkeypatch):
    monkeypatch.setattr(file_digests, "_MAX_KEPT", 5)
    for number in range(12):
        path = tmp_path / f"program{number}"
        path.write_text(str(number))
        assert file_digest(str(path), str(kept)) == true_digest(path)
    assert len(list(kept.iterdir())) <= 5


def test_a_file_that_cannot_be_read_is_an_error(tmp_path, kept):
    with pytest.raises(AtipError) as caught:
        file_digest(str(tmp_path / "none"), str(kept))
    assert caught.value.code == "file.unreadable"
    with pytest.raises(AtipError):
        file_digest(str(tmp_path), str(kept))
