"""Public corpora of malformed JSON and YAML, read in place."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import pytest

from atip.errors import FormatError
from atip.model.reading.reader import read_json
from atip.model.reading.yaml_reader import parse_yaml
from tests.conformance.yaml_cases import yaml_cases
from tests.shared import shared

STRICTER = {
    # y_ files that we refuse, and the documented rule
    "y_object_duplicated_key.json": "format.duplicate-key",
    "y_object_duplicated_key_and_value.json": "format.duplicate-key",
}


def outcome(data: bytes) -> str:
    try:
        read_json(data)
    except FormatError as error:
        return error.code
    return "accepted"


def test_json_test_suite():
    wrong = []
    for path in sorted(shared("corpora/security/jsontestsuite").glob("*.json")):
        result = outcome(path.read_bytes())
        if path.name[0] == "n" and result == "accepted":
            wrong.append(path.name)
        if path.name[0] == "y" and result not in ("accepted", STRICTER.get(path.name)):
            wrong.append(path.name)
    assert wrong == []


def test_accepted_values_are_those_of_the_standard_library():
    for path in sorted(shared("corpora/security/jsontestsuite").glob("[yi]_*.json")):
        data = path.read_bytes()
        if outcome(data) == "accepted":
            assert read_json(data) == json.loads(data), path.name


def test_yaml_test_suite_is_read_right_or_refused():
    wrong = []
    for case in yaml_cases(shared("corpora/security/yaml-test-suite")):
        try:
            value = parse_yaml(case.text)
        except FormatError:
            continue
        if case.must_fail or (case.has_value and value != case.value):
            wrong.append(case.name)
    assert wrong == []


BOMB_PROGRAM = """
import resource, sys, time
from atip.errors import FormatError
from atip.model.reading.reader import read_json
from atip.model.reading.yaml_reader import read_yaml
import msgspec, ruamel.yaml
path = sys.argv[1]
data = open(path, "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
try:
    (read_yaml if path.endswith(".yaml") else read_json)(data)
    code = "accepted"
except FormatError as error:
    code = error.code
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(code, time.process_time() - start, grown)
"""


def test_bombs_are_decided_quickly_and_in_little_memory():
    folder = shared("corpora/security/bombs")
    for row in json.loads((folder / "manifest.json").read_text()):
        path = folder / row["file"]
        if path.suffix not in (".json", ".yaml"):
            continue
        out = subprocess.run(
            [sys.executable, "-c", BOMB_PROGRAM, str(path)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        assert (out[0] != "accepted") == row["expect"].startswith("reject"), row
        assert float(out[1]) < 0.1, (row, out)
        assert int(out[2]) < 64 * 1024, (row, out)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0


@pytest.mark.measured
@pytest.mark.parametrize("name", ["regex"])
def test_patterns_are_decided_in_linear_time(name):
    from time import process_time

    from atip.model.text.regex import compile_regex

    for line in (shared("corpora/security/regex") / "patterns.jsonl").read_text().splitlines():
        row = json.loads(line)
        compile_regex("warm-up")
        start = process_time()
        try:
            compile_regex(row["pattern"]).matches(row["subject"])
        except FormatError as error:
            assert error.code.startswith("regex."), row
        assert process_time() - start < 0.1, row
