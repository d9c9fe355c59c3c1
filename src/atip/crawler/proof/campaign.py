"""Campaign: every curated tool that is here, all its cases, twice, on the crawler's engines; results in a folder of their own.

Killed and started again it goes on: a tool whose result lies there, for the same bytes and the same cases, is not tried again.
"""

from __future__ import annotations

import json
import os

from atip.crawler.engines import open_engine
from atip.crawler.proof.work import order_of, work
from atip.errors import FormatError
from atip.knowledge.reading import aliases, names
from atip.model.value import Value
from atip.proving.operands import load_recipes
from atip.proving.samples import make_samples
from atip.proving.tally import load_explained, steady
from atip.system.files import make_private, read_bytes, write_atomic
from atip.system.processes import find_program
from atip.system.scratch import scratch_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    Tell = Callable[[str], None]

PLACES = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")
MAX_RESULT = 50_000_000
MANY = 8
LARGE = {"commands": 200, "flags": 8, "cases": 500, "trials": 700, "seconds": 420.0}
"""For a tool that we have words for many commands of."""
MADE_BY_PROGRAMS = ("data.db", "disk.ext2", "sample.deb", "zipped.txt.zst", "zipped.txt.lz4")
"""Samples whose bytes hold the time at which they were made."""
FIRST, SECOND = "first", "second"


class Target(Value):
    """One program to prove."""

    name: str
    path: str
    source: str = "local"
    root: str = ""


class Campaign:
    """One folder: samples, and the results of two rounds."""

    def __init__(
        self, folder: str, *, engine: str = "", jobs: int = 0, tell: Tell | None = None
    ) -> None:
        make_private(folder)
        self._folder = os.path.realpath(folder)
        self._engine = engine
        self._jobs = jobs
        self._tell = tell or (lambda _text: None)
        self.folder = self._folder
        self.desk = os.path.join(self._folder, "desk")
        if not os.path.isdir(self.desk):
            make_samples(self.desk)

    def run(self, targets: Iterable[Target], budget: Mapping[str, Any] | None = None) -> None:
        """Round one finds and tries, round two plays the same cases again."""
        known = load_recipes()
        wanted = sorted(targets, key=lambda one: (one.name not in known, one.name))
        first = [
            self._first(one, budget or {}) for one in wanted if not self.result(FIRST, one.name)
        ]
        self._work(FIRST, first)
        second = [
            order
            for one in wanted
            if not self.result(SECOND, one.name) and (order := self._second(one))
        ]
        self._work(SECOND, second)

    def result(self, turn: str, name: str) -> dict[str, Any] | None:
        """What a round found of a tool; None: nothing yet."""
        path = self._path(turn, name)
        if not os.path.isfile(path):
            return None
        document = json.loads(read_bytes(path, MAX_RESULT))
        if not isinstance(document, dict):
            raise FormatError("prove.result", f"`{path}` is not a result")
        return document

    def results(self, turn: str = FIRST) -> Iterator[dict[str, Any]]:
        """All results of a round, by name."""
        folder = os.path.join(self._folder, turn)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            found = self.result(turn, name.removesuffix(".json"))
            if found is not None:
                yield found

    def unsteady(self) -> list[str]:
        """Cases whose second run gave another verdict, or that the clock cut off in one of the two."""
        explained = load_explained()
        found = []
        for one in self.results(FIRST):
            again = self.result(SECOND, one["name"])
            if again is None or "cases" not in one or "cases" not in again:
                continue
            kept = {" ".join(each.row["argv"]) for each in steady(one, again, explained)}
            lines = (" ".join(row["argv"]) for row in again["cases"])
            found += [line for line in lines if line not in kept]
        return found

    def touched(self) -> list[str]:
        """Names that a case changed outside of its view: samples that are no longer as they are made, files in the home."""
        with scratch_folder() as folder:
            fresh = make_samples(os.path.join(folder, "fresh"))
            found = {**_contents(fresh), **_contents(self.desk)}
            wrong = [name for name in found if not _is_same(fresh, self.desk, name)]
        home = os.path.join(self._folder, "home")
        return sorted(wrong) + (sorted(os.listdir(home)) if os.path.isdir(home) else [])

    def _first(self, target: Target, budget: Mapping[str, Any]) -> bytes:
        if sum(key.startswith(f"{target.name} ") for key in load_recipes()) > MANY:
            budget = {**LARGE, **budget}
        return order_of(
            target.name,
            target.path,
            self.desk,
            source=target.source,
            root=target.root,
            budget=dict(budget),
        )

    def _second(self, target: Target) -> bytes | None:
        known = self.result(FIRST, target.name)
        if known is None or not known.get("cases"):
            return None
        return order_of(
            target.name, target.path, self.desk,
            cases=known["cases"], source=target.source, root=target.root, version=known["version"],
        )  # fmt: skip

    def _work(self, turn: str, orders: list[bytes]) -> None:
        make_private(os.path.join(self._folder, turn))
        engine = open_engine(self._engine, self._jobs)
        for done, (order, answer) in enumerate(engine.run(work, orders), 1):
            name = json.loads(order)["name"]
            if isinstance(answer, BaseException):
                self._tell(f"{turn} {done}/{len(orders)} {name}: {answer}")
                continue
            write_atomic(self._path(turn, name), answer)
            self._tell(f"{turn} {done}/{len(orders)} {name}: {_told(json.loads(answer))}")

    def _path(self, turn: str, name: str) -> str:
        return os.path.join(self._folder, turn, f"{name}.json")


def _contents(folder: str) -> dict[str, None]:
    """Every name below; a repository's own store holds the numbers of files, which differ from copy to copy."""
    found: dict[str, None] = {}
    for above, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*folders, *files):
            found[os.path.relpath(os.path.join(above, name), folder)] = None
    return found


def _is_same(left: str, right: str, name: str) -> bool:
    one, other = os.path.join(left, name), os.path.join(right, name)
    if not (os.path.lexists(one) and os.path.lexists(other)):
        return False
    if os.path.islink(one) or os.path.isdir(one) or name in MADE_BY_PROGRAMS:
        return os.lstat(one).st_mode == os.lstat(other).st_mode
    with open(one, "rb") as first, open(other, "rb") as second:
        same = first.read() == second.read()
    return same and os.stat(one).st_mode == os.stat(other).st_mode


def _told(result: Mapping[str, Any]) -> str:
    if "problem" in result:
        return str(result["problem"]["message"])[:100]
    cases = result["cases"]
    worked = sum(one["worked"] for one in cases)
    return f"{len(cases)} cases, {worked} worked, {result['seconds']} s"


def installed() -> Iterator[Target]:
    """Every curated tool that lies where this machine's system keeps programs, other names of a tool included."""
    for name in sorted({*names(), *aliases()}):
        path = find_program(name, PLACES) if "/" not in name and "*" not in name else None
        if path is not None:
            yield Target(name=name, path=path)
