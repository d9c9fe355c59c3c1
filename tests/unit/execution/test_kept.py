"""Outputs that were too long: kept whole, bounded, private, and found again through their mark."""

from __future__ import annotations

import os
import re

import pytest

from atip.errors import NotFoundError
from atip.execution.output.result import CapturedStream
from atip.execution.output.saved_output import SavedOutput, evict_oldest, read_saved

RUN = "0123456789abcdef"


def gathered(folder, max_bytes: int = 100, **limits) -> CapturedStream:
    keep = SavedOutput(str(folder), RUN, "stdout", **limits)
    return CapturedStream("stdout", (), max_bytes, keep=keep)


def test_a_short_output_leaves_no_file(tmp_path):
    out = gathered(tmp_path / "o")
    out.take(b"short\n")
    out.end()
    assert (out.text(), out.kept) == ("short\n", "")
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("size", [1, 7, 64, 99, 100, 101, 5000])
def test_a_long_output_is_whole_however_it_came(tmp_path, size):
    data = b"".join(b"line %d\n" % number for number in range(400))
    out = gathered(tmp_path / "o")
    for at in range(0, len(data), size):
        out.take(data[at : at + size])
    out.end()
    text = out.text()
    assert out.kept == RUN
    assert read_saved(str(tmp_path / "o"), RUN, "stdout", start=0, count=1 << 20) == (
        data,
        len(data),
    )
    start = int(re.search(rf"`atip audit output {RUN} --from (\d+)`", text)[1])  # type: ignore[index]
    rest, _ = read_saved(str(tmp_path / "o"), RUN, "stdout", start=start, count=1 << 20)
    assert text.encode().startswith(data[:start])
    assert rest == data[start:]
    assert os.stat(tmp_path / "o" / f"{RUN}.stdout").st_mode & 0o777 == 0o600


def test_secrets_are_taken_out_before_anything_is_kept(tmp_path):
    token = b"ghp_" + b"a1B2c3D4e5F6" * 3
    out = gathered(tmp_path / "o")
    out.take(b"x" * 300 + b"\n" + token + b"\n" + b"y" * 300)
    out.end()
    data, _ = read_saved(str(tmp_path / "o"), RUN, "stdout", start=0, count=1 << 20)
    assert token not in data
    assert b"redacted" in data


def test_a_file_is_bounded_and_says_so(tmp_path):
    out = gathered(tmp_path / "o", max_bytes=10)
    small = CapturedStream(
        "stdout", (), 10, keep=SavedOutput(str(tmp_path / "o"), RUN, "stdout", max_bytes=50)
    )
    small.take(b"a" * 100)
    small.end()
    assert os.stat(tmp_path / "o" / f"{RUN}.stdout").st_size == 50
    assert "(kept in part)" in small.text()
    out.take(
        b"b" * 100
    )  # the name is taken: nothing is overwritten, and the mark does not promise it
    out.end()
    assert "--max-bytes" in out.text()


def test_the_oldest_go_first(tmp_path):
    for number in range(4):
        path = tmp_path / f"{number:016x}.stdout"
        path.write_bytes(b"x" * 100)
        os.utime(path, (number, number))
    (tmp_path / "other").write_bytes(b"x" * 100)
    evict_oldest(str(tmp_path), max_total=250)
    assert sorted(os.listdir(tmp_path)) == [f"{2:016x}.stdout", f"{3:016x}.stdout", "other"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "0123", RUN, "x" * 16])
def test_only_outputs_are_found(tmp_path, name):
    with pytest.raises(NotFoundError) as refusal:
        read_saved(str(tmp_path), name, "stdout", start=0, count=10)
    assert refusal.value.code == "output.not-kept"
