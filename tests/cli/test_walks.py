"""The walks in `examples/walks` run as they are written, in an empty home, with nothing but the command line."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

from tests.shared import ROOT, shared

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


SPECS = {
    "atip.sh": "atip-0.6.md",
    "atip-0.1.sh": "atip-0.1.md",
    "atm.sh": "atm-1.0.0-draft.md",
    "cmp.sh": "cmp-0.2.0.md",
}
_HEADING = re.compile(r"#{2,3} (?:(\d+)(?:\.(\d+))?\.? |Appendix ([A-Z]))")
_NAMED = re.compile(r"§(\d+)(?:\.(\d+))?(?:–§?(\d+)(?:\.(\d+))?)?|Appendix ([A-Z])")


def sections_of(text: str) -> set[tuple[str, int]]:
    """Every section and subsection of a specification that has numbers."""
    found = (_HEADING.match(line) for line in text.splitlines())
    return {(one[1] or one[3], int(one[2] or 0)) for one in found if one}


def named_in(walk: str) -> set[tuple[str, int]]:
    """What the steps of a walk go through, and what its head leaves out with a reason; a section alone stands for all below it."""
    lines = walk.splitlines()
    told = [
        line
        for line in lines
        if line.startswith(("step ", "# Left out:")) or "Left out:" in line[:200]
    ]
    found: set[tuple[str, int]] = set()
    for one in _NAMED.finditer("\n".join(told)):
        first, minor, last, last_minor, appendix = one.groups()
        if appendix:
            found.add((appendix, -1))
        elif minor and last:
            found |= {(first, n) for n in range(int(minor), int(last_minor or last) + 1)}
        elif last:
            found |= {(str(n), -1) for n in range(int(first), int(last) + 1)}
        else:
            found.add((first, int(minor) if minor else -1))
    return found


@pytest.mark.parametrize("walk", SPECS)
def test_a_walk_leaves_no_section_out_without_saying_why(walk):
    spec = sections_of((shared("specs") / SPECS[walk]).read_text())
    named = named_in((ROOT / "examples/walks" / walk).read_text())
    assert len(spec) > 15
    left = {
        (section, minor)
        for section, minor in spec
        if (section, -1) not in named
        and (section, minor) not in named
        # a section whose subsections are all named
        and not (minor == 0 and {one for one in spec if one[0] == section and one[1]} <= named)
    }
    assert not {one for one in left if one[1] or not any(n[0] == one[0] for n in spec if n[1])}, (
        left
    )


def test_the_walk_of_aip29_names_every_part_of_it():
    """AIP-29 has titles instead of numbers; its parts are those of our own table of requirements."""
    import json

    rows = map(json.loads, (ROOT / "conformance/requirements.jsonl").read_text().splitlines())
    parts = {row["section"] for row in rows if row["spec"] == "AIP-29"}
    told = [
        line
        for line in (ROOT / "examples/walks/aip29.sh").read_text().splitlines()
        if line.startswith(("step ", "# Left out:"))
    ]
    assert parts - set(re.findall(r"[A-Z]{4,}\d*", "\n".join(told))) == set()
