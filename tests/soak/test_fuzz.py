"""No bytes make a reader raise anything but FormatError: a few seconds here, ten minutes in `make soak`."""

from __future__ import annotations

import hashlib
import json
import os
import random

import pytest

import atip
from atip.errors import FormatError
from atip.inference.help import infer_help
from atip.model.reading.decode import decode
from atip.model.reading.yaml_reader import read_yaml
from atip.policy.through.shell_files import git_programs, git_settings
from atip.policy.through.table import source_of
from tests.property.random_documents import random_document
from tests.shared import ROOT
from tests.soak.fuzz import fuzz

KEPT = ROOT / "conformance" / "fuzz"
HELP = (ROOT / "conformance" / "help").glob("*/*.txt")


def decode_target(data: bytes) -> str:
    try:
        tool = decode(data).tool
    except FormatError as error:
        assert error.problems
        return error.code
    return f"tool {len(list(tool.walk()))}"


def yaml_target(data: bytes) -> str:
    try:
        return type(read_yaml(data)).__name__
    except FormatError as error:
        return error.code


def validate_target(data: bytes) -> str:
    return ",".join(sorted({problem.code for problem in atip.validate(data)}))


def help_target(data: bytes) -> str:
    command = infer_help(data.decode("utf-8", "replace"), tool="x")
    return f"{len(command.options or ())} {len(command.commands or {})}"


THROUGH = {
    (
        "npm",
        "test",
    ): b'{"scripts": {"test": "npm run build && vitest", "pretest": "tsc", "build": "rm -rf dist"}}',
    ("composer", "test"): b'{"scripts": {"test": ["@build", "phpunit"], "build": "php x.php"}}',
    (
        "make",
        "all",
    ): b"CC := gcc\n.PHONY: all\nall: a.o\n\t@$(CC) -o a a.o\na.o: a.c\n\tcc -c a.c && \\\n\trm -f x\n",
    ("just", "all"): b"x := '1'\nall arg='1': dep\n    echo {{x}}\ndep:\n    rm -rf y\n",
    (
        "task",
        "all",
    ): b"version: '3'\ntasks:\n  all:\n    deps: [b]\n    cmds:\n      - echo a\n      - task: b\n  b: echo b\n",
    (
        "tox",
        "-e",
        "py",
    ): b"[tox]\nenvlist = py\n[testenv]\ncommands =\n    pytest {posargs}\n    - flake8\n",
    (
        "nox",
        "-s",
        "tests",
    ): b"import nox\n@nox.session\ndef tests(session):\n    session.install('x')\n    session.run('pytest', '-q')\n",
    ("poe", "all"): b"[tool.poe.tasks]\nall = ['a', 'b']\na = 'echo a'\nb = {cmd = 'echo b'}\n",
    ("cargo", "x"): b"[alias]\nx = ['run', '--release']\ny = 'test'\n",
    ("direnv", "allow"): b"export A=1\nsource_up\n$(curl x)\n",
    ("./x.sh",): b"#!/bin/sh -e\ncd /tmp\nrm -rf build\n",
}
"""What is looked through, and a project file that leads somewhere."""


def through_target(data: bytes) -> str:
    """Every reader on the same text: lines or none, and quickly."""
    text = data.decode("utf-8", "replace")
    told = []
    for argv in THROUGH:
        source = source_of(argv)
        assert source is not None
        lines = source.read(text, argv)
        assert lines is None or all(isinstance(line, str) for line in lines)
        told.append("-" if lines is None else str(min(len(lines), 3)))
    for found in (git_settings(text), git_programs(text, "status")):
        told.append("-" if found is None else str(min(len(found), 3)))
    return "".join(told)


def json_seeds() -> list[bytes]:
    return [json.dumps(random_document(random.Random(seed))).encode() for seed in range(40)]


def yaml_seeds() -> list[bytes]:
    return [
        b"a: 1\nb: [x, y]\nc: {d: e}\n",
        b"- a\n- b: |\n    text\n",
        b"x: &a [1]\ny: *a\n",
        b"? k\n: v\n",
        b"'q': \"w\\n\"\n",
    ]


TARGETS = {
    "decode": (decode_target, json_seeds),
    "validate": (validate_target, json_seeds),
    "yaml": (yaml_target, yaml_seeds),
    "through": (
        through_target,
        lambda: [*THROUGH.values(), b"[core]\n\tfsmonitor = x\n[alias]\n\tst = !rm -rf x\n"],
    ),
    "help": (help_target, lambda: [path.read_bytes() for path in HELP]),
}


def run(name: str, seconds: float, seed: int) -> None:
    target, seeds = TARGETS[name]
    runs, crashes = fuzz(target, seeds() or [b"x"], seconds=seconds, seed=seed)
    for data, _ in crashes:
        (KEPT / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}").write_bytes(data)
    assert not crashes, crashes[0]
    assert runs > 10


@pytest.mark.parametrize("name", TARGETS)
def test_a_few_seconds_of_fuzzing_find_nothing(name):
    run(name, 4, seed=20260115)


@pytest.mark.soak
@pytest.mark.timeout(0)  # it ends by the time that it is given
@pytest.mark.parametrize("name", TARGETS)
def test_ten_minutes_of_fuzzing_find_nothing(name):
    run(
        name,
        float(os.environ.get("ATIP_FUZZ_SECONDS", "600")),
        seed=random.SystemRandom().randrange(2**31),
    )


@pytest.mark.parametrize("path", sorted(KEPT.glob("*-*")), ids=lambda path: path.name)
def test_inputs_that_once_crashed_do_so_no_more(path):
    TARGETS[path.name.split("-")[0]][0](path.read_bytes())
