"""What counts as looking: lines of our own making, and the samples of GTFOBins, read in place.

`conformance/looking/asks.txt` names one flag or operand per line that does more than look, `allows.txt`
everyday lines of the same programs: a guard that asks about everything would pass the first alone.
"""

import pathlib
import shlex

import pytest

import atip
from atip.model.reading.yaml_reader import read_yaml
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


@pytest.fixture(scope="module", autouse=True)
def programs_of_the_system():
    """Curated facts are about the programs of the system, not about files of the same name in a workspace."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")
        yield


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


REWRITES = {
    "command": "command {}",
    "env": "env {}",
    "timeout": "timeout 5 {}",
    "nice": "nice -n 5 {}",
    "bash": "bash -c {quoted}",
    "login shell": "sh -lc {quoted}",
    "eval": "eval {quoted}",
    "subshell": "({})",
    "group": "{{ {}; }}",
    "pipe": "{} | cat",
    "background": "{} &",
    "condition": "if true; then {}; fi",
    "loop": "for i in 1; do {}; done",
    "function": "f() {{ {}; }}; f",
    "second line": "ls\n{}",
    "substitution": 'echo "$({})"',
    "path": "/usr/bin/{}",
}
"""Other ways to write a line that keep its meaning."""


def rewritten(lines: list[str], template: str) -> list[str]:
    """Simple lines only: the rest of a compound one would stand outside of a wrapper."""
    simple = [
        line for line in lines if not set(line) & set("|&;<>\n(){}`") and "=" not in line.split()[0]
    ]
    return [template.format(line, quoted=shlex.quote(line)) for line in simple]


@pytest.mark.parametrize("way", REWRITES)
def test_writing_a_line_in_another_way_changes_no_decision(box, way):
    """Every fifth line, another fifth for each way."""
    offset = list(REWRITES).index(way) % 5
    asks = rewritten([line for lines in ASKS.values() for line in lines][offset::5], REWRITES[way])
    allows = rewritten(
        [line for lines in ALLOWS.values() for line in lines][offset::5], REWRITES[way]
    )
    assert allowed(box, asks) == []
    assert set(allows) == set(allowed(box, allows))
