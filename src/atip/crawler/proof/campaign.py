"""Campaign: every curated tool that is here, all its cases, twice, on the crawler's engines; results in a folder of their own.

A restarted campaign resumes: a tool with a result for the same digest is not tried again. The second round of a tool
follows its first one as soon as a worker is free, so that results are complete whenever it stops. The number of starts is recorded.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.crawler.engines import open_engine
from atip.crawler.proof.work import order_of, work
from atip.errors import FormatError
from atip.knowledge.reading import aliases, names
from atip.model.value import Value
from atip.proving.operands import load_recipes
from atip.proving.samples import make_samples
from atip.proving.tally import judge_result, load_exemptions, steady
from atip.sandbox.verified import seal
from atip.system.clock import now_iso
from atip.system.files import make_private, read_bytes, write_atomic
from atip.system.programs.processes import find_program
from atip.system.scratch import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Tell = Callable[[str], None]

PLACES = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")
MAX_RESULT = 50_000_000
MANY = 8
LARGE = {"commands": 200, "flags": 8, "cases": 400, "trials": 560, "waits": 30, "cpu_s": 80.0}
"""For a tool that we have words for many commands of."""
MADE_BY_PROGRAMS = ("data.db", "disk.ext2", "sample.deb", "zipped.txt.zst", "zipped.txt.lz4")
"""Samples whose bytes hold the time at which they were made."""
FIRST, SECOND = "first", "second"
ROUNDS = 4
"""Passes over what waits: the two rounds of the last tools, and once more what failed for lack of a machine."""


class ProofTarget(Value):
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

    def begin(self) -> int:
        """Count this start; returns how many there were."""
        path = os.path.join(self._folder, "starts")
        past = self.starts()
        write_atomic(path, "".join(f"{time}\n" for time in (*past, now_iso())).encode())
        return len(past) + 1

    def starts(self) -> list[str]:
        """When it was started: more than one is not one run."""
        path = os.path.join(self._folder, "starts")
        return read_bytes(path, 100_000).decode().split() if os.path.isfile(path) else []

    def run(self, targets: Iterable[ProofTarget], budget: Mapping[str, Any] | None = None) -> None:
        """Round one finds and tries, round two plays the same cases again."""
        pending: dict[str, tuple[str, ProofTarget]] = {}
        coming = iter(targets)
        for _ in range(ROUNDS):
            self._play(pending, coming, budget or {})
            if not pending:
                break

    def _play(
        self,
        pending: dict[str, tuple[str, ProofTarget]],
        coming: Iterator[ProofTarget],
        budget: Mapping[str, Any],
    ) -> None:
        """Both rounds of what waits and what comes; what fails, or is ready too late for this queue, goes on pending."""
        ready = list(pending)
        count = 0

        def orders() -> Iterator[bytes]:
            while True:
                while not ready:
                    new = next(coming, None)
                    if new is None:
                        return
                    if turn := self._next_round(new):
                        pending[new.name] = turn, new
                        ready.append(new.name)
                turn, target = pending[ready.pop(0)]
                yield self._first_round(target, budget) if turn == FIRST else self._second(target)

        for order, answer in open_engine(self._engine, self._jobs).run(work, orders()):
            name, count = json.loads(order)["name"], count + 1
            turn, target = pending[name]
            if isinstance(answer, BaseException):
                self._tell(f"{turn} {count} {name}: {answer}")
                continue
            make_private(os.path.join(self._folder, turn))
            write_atomic(self._path(turn, name), answer)
            self._tell(f"{turn} {count} {name}: {_describe_result(json.loads(answer))}")
            del pending[name]
            if turn == FIRST and json.loads(answer).get("cases"):
                pending[name] = SECOND, target
                ready.insert(0, name)

    def _next_round(self, target: ProofTarget) -> str:
        """The round that a tool still needs; empty: none."""
        first = self.result(FIRST, target.name)
        digest = first.get("digest") if first is not None else None
        # without a digest it could not be opened, and the reason is its result
        if first is None or (digest and digest != _digest(target)):
            return FIRST
        second = self.result(SECOND, target.name)
        is_current = second is not None and second.get("digest") == first.get("digest")
        return "" if is_current or not first.get("cases") else SECOND

    def result(self, turn: str, name: str) -> dict[str, Any] | None:
        """The stored result of a round for a tool; None: not run yet."""
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
            result = self.result(turn, name.removesuffix(".json"))
            if result is not None:
                yield result

    def unsteady(self) -> list[str]:
        """Cases whose second run gave another verdict, or that the clock cut off in one of the two each time it was repeated."""
        explained = load_exemptions()
        changed = []
        for result in self.results(FIRST):
            again = self.result(SECOND, result["name"])
            if again is None or "cases" not in result or "cases" not in again:
                continue
            steady_keys = {verdict.key for verdict in steady(result, again, explained)}
            changed += [
                " ".join(verdict.row["argv"])
                for verdict in judge_result(result, explained)
                if verdict.key not in steady_keys
            ]
        return changed

    def changed_names(self) -> list[str]:
        """Names that a case changed outside of its view: samples that are no longer as they are made, files in the home."""
        with scratch_folder() as folder:
            pristine = make_samples(os.path.join(folder, "fresh"))
            contents = {**_contents(pristine), **_contents(self.desk)}
            wrong = [name for name in contents if not _is_same(pristine, self.desk, name)]
        home = os.path.join(self._folder, "home")
        return sorted(wrong) + (sorted(os.listdir(home)) if os.path.isdir(home) else [])

    def _first_round(self, target: ProofTarget, budget: Mapping[str, Any]) -> bytes:
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

    def _second(self, target: ProofTarget) -> bytes:
        result = self.result(FIRST, target.name)
        assert result is not None
        return order_of(
            target.name, target.path, self.desk,
            cases=result["cases"], source=target.source, root=target.root, version=result["version"],
        )  # fmt: skip

    def _path(self, turn: str, name: str) -> str:
        return os.path.join(self._folder, turn, f"{name}.json")


def _digest(target: ProofTarget) -> str:
    binary = seal(target.path, layer=target.root)
    binary.close()
    return binary.digest


def _contents(folder: str) -> dict[str, None]:
    """Every name below; a repository's own store holds the numbers of files, which differ from copy to copy."""
    paths: dict[str, None] = {}
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*folders, *files):
            paths[os.path.relpath(os.path.join(parent, name), folder)] = None
    return paths


def _is_same(first_folder: str, second_folder: str, name: str) -> bool:
    first_path, second_path = os.path.join(first_folder, name), os.path.join(second_folder, name)
    if not (os.path.lexists(first_path) and os.path.lexists(second_path)):
        return False
    if os.path.islink(first_path) or os.path.isdir(first_path) or name in MADE_BY_PROGRAMS:
        return os.lstat(first_path).st_mode == os.lstat(second_path).st_mode
    with open(first_path, "rb") as first, open(second_path, "rb") as second:
        same = first.read() == second.read()
    return same and os.stat(first_path).st_mode == os.stat(second_path).st_mode


def _describe_result(result: Mapping[str, Any]) -> str:
    if "problem" in result:
        return str(result["problem"]["message"])[:100]
    cases = result["cases"]
    succeeded = sum(case["worked"] for case in cases)
    return f"{len(cases)} cases, {succeeded} worked, {result['seconds']} s"


def installed_targets() -> Iterator[ProofTarget]:
    """Every curated tool that in the system's program folders of this machine, including other names of a tool; recipes first."""
    recipes = load_recipes()
    for name in sorted({*names(), *aliases()}, key=lambda name: (name not in recipes, name)):
        path = find_program(name, PLACES) if "/" not in name and "*" not in name else None
        if path is not None:
            yield ProofTarget(name=name, path=path)
