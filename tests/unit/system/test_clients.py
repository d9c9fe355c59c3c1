"""Package managers' clients: bounded, and a slow index is asked once more."""

from __future__ import annotations

import pathlib

import pytest

from atip.errors import FetchError
from atip.system.programs.clients import ask_client


def client(folder: pathlib.Path, *, slow_starts: int) -> list[str]:
    """A client that hangs for its first starts, and answers with their number."""
    program = folder / "client"
    program.write_text(
        "#!/bin/sh\necho x >> starts\nn=$(wc -l < starts)\n"
        f"[ $n -le {slow_starts} ] && exec sleep 30\necho $n\n"
    )
    program.chmod(0o755)
    return [str(program)]


def test_a_query_that_timed_out_is_repeated_once_with_more_time(tmp_path: pathlib.Path) -> None:
    answer = ask_client(
        client(tmp_path, slow_starts=1), folder=str(tmp_path), timeout_s=0.5, second_try_s=20
    )
    assert (answer.exit_code, answer.stdout) == (0, b"2\n")


def test_a_second_timeout_is_final(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FetchError) as error:
        ask_client(
            client(tmp_path, slow_starts=9), folder=str(tmp_path), timeout_s=0.5, second_try_s=0.5
        )
    assert error.value.code == "crawl.client-timeout"
    assert (tmp_path / "starts").read_text() == "x\nx\n"


def test_a_download_is_not_repeated(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FetchError) as error:
        ask_client(client(tmp_path, slow_starts=9), folder=str(tmp_path), timeout_s=0.5)
    assert error.value.code == "crawl.client-timeout"
    assert (tmp_path / "starts").read_text() == "x\n"
