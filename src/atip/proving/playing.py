"""Playing: one case in its set-up. Cases of ours name a sample as their input; those of a person say what it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.proving.trial import INPUT

if TYPE_CHECKING:
    from atip.proving.cases import Case
    from atip.proving.trial import Trial, TrialRunner
    from atip.sandbox.verified import VerifiedBinary


REPEATED = 2
"""Repetitions of a case that times out: a timeout depends on the machine, not on the program."""


def play_case(case: Case, runner: TrialRunner, binary: VerifiedBinary) -> Trial:
    """One case in its set-up, with the flag if it has one."""
    setup = case.setup
    stdin = INPUT
    if case.source == "person":
        stdin = setup.stdin.encode() if setup.stdin is not None else b""
    elif setup.stdin:
        with open(os.path.join(runner.desk, setup.folder, setup.stdin), "rb") as file:
            stdin = file.read()
    for _ in range(REPEATED):
        trial = runner.run(
            case.argv, binary,
            folder=setup.folder, stdin=stdin, env=setup.env, answers=setup.network, files=setup.files,
        )  # fmt: skip
        if not trial.cut:
            break
    return trial
