"""Read and review what changed, and say what has to be written. Steps (1) to (3) of a build; writes nothing itself."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from atip.errors import AtipError, FormatError
from atip.model.problems import Problem
from atip.registry import tree
from atip.registry.publish.review import review
from atip.registry.publish.source import read_contribution, slot_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.model.reading.shim_records import ShimRecord
    from atip.registry.publish.ledger import ShimLedger
    from atip.registry.publish.review import ReviewRules
    from atip.registry.publish.source import Changes, Contribution
    from atip.system.stores.objects import ObjectInfo, ObjectStore

_IN_MEMORY = 256_000_000
"""Bytes of changed shims that are kept between review and writing; the rest is read a second time."""


class BuildChanges:
    """The outcome: what to write, what to remove, and what was found. The ledger is brought up to date."""

    def __init__(self, folder: str, ledger: ShimLedger, problems: Sequence[Problem]) -> None:
        self._folder = folder
        self.ledger = ledger
        self.errors = list(problems)
        self.advice: list[Problem] = []
        self.pending: list[tuple[Contribution, bool, bool]] = []
        """Contribution, whether its shim and whether its signature has to be written."""
        self.obsolete_paths: list[str] = []
        self.added = self.changed = self.removed = 0

    def objects(self) -> Iterator[tuple[str, bytes]]:
        """Key and bytes of everything to be written.

        Raises:
            FormatError: `publish.changed-meanwhile`.
        """
        for contribution, shim, bundle in self.pending:
            record = contribution.record
            if not contribution.data:
                contribution = self._again(contribution)
            if shim:
                yield tree.shim_path(record.hex), contribution.data
            if bundle and record.bundle:
                yield tree.bundle_path(record.hex), contribution.bundle

    def _again(self, before: Contribution) -> Contribution:
        again = read_contribution(self._folder, before.record.hex, before.file)
        # SECURITY: what was reviewed is what is published.
        if again.record != before.record:
            raise FormatError(
                "publish.changed-meanwhile", f"`{before.file}` changed during the build; try again"
            )
        return again


def gather(
    folder: str,
    changes: Changes,
    ledger: ShimLedger,
    rules: ReviewRules,
    store: ObjectStore,
    forgotten: bool,
) -> BuildChanges:
    """Look at everything that changed.

    Args:
        forgotten: there is no state; the content of the store is read from the store.
    """
    result = BuildChanges(folder, ledger, changes.problems)
    published_shims = _StoredShims(store, ledger, forgotten)
    kept_bytes = 0
    for digits, name in changes.changed.items():
        try:
            signed = changes.bundles is None or f"{digits}.json.bundle" in changes.bundles
            contribution = read_contribution(folder, digits, name, has_bundle=signed)
            kept_bytes += _take(
                contribution, result, published_shims, rules, keep=kept_bytes < _IN_MEMORY
            )
        except (FormatError, AtipError) as error:
            where = f"{name} $"
            problem = Problem(path=where, code=error.code, message=error.message, hint=error.hint)
            result.errors.append(problem)
    published_shims.find_gone(result, changes.removed)
    return result


def _take(
    contribution: Contribution,
    result: BuildChanges,
    published_shims: _StoredShims,
    rules: ReviewRules,
    keep: bool,
) -> int:
    """Review one contribution and note what follows; the bytes kept in memory."""
    record = contribution.record
    is_published, shim, bundle = published_shims.compare(contribution)
    published = (
        (published_shims.shim(record.hex) if shim else contribution.data) if is_published else None
    )
    if rules.judges or published is not None or record.source == "inferred":
        predecessor = published_shims.predecessor(record) if published is None else None
        for problem in review(contribution, rules, published, predecessor):
            (result.errors if problem.severity == "error" else result.advice).append(problem)
    result.ledger.put(record)
    if not (shim or bundle):
        return 0
    if is_published:
        result.changed += 1
    else:
        result.added += 1
    if bundle and not record.bundle:
        result.obsolete_paths.append(tree.bundle_path(record.hex))
    if not keep:
        contribution.data = contribution.bundle = b""
    result.pending.append((contribution, shim, bundle))
    return len(contribution.data) + len(contribution.bundle)


class _StoredShims:
    """Shims in the store: known from the last build, else listed."""

    def __init__(self, store: ObjectStore, ledger: ShimLedger, forgotten: bool) -> None:
        self._store = store
        self._ledger = ledger
        self._objects: dict[str, ObjectInfo] | None = None
        if forgotten:
            # An empty store and an empty ledger say the same.
            self._objects = {info.key: info for info in store.list(tree.SHIMS)} or None

    def compare(self, contribution: Contribution) -> tuple[bool, bool, bool]:
        """Whether the shim is there at all; whether it, and whether its signature, is another one there."""
        record = contribution.record
        if self._objects is None:
            old = self._ledger.find(record.hex, record.slot)
            if old is None:
                return False, True, bool(record.bundle)
            return True, old.content != record.content, old.bundle != record.bundle
        key, signature = tree.shim_path(record.hex), tree.bundle_path(record.hex)
        shim = self._is_other(key, contribution.data)
        if record.bundle:
            return key in self._objects, shim, self._is_other(signature, contribution.bundle)
        return key in self._objects, shim, signature in self._objects

    def _is_other(self, key: str, data: bytes) -> bool:
        info = self._objects.get(key) if self._objects is not None else None
        if info is None or info.size != len(data):
            return True
        # The tag of an object that was put in one piece is its MD5; here it only saves a transfer.
        if info.tag.strip('"') == hashlib.md5(data, usedforsecurity=False).hexdigest():
            return False
        stored = self._store.find(key, tree.MAX_SHIM)
        return stored is None or stored.data != data

    def shim(self, digits: str) -> bytes | None:
        stored = self._store.find(tree.shim_path(digits), tree.MAX_SHIM)
        return stored.data if stored is not None else None

    def predecessor(self, record: ShimRecord) -> bytes | None:
        """The newest published shim of the same tool on the same platform; for inferred ones."""
        if record.source != "inferred":
            return None
        newest = self._ledger.newest(record.name, record.platform)
        return self.shim(newest) if newest is not None else None

    def find_gone(self, result: BuildChanges, removed: Sequence[str]) -> None:
        """Find shims that the store has and the source does not."""
        digits = list(removed)
        if self._objects is not None:
            digests = (tree.digest_of_shim_path(key) for key in self._objects)
            published_digits = {digest.removeprefix("sha256:") for digest in digests if digest}
            digits = sorted(
                digest
                for digest in published_digits
                if not self._ledger.find(digest, slot_of(digest))
            )
        for digest in digits:
            result.removed += 1
            result.obsolete_paths += [tree.shim_path(digest), tree.bundle_path(digest)]
            self._ledger.remove(digest, slot_of(digest))
            self._ledger.touched.add(slot_of(digest))
