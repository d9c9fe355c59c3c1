"""npm's help comes from one start where it can, and from npm itself where it cannot."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from atip.discovery.files.stubs import head_of, parse_stub
from atip.discovery.frameworks.npm_program import npm_runner
from atip.discovery.sources.source_order import ProbeSubject
from atip.sandbox.probes.probe import ProbeSandbox
from atip.sandbox.probes.worker import ProbeResult

TEXTS = {"install": "Install it", "trust": "Trust it", "trust gitlab": "Trust GitLab"}


class Recording:
    """Answers the script with texts, and everything else with `npm itself`."""

    def __init__(self, texts: object, exit_code: int = 0) -> None:
        self.answer = ProbeResult(exit_code=exit_code, stdout=json.dumps(texts).encode())
        self.asked: list[tuple[str, ...]] = []

    def run(self, argv, *, wall_s=None):
        if "-e" in argv:
            return self.answer
        self.asked.append(tuple(argv[1:]))
        return ProbeResult(exit_code=0, stdout=b"npm itself")


def subject(path: str, name: str = "npm") -> ProbeSubject:
    real_path = os.path.realpath(path)
    stub = parse_stub(real_path, head_of(real_path))
    return ProbeSubject(name=name, path=path, real_path=real_path, digest="sha256:0", stub=stub)


@pytest.fixture
def npm(tmp_path):
    (tmp_path / "lib/utils").mkdir(parents=True)
    (tmp_path / "lib/utils/cmd-list.js").write_text("")
    (tmp_path / "package.json").write_text('{"name": "npm"}')
    (tmp_path / "npm").write_text("#!/usr/bin/env node\n")
    return subject(str(tmp_path / "npm"))


def said(runner, *words):
    return runner.run(["/usr/bin/npm", *words]).stdout.decode()


def test_commands_are_answered_from_the_texts_and_the_rest_by_npm(npm):
    recording = Recording(TEXTS)
    runner = npm_runner(npm, recording)
    assert said(runner, "install", "--help") == "Install it"
    assert said(runner, "install", "it", "--help") == "Install it"
    assert said(runner, "trust", "--help") == "Trust it"
    assert said(runner, "trust", "gitlab", "--help") == "Trust GitLab"
    assert recording.asked == []
    for words in (("--help",), ("trust", "nobody", "--help"), ("ci", "--help"), ("--version",)):
        assert said(runner, *words) == "npm itself"
    assert len(recording.asked) == 4


@pytest.mark.parametrize(
    "recording", [Recording([]), Recording({"install": 3}), Recording(TEXTS, exit_code=1)]
)
def test_npm_is_asked_where_its_own_code_does_not_answer(npm, recording):
    assert said(npm_runner(npm, recording), "install", "--help") == "npm itself"


def test_another_program_keeps_its_runner(npm, tmp_path):
    recording = Recording(TEXTS)
    assert npm_runner(npm.replace(name="boat"), recording) is recording
    (tmp_path / "package.json").write_text('{"name": "boat"}')
    assert npm_runner(npm, recording) is recording


@pytest.mark.sandbox
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_the_texts_are_those_that_npm_prints():
    real = subject(str(shutil.which("npm")))
    if real.stub.interpreter is None:
        pytest.skip("npm is started by a wrapper here")
    with ProbeSandbox() as box:
        runner = npm_runner(real, box)
        if runner is box:
            pytest.skip("this npm has no list of its commands")
        for words in (["install"], ["access"], ["access", "list"]):
            printed = box.run([real.path, *words, "--help"], wall_s=10.0)
            assert (
                runner.run([real.path, *words, "--help"]).stdout.strip() == printed.stdout.strip()
            )
