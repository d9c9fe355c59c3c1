"""The index survives what happens to processes: killed while writing, several at once, a full disk."""

from __future__ import annotations

import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time

import pytest

from atip.model.tool import Command, Tool
from atip.search.index import SearchIndex
from atip.search.upkeep import FILE, open_index
from tests.shared import ROOT

WRITER = """
import sys
from atip.model.tool import Command, Tool
from atip.search.upkeep import open_index

folder, generation, size = sys.argv[1], sys.argv[2], int(sys.argv[3])

def load(name):
    if name == "t0":
        print("writing", flush=True)
    commands = {f"c{n}": Command(description=f"state{generation} of part {n}") for n in range(40)}
    return Tool(name=name, description=f"state{generation} tool", commands=commands)

while True:
    stamps = {f"t{n}": generation for n in range(size)}
    open_index(folder, generation, lambda: stamps, load).close()
    print("done", flush=True)
    generation = str(int(generation) + 1)
    if len(sys.argv) > 4:
        break
"""


def start(folder: pathlib.Path, generation: str, size: int = 60, *more: str) -> subprocess.Popen:
    words = [
        sys.executable,
        "-c",
        textwrap.dedent(WRITER),
        str(folder),
        generation,
        str(size),
        *more,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)


def generations(folder: pathlib.Path) -> set[str]:
    """Which states the index on disk holds; one only if it is whole."""
    db = sqlite3.connect(folder / FILE)
    try:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        stamps = db.execute("SELECT DISTINCT stamp FROM tool").fetchall()
        counts = "SELECT (SELECT sum(last - first + 1) FROM shelf), (SELECT ifnull(sum(last - first + 1), 0) FROM dead)"
        written, dead = db.execute(counts).fetchone()
        tools = db.execute("SELECT count(*) FROM tool").fetchone()[0]
    finally:
        db.close()
    assert written - dead == 41 * tools
    return {row[0] for row in stamps}


@pytest.mark.parametrize("delay_s", [0.0, 0.01, 0.03, 0.06, 0.1, 0.15])
def test_kill_9_leaves_the_whole_old_or_the_whole_new_index(tmp_path, delay_s):
    first = start(tmp_path, "1", 60, "once")
    assert first.wait(60) == 0
    first.stdout.close()
    with start(tmp_path, "2") as writer:
        assert writer.stdout.readline() == "writing\n"
        deadline = time.monotonic() + delay_s
        while time.monotonic() < deadline:
            pass
        os.kill(writer.pid, signal.SIGKILL)
    found = generations(tmp_path)
    assert len(found) == 1
    with SearchIndex(str(tmp_path / FILE)) as index:
        (state,) = found
        assert {hit.summary.split()[0] for hit in index.search(f"state{state} tool", limit=20)} == {
            f"state{state}"
        }
    again = start(tmp_path, "99", 60, "once")
    assert again.wait(60) == 0
    again.stdout.close()
    assert generations(tmp_path) == {"99"}


def test_several_processes_at_once_end_in_one_whole_state(tmp_path):
    writers = [start(tmp_path, str(number), 20, "once") for number in range(4)]
    assert [writer.wait(120) for writer in writers] == [0] * 4
    for writer in writers:
        writer.stdout.close()
    assert len(generations(tmp_path)) == 1


def test_a_reader_is_not_disturbed_by_a_writer(tmp_path):
    tool = Tool(name="t", description="first state", commands={"a": Command(description="one")})
    open_index(str(tmp_path), "1", lambda: {"t": "1"}, lambda name: tool).close()
    with SearchIndex(str(tmp_path / FILE)) as reader:
        assert reader.search("first state")[0].tool == "t"
        other = tool.replace(description="second state")
        open_index(str(tmp_path), "2", lambda: {"t": "2"}, lambda name: other).close()
        reader.search("first state")
    with SearchIndex(str(tmp_path / FILE)) as reader:
        assert reader.search("second state")[0].summary == "second state"
