"""How a trial ends: by itself, because it waits, or because it never stops; never because the machine is busy."""

from __future__ import annotations

import hashlib
import pathlib
import threading

import pytest

from atip.proving.samples import make_samples
from atip.proving.trial import Trial, TrialRunner
from atip.sandbox.tracing.trace import Tracer
from atip.sandbox.verified import seal

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pathlib.Path(make_samples(str(tmp_path_factory.mktemp("trials") / "desk")))


@pytest.fixture
def run(desk: pathlib.Path, tmp_path: pathlib.Path):
    runner = TrialRunner(str(desk), str(tmp_path / "stages"))

    def run(script: str) -> Trial:
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        binary = seal(str(program))
        try:
            return runner.run(["program"], binary)
        finally:
            binary.close()

    return run


@pytest.mark.parametrize(
    "script",
    [
        "sleep 100",
        "cat <&-; exec 3<>fifo; mkfifo pipe; read line < pipe",
        "while :; do sleep 1; true; done",
        "yes",
        "sleep 100 & sleep 100 & wait",
    ],
)
def test_what_does_not_end_by_itself_is_ended_and_gets_a_verdict(run, script: str) -> None:
    trial = run(f"cp text.txt new.txt\n{script}")
    assert (trial.timed_out, trial.cut) == (True, False)
    assert any(path.endswith("/new.txt") for path in trial.seen.writes)


@pytest.mark.parametrize(
    "script",
    [
        "sleep 1",
        "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done",
        "i=0; while [ $i -lt 400 ]; do /bin/true < text.txt; i=$((i+1)); done",
    ],
)
def test_what_pauses_or_works_goes_on(run, script: str) -> None:
    trial = run(f"{script}\ncp text.txt new.txt")
    assert (trial.exit_code, trial.timed_out, trial.cut) == (0, False, False)
    assert any(path.endswith("/new.txt") for path in trial.seen.writes)


def test_what_waits_for_us_goes_on(run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program sleeps while the tracer, ready to run, gets no processor; that is no reason to end it."""
    over = threading.Event()
    load = bytes(4_000_000)

    def compute() -> None:
        while not over.is_set():
            hashlib.sha256(load)

    busy = threading.Thread(target=compute, daemon=True)
    busy.start()
    monkeypatch.setattr(Tracer, "thread", property(lambda _tracer: busy.native_id))
    try:
        trial = run("sleep 4")
    finally:
        over.set()
        busy.join()
    assert (trial.exit_code, trial.timed_out, trial.cut) == (0, False, False)


def test_what_computes_without_end_is_ended_by_its_processor_time(run) -> None:
    trial = run("while :; do :; done")
    assert (trial.exit_code, trial.cut) == (128 + 9, False)


def test_a_signal_to_a_process_of_its_own_is_no_effect(run) -> None:
    assert run("sleep 9 & kill $!; wait; kill -9 $$").seen.signals == ()
    assert run("/bin/true & wait; kill $!; true").seen.signals == ()
    assert run("kill 1; true").seen.signals != ()


def test_what_was_opened_for_writing_and_left_alone_is_unchanged(run, desk: pathlib.Path) -> None:
    trial = run("exec 3<>text.txt; exec 4<>other.txt; echo more >&4; : > made; rm made")
    text, other, made = (str(desk / name) for name in ("text.txt", "other.txt", "made"))
    assert {text, other, made} <= set(trial.seen.writes)
    assert set(trial.unchanged) == {text, made}


def test_the_mode_of_a_temporary_file_is_no_change_and_that_of_a_sample_is(
    run, desk: pathlib.Path
) -> None:
    trial = run(": > made; chmod 600 made; rm made; exec 3<>text.txt; chmod 600 text.txt")
    assert set(trial.unchanged) == {str(desk / "made")}
