"""Crawl: the supervisor. From names to results in the depot; what becomes of them is `publishing`'s business.

    (1) discover  releases of everything wanted, from the sources' indexes
    (2) known     whose result is in the depot is not fetched or run again
    (3) fetch     what the others consist of, into the depot
    (4) work      on an engine (`steps.work`): unpack, identify, learn, complete, judge
    (5) collect   the results of all, in the order of their labels

Each source is asked and fetched from beside the others and ahead of (4): workers wait neither for an index nor for a download.

Killed at any moment and started again it goes on where it was: all it knows is in the depot.
"""

from __future__ import annotations

import collections
import functools
import json
import os
import threading
from typing import TYPE_CHECKING, Any

from atip.crawler.ahead import run_ahead
from atip.crawler.depot import Depot
from atip.crawler.engines import open_engine
from atip.crawler.layouts.layers import drop_layer
from atip.crawler.packages import REFUSED, Package, Refusal
from atip.crawler.sources import open_source
from atip.crawler.sources.interface import Ground
from atip.crawler.steps.work import order_of, work
from atip.errors import AtipError
from atip.model.value import Value
from atip.system.clock import monotonic, now_iso
from atip.system.files import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from atip.crawler.packages import PackageFile
    from atip.crawler.sources.interface import CrawlRequest, PackageSource

    Progress = Callable[["CrawlStep"], None]

FETCH_PACKAGES = 48
"""Packages whose files are fetched together: one start of a client for all of them."""
AHEAD = 2 * FETCH_PACKAGES
"""Packages that may lie fetched before a worker takes them."""
ATTEMPTS = 2
"""How often a file is asked for in one crawl."""


class CrawlOrder(Value):
    """What to crawl, and where its state lies."""

    requests: tuple[CrawlRequest, ...]
    state: str
    """Folder of this machine: unpacked packages, indexes, and the depot unless that lies elsewhere."""
    depot: str = ""
    """Folder or `s3://` address of the shared state; empty: below `state`."""
    engine: str = ""
    jobs: int = 0
    limit: int = 0
    """At most so many packages; 0: all."""
    at: str = ""
    """Time that shims are stamped with; empty: when this crawl was first started."""
    observe: bool = False
    """Also run cases, and keep what they showed in the shims."""
    settings: Mapping[str, Any] = {}
    """Addresses of services, by source (`sources.json`)."""


class CrawlStep(Value):
    """One line of progress (§4.10.3)."""

    package: str
    text: str
    done: int = 0
    total: int = 0
    seconds: float = 0.0


class Crawled(Value):
    """What a crawl found."""

    results: tuple[dict[str, Any], ...]
    """One for each package, in the order of labels."""
    refusals: tuple[Refusal, ...]
    """Dead letters of this run, those of earlier runs included."""
    reused: int
    """Packages whose result was there already."""
    fetched: int
    """Files fetched in this run."""
    at: str


class Crawler:
    """One crawl; holds what its steps share."""

    def __init__(self, order: CrawlOrder, progress: Progress | None = None) -> None:
        self._order = order
        self._tell = progress or (lambda _step: None)
        make_private(order.state)
        self.depot = Depot(order.depot or os.path.join(order.state, "depot"))
        self._ground = Ground(folder=os.path.join(order.state, "sources"), settings=order.settings)
        self._sources: dict[str, PackageSource] = {}
        self._refusals: list[Refusal] = []
        self._fetched = self._total = 0
        self._layers = os.path.join(order.state, "layers")
        self._uses: collections.Counter[str] = collections.Counter()
        """Digest → jobs that are not done yet and need it."""
        self._lock = threading.Lock()

    def run(self) -> Crawled:
        """All steps.

        Raises:
            SandboxError: this machine cannot confine.
            FetchError: an index could not be had at all.
        """
        # Written first: an object store without any object may refuse to be listed.
        begun = self.depot.started(now_iso())
        at = self._order.at or begun
        packages: list[Package] = []
        known, there = self.depot.known_results(), set(self.depot.known_blobs())
        self._work(
            [self._orders(found, packages, known, there, at) for found in self._discovered()]
        )
        packages.sort(key=_place)
        results = [result for one in packages if (result := self.depot.find_result(one.key))]
        refusals = [
            *self._refusals,
            *(_refusal(one) for one in results if one["outcome"] == REFUSED),
        ]
        self.depot.finish()
        return Crawled(
            results=tuple(results),
            refusals=tuple(sorted(refusals, key=lambda one: (one.label, one.code))),
            reused=len(packages) - self._total,
            fetched=self._fetched,
            at=at,
        )

    def discover(self) -> list[Package]:
        """(1) Releases of everything wanted, by label; names that lead nowhere become dead letters."""
        return sorted((one for found in self._discovered() for one in found()), key=_place)

    def _discovered(self) -> list[Callable[[], list[Package]]]:
        """The same, source by source, each when it is called; one after the other where only so many are wanted."""
        names = list(dict.fromkeys(one.source for one in self._order.requests))
        if self._order.limit:
            return [lambda: self._first(names, self._order.limit)]
        return [functools.partial(self._ask, name) for name in names]

    def _first(self, names: Sequence[str], limit: int) -> list[Package]:
        found: list[Package] = []
        for name in names:
            if len(found) < limit:
                found += self._ask(name, limit - len(found))
        return found

    def _ask(self, name: str, limit: int = 0) -> list[Package]:
        wanted = [one for one in self._order.requests if one.source == name]
        found: dict[tuple[str, str, str], Package] = {}
        self._tell(CrawlStep(package=name, text="Checking for new releases..."))
        for one in self._source(name).discover(wanted):
            if isinstance(one, Refusal):
                self._refusals.append(one)
                continue
            found[_place(one)] = one.replace(observe=self._order.observe)
            if len(found) == limit:
                break
        return [found[key] for key in sorted(found)]

    def _source(self, name: str) -> PackageSource:
        if name not in self._sources:
            self._sources[name] = open_source(name, self._ground)
        return self._sources[name]

    def _work(self, sources: Sequence[Iterator[bytes]]) -> None:
        """(4), while (1) to (3) go on for the packages that follow."""
        ahead = run_ahead(sources, AHEAD)
        first = next(ahead, None)
        if first is None:
            return
        engine = open_engine(self._order.engine, self._order.jobs)
        started = monotonic()
        for done, (order, answer) in enumerate(engine.run(work, _chained(first, ahead)), 1):
            told = CrawlStep(
                package=_label(order), text="", done=done, total=self._total,
                seconds=monotonic() - started,
            )  # fmt: skip
            if isinstance(answer, BaseException):
                self._refusals.append(_failure(order, answer))
                self._tell(told.replace(text=f"failed: {answer}"))
            else:
                for text in _told(json.loads(answer)):
                    self._tell(told.replace(text=text))
            self._release(order)

    def _orders(
        self,
        discovered: Callable[[], list[Package]],
        packages: list[Package],
        known: frozenset[str],
        there: set[str],
        at: str,
    ) -> Iterator[bytes]:
        """(1) to (3) of one source: jobs whose files are there. `packages` gets all that were found, the known ones too."""
        found = discovered()
        packages += found
        fresh = [one for one in found if one.key not in known]
        with self._lock:
            self._total += len(fresh)
            self._uses.update(digest for one in fresh for digest in _digests(one))
        for start in range(0, len(fresh), FETCH_PACKAGES):
            batch = fresh[start : start + FETCH_PACKAGES]
            self._fetch(batch, there)
            yield from self._complete(batch, there, at)

    def _complete(self, batch: Sequence[Package], there: set[str], at: str) -> Iterator[bytes]:
        """Jobs of the packages all of whose files are there; the others are tried again by the next crawl."""
        for one in batch:
            missing = [] if one.layout == "host" else sorted(_digests(one) - there)
            if missing:
                message = f"{len(missing)} of its files could not be fetched"
                self._refusals.append(
                    Refusal(
                        source=one.source,
                        name=one.name,
                        code="crawl.not-fetched",
                        message=message,
                        step="fetch",
                    )
                )
                continue
            self._tell(
                CrawlStep(package=one.label, text=f"Found version: {one.version} ({one.platform})")
            )
            yield order_of(one, self.depot.place, self._layers, at)

    def _fetch(self, packages: Sequence[Package], there: set[str]) -> None:
        """(3) Everything that these packages consist of; what cannot be had becomes a dead letter."""
        refused: list[Refusal] = []
        for _ in range(ATTEMPTS):
            missing: dict[str, dict[str, PackageFile]] = {}
            for one in packages:
                for part in (one.own, *one.needs):
                    if part.digest not in there and one.layout != "host":
                        missing.setdefault(one.source, {})[part.digest] = part
            refused = []
            for name, parts in missing.items():
                self._tell(CrawlStep(package=name, text=f"Downloading {len(parts)} files..."))
                refused += self._source(name).fetch(list(parts.values()), self._blob_writer(there))
        self._refusals += refused

    def _release(self, order: bytes) -> None:
        """Unpacked files that no job of this crawl needs any more make room."""
        package = json.loads(order)["package"]
        for digest in {part["digest"] for part in (package["own"], *package["needs"])}:
            with self._lock:
                self._uses[digest] -= 1
                is_needed = self._uses[digest] > 0
            if not is_needed:
                drop_layer(digest, self._layers)

    def _blob_writer(self, there: set[str]) -> Callable[[PackageFile, bytes], None]:
        def keep(artifact: PackageFile, data: bytes) -> None:
            self.depot.put_blob(artifact.digest, data)
            there.add(artifact.digest)
            with self._lock:
                self._fetched += 1

        return keep


def _place(one: Package) -> tuple[str, str, str]:
    return one.label, one.platform, one.version


def _digests(one: Package) -> set[str]:
    return {part.digest for part in (one.own, *one.needs)}


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _label(order: bytes) -> str:
    package = json.loads(order)["package"]
    return f"{package['source']}:{package['name']}"


def _told(head: dict[str, Any]) -> Iterator[str]:
    """Lines about one job, in the words of §4.10.3."""
    if head["outcome"] == REFUSED:
        yield f"refused: {head['reason']['message']} [{head['reason']['code']}]"
        return
    for digits in head["shims"]:
        yield f"  Hash: sha256:{digits}"
        yield f"  Generated: shims/sha256/{digits}.json"
    if not head["shims"]:
        yield "no programs to describe"


def _refusal(result: dict[str, Any]) -> Refusal:
    source, _, name = str(result["package"]).partition(":")
    reason = result["reason"]
    return Refusal(
        source=source, name=name, code=reason["code"], message=reason["message"], step="work"
    )


def _failure(order: bytes, error: BaseException) -> Refusal:
    source, _, name = _label(order).partition(":")
    code = error.code if isinstance(error, AtipError) else "crawl.failed"
    return Refusal(source=source, name=name, code=code, message=str(error)[:300], step="work")
