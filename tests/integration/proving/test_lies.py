"""What a description denies and its program does is found, twenty times for every kind; and nothing outside of the view changes."""

from __future__ import annotations

import hashlib
import os
import pathlib

import pytest

from atip.knowledge.words import as_effects, profile
from atip.proving.samples import make_samples
from atip.proving.tally import load_exemptions, why_of
from atip.proving.trial import TrialRunner
from atip.proving.verdicts import UNDECLARED, judge_observation, observation_of
from atip.sandbox.verified import seal
from tests.integration.proving.lies import KINDS

pytestmark = pytest.mark.sandbox
NOTHING = as_effects(profile("nothing"))


def digest_of(folder: pathlib.Path) -> str:
    """Names, kinds, modes, times and content of everything below."""
    hasher = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        found = path.lstat()
        hasher.update(f"{path} {found.st_mode:o} {found.st_mtime_ns} {found.st_uid}\n".encode())
        if path.is_symlink():
            hasher.update(os.readlink(path).encode())
        elif path.is_file():
            hasher.update(path.read_bytes())
    return hasher.hexdigest()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return pathlib.Path(make_samples(str(tmp_path_factory.mktemp("lies") / "desk")))


@pytest.mark.parametrize("fact", KINDS)
def test_twenty_lies_of_each_kind_are_found(
    fact: str, desk: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    home = desk.parent / "home"  # what `~` means in a trial
    home.mkdir(exist_ok=True)
    (home / "private.txt").write_text("as it was\n")
    before = digest_of(desk), digest_of(home)
    runner = TrialRunner(str(desk), str(tmp_path / "stages"))
    missed = []
    explained = load_exemptions()
    for number, body in enumerate(KINDS[fact]):
        liar = tmp_path / f"liar{number}"
        liar.write_text(f"#!/bin/sh\n{body}\n")
        liar.chmod(0o755)
        binary = seal(str(liar))
        try:
            observation = observation_of(runner.run([liar.name], binary))
        finally:
            binary.close()
        lies = [
            each
            for each in judge_observation(NOTHING, observation)
            if each.verdict == UNDECLARED and not why_of("liar", each, observation, explained)
        ]
        if fact not in [lie.fact for lie in lies]:
            missed.append(body)
    assert len(KINDS[fact]) >= 20
    assert missed == []
    assert (digest_of(desk), digest_of(home)) == before


def test_an_honest_program_is_not_called_a_liar(desk: pathlib.Path, tmp_path: pathlib.Path) -> None:
    runner = TrialRunner(str(desk), str(tmp_path / "stages"))
    quiet = tmp_path / "quiet"
    quiet.write_text("#!/bin/sh\necho hello\ntest -d / && cd / && umask\n")
    quiet.chmod(0o755)
    binary = seal(str(quiet))
    try:
        observation = observation_of(runner.run(["quiet"], binary))
    finally:
        binary.close()
    assert [each.fact for each in judge_observation(NOTHING, observation)] == [
        "idempotent"
    ]  # which no trace shows
