"""Compare: what our reader says of a line, and what ran when bash read it."""

from __future__ import annotations

import pathlib
import typing

from atip.calls.shell.line import parse_shell
from atip.errors import FormatError
from atip.knowledge import load
from atip.policy.decide import decide
from atip.policy.lines.line import MachineView, judge_line
from atip.policy.policy import Policy, Rule
from atip.policy.presets import LOOKING
from tests.differential.bash import run_batch
from tests.differential.grammar import PLACES
from tests.differential.hidden import Hidden

if typing.TYPE_CHECKING:
    from atip.model.tool import Tool

HOME, CWD = "/home/dev", "/home/dev/project"
_WITHIN = (*LOOKING, "filesystem.write", "network", "changes")
CAUTIOUS = (
    Policy(layer="user", preset="cautious", rules=(Rule(decision="allow", within=_WITHIN),)),
)
"""Wider than every preset: a line may write files, so that more of them are let through and count."""
BATCH = 500


def known(name: str) -> Tool | None:
    """The pack, and the marker as a program that does nothing."""
    tool = load("true" if name == "mark" else name)
    return tool.replace(name="mark") if tool is not None and name == "mark" else tool


class Reading:
    """One line by our reader: whether it is read, let through, and which markers it sees."""

    def __init__(self, line: str) -> None:
        self.read, self.allowed, self.seen = True, False, set[int]()
        try:
            parsed = parse_shell(line, home=HOME, cwd=CWD)
            subjects = judge_line(parsed, MachineView(lookup=known, cwd=CWD, home=HOME))
        except FormatError:
            self.read = False
            return
        self.allowed = all(decide(CAUTIOUS, subject).outcome == "allow" for subject in subjects)
        for subject in subjects:
            if subject.argv[:1] == ("mark",):
                self.seen.update(int(word) for word in subject.argv[1:2] if word.isdigit())


class Tally:
    """Counts over all batches."""

    def __init__(self) -> None:
        self.lines = self.accepted = self.read = self.allowed = self.ran = 0
        self.unseen: list[tuple[str, set[int]]] = []
        self.used: set[str] = set()
        self.hung: list[str] = []

    def __str__(self) -> str:
        read = self.read / max(1, self.accepted)
        return (
            f"{self.lines} lines, {self.accepted} accepted by bash, {read:.1%} of these read, {self.allowed} let"
            f" through, {self.ran} markers ran, {len(self.unseen)} lines with an unseen one, {len(self.hung)} hung"
        )


def compare(seed: int, count: int, folder: pathlib.Path, tally: Tally) -> None:
    """Generate, read and run `count` lines."""
    grammar = Hidden(seed)
    done = 0
    while done < count:
        lines = [grammar.line(done + at) for at in range(min(BATCH, count - done))]
        _compare_batch(lines, done, folder, tally)
        done += len(lines)
    tally.used |= grammar.used


def _compare_batch(lines: list[str], first: int, folder: pathlib.Path, tally: Tally) -> None:
    readings = [Reading(line) for line in lines]
    asked = [at for at, reading in enumerate(readings) if not reading.allowed]
    ran = run_batch(lines, folder, first=first, asked=asked)
    if not ran.finished:
        tally.hung.append(lines[ran.last])
    for at, line in enumerate(lines[: ran.last + 1]):
        reading, marks = readings[at], ran.marks.get(at, set())
        tally.lines += 1
        tally.accepted += at in ran.accepted
        tally.read += at in ran.accepted and reading.read
        tally.allowed += reading.allowed
        tally.ran += len(marks)
        if reading.allowed and not marks <= reading.seen:
            tally.unseen.append((line, {mark % PLACES for mark in marks - reading.seen}))
    if not ran.finished and ran.last + 1 < len(lines):
        _compare_batch(lines[ran.last + 1 :], first + ran.last + 1, folder, tally)
