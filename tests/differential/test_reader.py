"""Whatever bash runs of a line that is let through, our reader had seen: 2,000 lines here, 200,000 in `make soak`."""

from __future__ import annotations

import os
import pathlib
import time

import pytest

from tests.differential.compare import Tally, compare
from tests.differential.grammar import productions
from tests.differential.hidden import Hidden

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def tally(tmp_path_factory: pytest.TempPathFactory) -> Tally:
    found = Tally()
    compare(20_261, 2_000, tmp_path_factory.mktemp("bash"), found)
    return found


def test_no_command_runs_unseen(tally: Tally):
    assert tally.unseen == []
    assert tally.ran > 1_000, tally


def test_every_production_of_the_grammar_is_written(tally: Tally):
    assert set(productions(Hidden)) - tally.used == set()


def test_most_of_what_bash_accepts_is_read_and_much_is_let_through(tally: Tally):
    """A reader that refuses everything would pass the first test."""
    assert tally.accepted >= 0.9 * tally.lines
    assert tally.read >= 0.6 * tally.accepted, tally
    assert tally.allowed >= 0.3 * tally.lines, tally


@pytest.mark.soak
@pytest.mark.timeout(0)  # it ends by the number of lines and the time that it is given
def test_no_command_runs_unseen_in_many_lines(tmp_path: pathlib.Path):
    """ATIP_DIFFERENTIAL_SECONDS keeps it going beyond the 200,000 lines."""
    found, started, seed = Tally(), time.monotonic(), int(time.time())
    least = float(os.environ.get("ATIP_DIFFERENTIAL_SECONDS", "0"))
    while found.lines < 200_000 or time.monotonic() - started < least:
        compare(seed, 10_000, tmp_path, found)
        seed += 1
        print(f"seed {seed}: {found}", flush=True)
        assert found.unseen == []
