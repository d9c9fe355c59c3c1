"""What counts as looking: lines of our own making, and the samples of GTFOBins, read in place.

`conformance/looking/asks.txt` names one flag or operand per line that does more than look, `allows.txt`
everyday lines of the same programs: a guard that asks about everything would pass the first alone.
"""

import pathlib

import pytest

import atip
from atip.model.yaml_reader import read_yaml
from tests.shared import ROOT, shared

LOOKING = ROOT / "conformance" / "looking"
READING_ONLY = {"file-read", "inherit"}
"""Functions of GTFOBins that only read, or only open the user's own pager."""


def read_groups(name: str) -> dict[str, list[str]]:
    """Lines by group; a group starts with a comment of its own paragraph."""
    groups: dict[str, list[str]] = {}
    for paragraph in (LOOKING / name).read_text().split("\n\n"):
        title, *lines = paragraph.strip().splitlines()
        if [line for line in lines if not line.startswith("#")]:
            groups[title.removeprefix("# ")] = lines
    return groups


ASKS, ALLOWS = read_groups("asks.txt"), read_groups("allows.txt")


@pytest.fixture(scope="module")
def box():
    return atip.Toolbox(policy="cautious")


def allowed(box: atip.Toolbox, lines: list[str]) -> list[str]:
    found = ((line, box.explain(line, cwd="/home/dev/project")) for line in lines)
    return [line for line, explained in found if explained.decision.outcome == "allow"]


@pytest.mark.parametrize("group", ASKS)
def test_a_line_that_does_more_than_look_is_not_allowed(box, group):
    assert allowed(box, ASKS[group]) == []


@pytest.mark.parametrize("group", ALLOWS)
def test_an_everyday_line_that_only_looks_is_allowed(box, group):
    lines = ALLOWS[group]
    assert [line for line in lines if line not in allowed(box, lines)] == []


def test_both_lists_are_long_enough_to_say_something():
    assert sum(map(len, ASKS.values())) >= 500
    assert sum(map(len, ALLOWS.values())) >= 400


def read_samples(path: pathlib.Path) -> list[tuple[str, str]]:
    """Function and line of every sample of one program."""
    document = read_yaml(path.read_bytes())
    functions = document.get("functions") if isinstance(document, dict) else None
    return [
        (function, item["code"])
        for function, items in (functions or {}).items()
        for item in items or ()
        if item and item.get("code")
    ]


def test_no_sample_that_does_more_than_read_is_allowed(box):
    paths = sorted(shared("corpora/security/gtfobins").glob("*.yml"))
    samples = [sample for path in paths for sample in read_samples(path)]
    risky = [line for function, line in samples if function not in READING_ONLY]
    assert len(risky) > 100
    assert allowed(box, risky) == []
