"""Streams that cannot say everything, and disks that are full, end in words and not in a crash."""

from __future__ import annotations

import json
import os
import pathlib

import pytest

from tests.cli.run import atip


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "ascii:strict"])
def test_any_encoding_of_the_streams_will_do(tmp_path: pathlib.Path, encoding: str) -> None:
    line = "echo \u2026 \U0001f600 ü"
    result = atip(
        "explain", line, "--json", home=tmp_path, PYTHONIOENCODING=encoding, PYTHONUTF8="0"
    )
    assert "internal.error" not in result.out + result.err
    assert "\U0001f600" in json.dumps(json.loads(result.out), ensure_ascii=False)
    plain = atip("explain", line, home=tmp_path, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert "internal.error" not in plain.out + plain.err


@pytest.mark.sandbox
def test_a_record_that_cannot_be_written_is_told(tmp_path: pathlib.Path) -> None:
    place = tmp_path / ".local/share/agent-tools/audit"
    place.parent.mkdir(parents=True)
    place.write_text("a file where the folder should be")
    work = tmp_path / "work"
    work.mkdir()
    result = atip("run", "--json", "echo", "hello", home=tmp_path, cwd=work)
    output = json.loads(result.out)
    assert result.code == 0 and any("not recorded" in note for note in output["notes"]), output
    assert os.path.isfile(place)
