"""The walks in `examples/walks` run as they are written, in an empty home, with nothing but the command line."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from tests.shared import ROOT

WALKS = sorted((ROOT / "examples" / "walks").glob("*.sh"))


@pytest.mark.sandbox
@pytest.mark.parametrize("walk", WALKS, ids=lambda path: path.stem)
def test_a_walk_goes_to_its_end(walk, tmp_path):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ATIP_"))}
    env.update(HOME=str(tmp_path), PATH=f"{pathlib.Path(sys.executable).parent}:{env['PATH']}")
    done = subprocess.run([str(walk)], env=env, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["walk finished"]), (
        done.stdout[-2_000:] + done.stderr[-2_000:]
    )
