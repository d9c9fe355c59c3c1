"""Placeholders are shared by runs, and go with the last of them."""

from __future__ import annotations

import threading

import pytest

from atip.errors import SandboxError
from atip.sandbox.bubblewrap.placeholders import (
    MARK,
    hold_placeholder,
    is_placeholder,
    release_placeholder,
)


def test_the_last_holder_removes_it(tmp_path):
    path = tmp_path / "x"
    one, two = hold_placeholder(str(path)), hold_placeholder(str(path))
    release_placeholder(str(path), one)
    assert path.exists()
    release_placeholder(str(path), two)
    assert not path.exists()


def test_what_somebody_filled_stays(tmp_path):
    path = tmp_path / "x"
    handle = hold_placeholder(str(path))
    path.write_text("filled")
    release_placeholder(str(path), handle)
    assert path.read_text() == "filled"


def test_an_empty_file_of_the_user_stays_and_one_of_a_killed_run_goes(tmp_path):
    path = tmp_path / "x"
    path.write_text("")
    release_placeholder(str(path), hold_placeholder(str(path)))
    assert path.exists()
    path.write_bytes(MARK)
    assert is_placeholder(str(path))
    release_placeholder(str(path), hold_placeholder(str(path)))
    assert not path.exists()


def test_a_link_is_refused(tmp_path):
    (tmp_path / "x").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SandboxError):
        hold_placeholder(str(tmp_path / "x"))
    assert not (tmp_path / "elsewhere").exists()


def test_many_at_once_never_lose_it_while_it_is_held(tmp_path):
    path, lost = tmp_path / "x", []

    def work() -> None:
        for _ in range(200):
            handle = hold_placeholder(str(path))
            if not path.exists():
                lost.append(1)
            release_placeholder(str(path), handle)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost == []
    assert not path.exists()
