"""Thirty lines through one client in one mode: what the guard answered, and what really happened."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import typing

from tests.clients.world import ROOT, World, changed
from tests.simulators.api_server import api_server

if typing.TYPE_CHECKING:
    from tests.clients.drivers import Driver

LINES = ROOT / "conformance/clients/lines.tsv"


class Line(typing.NamedTuple):
    """A line, and how it shows that it was run."""

    kind: str
    proof: str
    line: str


@dataclasses.dataclass
class Outcome:
    """What became of one line."""

    kind: str
    line: str
    answer: str
    """What the guard said; empty: it was not called."""
    reason: str
    happened: bool
    changes: set[str]
    """Paths of the world that differ after it."""
    result: str
    """What the model was told."""


def read_lines() -> list[Line]:
    rows = [text.split("\t") for text in LINES.read_text().splitlines() if text[:1] not in "#"]
    return [Line(*row) for row in rows]


def play(driver: Driver, root: pathlib.Path, mode: str, lines: list[Line]) -> list[Outcome]:
    """Run the lines; between two of them the scripted model looks at the world."""
    world = World(root, driver.own_state)
    with api_server() as target:
        port = target.base.rpartition(":")[2]
        steps = [line.line.replace("{port}", port) for line in lines]
        script = driver.script(steps)
        states = {}
        posts = {}

        def look(done: int) -> None:
            states[done] = world.snapshot()
            posts[done] = len(target.requests)

        script.on_turn = look
        world.atip("guard", "install", driver.name)
        look(0)
        printed = driver.run(world, script, mode)
        world.root.joinpath("printed.txt").write_text(printed)
        look(len(lines) if len(script.results) == len(lines) else -1)
    assert len(script.results) == len(lines), (len(script.results), printed[-3000:])
    said = _answers(world)
    found = []
    for at, line in enumerate(lines):
        changes = changed(states[at], states[at + 1])
        result = script.results[at]
        happened = {
            "shows": line.proof.partition(" ")[2] in result,
            "changes": line.proof.partition(" ")[2] in changes,
            "posts": posts[at + 1] > posts[at],
        }[line.proof.partition(" ")[0]]
        answer, reason = said.get(steps[at], ("", ""))
        found.append(Outcome(line.kind, line.line, answer, reason, happened, changes, result))
    return found


def _answers(world: World) -> dict[str, tuple[str, str]]:
    """Line → the strictest answer that the guard gave, and why."""
    strict = ("allow", "confine", "ask", "deny")
    found: dict[str, tuple[str, str]] = {}
    for row in json.loads(world.atip("guard", "log", "--json", "--last", "1000"))["decisions"]:
        line, answer = row["line"], row.get("answer") or row["decision"]
        if line not in found or strict.index(answer) > strict.index(found[line][0]):
            found[line] = (answer, "; ".join(row.get("reasons", ())))
    return found
