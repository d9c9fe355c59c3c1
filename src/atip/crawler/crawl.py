"""Crawl: the supervisor. From names to results in the depot; `publishing` turns the results into a registry.

    (1) discover  releases of everything requested, from the sources' indexes
    (2) known     packages with a result in the depot are not fetched or run again
    (3) fetch     the files of all others, into the depot
    (4) work      on an engine (`steps.work`): unpack, identify, learn, complete, judge
    (5) collect   the results of all, in the order of their labels

Sources are queried in parallel and ahead of (4): workers wait neither for an index nor for a download.

A crawl that was killed resumes where it stopped: all its state is in the depot.
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
from atip.crawler.sources.interface import SourceContext
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
"""Fetched packages that may wait for a worker."""
ATTEMPTS = 2
"""Attempts to fetch one file in one crawl."""


class CrawlOrder(Value):
    """Packages to crawl, and the folder of the state."""

    requests: tuple[CrawlRequest, ...]
    state: str
    """Local folder for unpacked packages, indexes, and the depot unless `depot` is set."""
    depot: str = ""
    """Folder or `s3://` address of the shared state; empty: below `state`."""
    engine: str = ""
    jobs: int = 0
    limit: int = 0
    """Maximum number of packages; 0: all."""
    at: str = ""
    """Timestamp written into shims; empty: when this crawl was first started."""
    observe: bool = False
    """Also run cases, and record what they observed in the shims."""
    settings: Mapping[str, Any] = {}
    """Addresses of services, by source (`sources.json`)."""


class CrawlStep(Value):
    """One line of progress (§4.10.3)."""

    package: str
    text: str
    done: int = 0
    total: int = 0
    seconds: float = 0.0


class CrawlReport(Value):
    """Results of a crawl."""

    results: tuple[dict[str, Any], ...]
    """One for each package, in the order of labels."""
    refusals: tuple[Refusal, ...]
    """Packages without a result, those of earlier runs included."""
    reused: int
    """Packages whose result was already in the depot."""
    fetched: int
    """Files fetched in this run."""
    at: str


class Crawler:
    """One crawl, and the state that its steps share."""

    def __init__(self, order: CrawlOrder, progress: Progress | None = None) -> None:
        self._order = order
        self._report = progress or (lambda _step: None)
        make_private(order.state)
        self.depot = Depot(order.depot or os.path.join(order.state, "depot"))
        self._context = SourceContext(
            folder=os.path.join(order.state, "sources"), settings=order.settings
        )
        self._sources: dict[str, PackageSource] = {}
        self._refusals: list[Refusal] = []
        self._fetched = self._total = 0
        self._layers = os.path.join(order.state, "layers")
        self._uses: collections.Counter[str] = collections.Counter()
        """Digest → jobs that are not done yet and need it."""
        self._lock = threading.Lock()

    def run(self) -> CrawlReport:
        """Run all steps.

        Raises:
            SandboxError: no sandbox is available.
            FetchError: an index could not be fetched.
        """
        # Written first: an object store without any object may refuse to be listed.
        started_at = self.depot.started(now_iso())
        at = self._order.at or started_at
        packages: list[Package] = []
        done_keys, stored_blobs = self.depot.known_results(), set(self.depot.known_blobs())
        self._work(
            [
                self._orders(discovered, packages, done_keys, stored_blobs, at)
                for discovered in self._queries()
            ]
        )
        packages.sort(key=_place)
        results = [
            result for package in packages if (result := self.depot.find_result(package.key))
        ]
        refusals = [
            *self._refusals,
            *(_refusal(result) for result in results if result["outcome"] == REFUSED),
        ]
        self.depot.finish()
        return CrawlReport(
            results=tuple(results),
            refusals=tuple(sorted(refusals, key=lambda one: (one.label, one.code))),
            reused=len(packages) - self._total,
            fetched=self._fetched,
            at=at,
        )

    def discover(self) -> list[Package]:
        """(1) Find releases of everything requested, sorted by label; unknown names become refusals."""
        return sorted(
            (package for discovered in self._queries() for package in discovered()), key=_place
        )

    @property
    def refusals(self) -> list[Refusal]:
        """Refusals so far, sorted by label."""
        return sorted(self._refusals, key=lambda one: (one.label, one.code))

    def _queries(self) -> list[Callable[[], list[Package]]]:
        """One callable per source that queries it; with a limit, one callable for all sources in turn."""
        names = list(dict.fromkeys(request.source for request in self._order.requests))
        if self._order.limit:
            return [lambda: self._discover_limited(names, self._order.limit)]
        return [functools.partial(self._query, name) for name in names]

    def _discover_limited(self, names: Sequence[str], limit: int) -> list[Package]:
        packages: list[Package] = []
        for name in names:
            if len(packages) < limit:
                packages += self._query(name, limit - len(packages))
        return packages

    def _query(self, name: str, limit: int = 0) -> list[Package]:
        requests = [request for request in self._order.requests if request.source == name]
        packages: dict[tuple[str, str, str], Package] = {}
        self._report(CrawlStep(package=name, text="Checking for new releases..."))
        for package in self._source(name).discover(requests):
            if isinstance(package, Refusal):
                self._refusals.append(package)
                continue
            packages[_place(package)] = package.replace(observe=self._order.observe)
            if len(packages) == limit:
                break
        return [packages[key] for key in sorted(packages)]

    def _source(self, name: str) -> PackageSource:
        if name not in self._sources:
            self._sources[name] = open_source(name, self._context)
        return self._sources[name]

    def _work(self, sources: Sequence[Iterator[bytes]]) -> None:
        """(4), while (1) to (3) go on for the packages that follow."""
        ahead = run_ahead(sources, AHEAD)
        first = next(ahead, None)
        if first is None:
            return
        engine = open_engine(self._order.engine, self._order.jobs)
        started = monotonic()
        for count, (order, answer) in enumerate(engine.run(work, _chain(first, ahead)), 1):
            step = CrawlStep(
                package=_label(order), text="", done=count, total=self._total,
                seconds=monotonic() - started,
            )  # fmt: skip
            if isinstance(answer, BaseException):
                self._refusals.append(_failure(order, answer))
                self._report(step.replace(text=f"failed: {answer}"))
            else:
                for text in _describe_result(json.loads(answer)):
                    self._report(step.replace(text=text))
            self._release(order)

    def _orders(
        self,
        discovered: Callable[[], list[Package]],
        packages: list[Package],
        done_keys: frozenset[str],
        stored_blobs: set[str],
        at: str,
    ) -> Iterator[bytes]:
        """(1) to (3) of one source: yield jobs whose files are fetched. Appends every release to `packages`, those with a result too."""
        releases = discovered()
        packages += releases
        pending = [release for release in releases if release.key not in done_keys]
        with self._lock:
            self._total += len(pending)
            self._uses.update(digest for package in pending for digest in _digests(package))
        for start in range(0, len(pending), FETCH_PACKAGES):
            batch = pending[start : start + FETCH_PACKAGES]
            self._fetch(batch, stored_blobs)
            yield from self._complete(batch, stored_blobs, at)

    def _complete(
        self, batch: Sequence[Package], stored_blobs: set[str], at: str
    ) -> Iterator[bytes]:
        """Yield jobs of the packages whose files are all fetched; the next crawl tries the others again."""
        for package in batch:
            missing = [] if package.layout == "host" else sorted(_digests(package) - stored_blobs)
            if missing:
                message = (
                    f"{len(missing)} of its files could not be fetched; the next crawl tries again"
                )
                self._refusals.append(
                    Refusal(
                        source=package.source,
                        name=package.name,
                        code="crawl.not-fetched",
                        message=message,
                        step="fetch",
                    )
                )
                continue
            self._report(
                CrawlStep(
                    package=package.label,
                    text=f"Found version: {package.version} ({package.platform})",
                )
            )
            yield order_of(package, self.depot.place, self._layers, at)

    def _fetch(self, packages: Sequence[Package], stored_blobs: set[str]) -> None:
        """(3) Fetch all files of these packages; what cannot be fetched becomes a refusal."""
        refused: list[Refusal] = []
        for _ in range(ATTEMPTS):
            missing: dict[str, dict[str, PackageFile]] = {}
            for package in packages:
                for part in (package.own, *package.needs):
                    if part.digest not in stored_blobs and package.layout != "host":
                        missing.setdefault(package.source, {})[part.digest] = part
            refused = []
            for name, parts in missing.items():
                self._report(CrawlStep(package=name, text=f"Downloading {len(parts)} files..."))
                refused += self._source(name).fetch(
                    list(parts.values()), self._blob_writer(stored_blobs)
                )
        self._refusals += refused

    def _release(self, order: bytes) -> None:
        """Delete unpacked files that no job of this crawl needs any more."""
        package = json.loads(order)["package"]
        for digest in {part["digest"] for part in (package["own"], *package["needs"])}:
            with self._lock:
                self._uses[digest] -= 1
                is_needed = self._uses[digest] > 0
            if not is_needed:
                drop_layer(digest, self._layers)

    def _blob_writer(self, stored_blobs: set[str]) -> Callable[[PackageFile, bytes], None]:
        def keep(artifact: PackageFile, data: bytes) -> None:
            self.depot.put_blob(artifact.digest, data)
            stored_blobs.add(artifact.digest)
            with self._lock:
                self._fetched += 1

        return keep


def _place(package: Package) -> tuple[str, str, str]:
    return package.label, package.platform, package.version


def _digests(package: Package) -> set[str]:
    return {part.digest for part in (package.own, *package.needs)}


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _label(order: bytes) -> str:
    package = json.loads(order)["package"]
    return f"{package['source']}:{package['name']}"


def _describe_result(head: dict[str, Any]) -> Iterator[str]:
    """Progress lines of one job, worded as in §4.10.3."""
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
