"""Frames of standard input: bounded lines, whatever the pieces."""

from __future__ import annotations

import os
import threading

import anyio
import pytest

from atip.server.transport.stdio import Frames


def lines_of(data: bytes, *, piece: int, limit: int = 1_000) -> list[str]:
    reader, writer = os.pipe()

    def feed() -> None:
        for start in range(0, len(data), piece):
            os.write(writer, data[start : start + piece])
        os.close(writer)

    thread = threading.Thread(target=feed)
    thread.start()

    async def main() -> list[str]:
        return [line async for line in Frames(reader, limit)]

    try:
        return anyio.run(main)
    finally:
        thread.join()
        os.close(reader)


@pytest.mark.parametrize("piece", [1, 7, 4096])
def test_lines_do_not_depend_on_the_pieces(piece):
    data = "one\ntwo €\n\nlast".encode() + b"\xff"
    assert lines_of(data, piece=piece) == ["one", "two €", "", "last\ufffd"]


@pytest.mark.parametrize("piece", [10, 999, 65536])
def test_a_frame_that_is_too_long_is_dropped_alone(piece):
    data = b"before\n" + b"x" * 5_000 + b"\nafter\n" + b"y" * 5_000
    assert lines_of(data, piece=piece) == ["before", "after"]


def test_a_regular_file_can_be_standard_input(tmp_path):
    (tmp_path / "frames").write_bytes(b"a\nb\n")
    descriptor = os.open(tmp_path / "frames", os.O_RDONLY)

    async def main() -> list[str]:
        return [line async for line in Frames(descriptor)]

    try:
        assert anyio.run(main) == ["a", "b"]
    finally:
        os.close(descriptor)
