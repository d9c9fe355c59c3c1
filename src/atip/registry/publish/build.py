"""Build a registry: from a folder of contributions to the static tree, in a folder or an object store.

    (1) list      files of the source, and those that differ from the last build; unread
    (2) review    everything that changed; one refusal, and nothing is written
    (3) shims     only those that changed are written
    (4) documents manifest, catalogue, patterns, policy, coverage
    (5) metadata  bins, targets, snapshot; then the timestamp, which makes it all valid at once
    (6) remove    what is no longer named

The unsigned tree is the same byte for byte for the same source and release time. ATIP 0.6 §4.4, §4.7–4.9.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import sqlite3
import time
from typing import TYPE_CHECKING

from atip.errors import AtipError, FormatError
from atip.model.reading.shim_records import StateHead
from atip.model.value import Value
from atip.registry import tree
from atip.registry.publish.files.delivery import headers_for
from atip.registry.publish.files.documents import catalog
from atip.registry.publish.files.extra_files import render_documents, stale_files
from atip.registry.publish.gather import gather
from atip.registry.publish.ledger import ShimLedger
from atip.registry.publish.review import ReviewRules
from atip.registry.publish.settings import load_publisher_settings, public_key
from atip.registry.publish.signing import roots
from atip.registry.publish.signing.metadata import Release, next_metadata
from atip.registry.publish.signing.published import PublishedMetadata, load_published
from atip.registry.publish.signing.role_keys import load_role_keys
from atip.registry.publish.source import ShimListing, compare, list_source, look_at
from atip.registry.publish.state import DAMAGED, VERSION, BuildState
from atip.system.clock import iso
from atip.system.files import locked, make_private
from atip.system.stores.objects import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.model.problems import Problem
    from atip.registry.publish.gather import BuildChanges
    from atip.registry.publish.settings import PublisherSettings
    from atip.registry.publish.signing.metadata import Metadata
    from atip.system.stores.objects import ObjectStore

WORK = ".atip"
"""Folder of our own inside the source: the state of each place, a lock. It may be deleted at any time."""


class BuildOrder(Value):
    """Options of a build."""

    folder: str
    place: str
    """Folder or `s3://` address that is published."""
    at: float
    """Time of the release, seconds since 1970."""
    keys: str | None
    """Folder of keys; None: the tree is not signed."""
    changed: tuple[str, ...] | None = None
    """Files below `shims/` that changed since the last build; None: the whole folder is walked to find out."""
    judge: bool = True
    """False: shims are taken as valid. Updates are compared with what is published all the same."""


class BuildReport(Value):
    """Result of a build."""

    place: str
    release: str
    total: int
    added: int
    changed: int
    removed: int
    bins: int = 0
    """Number of bins with a new version."""
    fingerprint: str = ""
    """Fingerprint that clients pin; empty for an unsigned tree."""
    is_first: bool = False
    """Nothing signed was published there before."""
    advice: tuple[Problem, ...] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "place": self.place,
            "release": self.release,
            "shims": self.total,
            "added": self.added,
            "changed": self.changed,
            "removed": self.removed,
            "bins": self.bins,
            "fingerprint": self.fingerprint or None,
            "firstRelease": self.is_first,
            "advice": [problem.to_json() for problem in self.advice],
        }


def build(order: BuildOrder) -> BuildReport:
    """Update a published tree from its source.

    Raises:
        FormatError: `publish.refused` with all problems; nothing was written.
        TrustError: `publish.foreign`, `publish.key-mode`.
        NotFoundError: `publish.no-settings`, `publish.keys-missing`.
        AtipError: `objects.changed` when another publisher wrote first, `publish.state`.
    """
    settings = load_publisher_settings(order.folder)
    work = os.path.join(order.folder, WORK)
    make_private(work)
    with locked(os.path.join(work, "lock")), _without_collector():
        try:
            return _Build(order, settings).run()
        except sqlite3.OperationalError as error:
            hint = f"`{WORK}` beside the source must be writable, with free disk space"
            raise AtipError(
                "publish.state", f"cannot save the build state: {error}", hint=hint
            ) from error
        except DAMAGED:
            # Nothing was decided by it alone: what is published is found out from the place.
            return _Build(order, settings, forget=True).run()


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """A build makes hundreds of thousands of small objects and no cycles: looking for some costs a tenth of it or more."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Build:
    """One build; holds what its steps share."""

    def __init__(
        self, order: BuildOrder, settings: PublisherSettings, *, forget: bool = False
    ) -> None:
        self.order = order
        self.settings = settings
        self.store: ObjectStore = open_store(order.place, headers_for)
        self.state = BuildState(_state_path(order, self.store))
        if forget:
            self.state.forget()
        self.is_first = False
        self.chain: list[bytes] = []

    def run(self) -> BuildReport:
        with contextlib.closing(self.state):
            return self._run()

    def _run(self) -> BuildReport:
        rules = rules_of(self.order.folder, self.settings, judge=self.order.judge)
        published = self._make_metadata()
        self._check_state(published)
        before = self.state.head
        ledger = ShimLedger(self.state)
        # (1)
        last_listing = self.state.listing()
        listing = self._listing(last_listing)
        marks = last_listing.marks
        if before is not None and self.order.judge and rules.name != before.rules:
            marks = [0] * len(marks)
        changes = compare(listing, last_listing.names, marks)
        # (2)
        content = gather(self.order.folder, changes, ledger, rules, self.store, before is None)
        if content.errors:
            raise _refusal(content.errors)
        # (3)
        self.store.put_many(content.objects())
        # (4)
        release = iso(self.order.at)
        if before is not None and not ledger.touched:
            release = before.release
        fingerprint = roots.fingerprint(self.chain[0]) if self.chain else ""
        files = render_documents(self.order.folder, self.settings, ledger, release, fingerprint)
        if before is None or ledger.touched:
            files[tree.CATALOG] = catalog(ledger.entries(), ledger.total, release)
        self._put_changed(files)
        # (5)
        metadata = self._sign(published, content, files)
        # (6)
        self.store.delete(content.obsolete_paths)
        self.store.delete(stale_files(self.store, files, published, metadata))
        self._save(listing, ledger, rules, release, metadata, files)
        return BuildReport(
            place=self.store.place,
            release=release,
            total=ledger.total,
            added=content.added,
            changed=content.changed,
            removed=content.removed,
            bins=len(metadata.changed_bins) if metadata else 0,
            fingerprint=fingerprint,
            is_first=self.is_first,
            advice=tuple(content.advice),
        )

    def _make_metadata(self) -> PublishedMetadata | None:
        """Our root and what it has signed; None for an unsigned tree. Makes keys for a first release."""
        if self.order.keys is None:
            return None
        self.chain = roots.load_roots(self.order.keys)
        if not self.chain:
            if self.store.find(tree.TIMESTAMP, tree.MAX_INDEX) is not None:
                from atip.registry.publish.signing.published import foreign

                raise foreign("timestamp")
            self.chain = [roots.make_first_root(self.order.keys, self.settings, self.order.at)]
        published = load_published(self.store, self.chain[-1], self.chain[:-1])
        self.is_first = not published.timestamp_version
        return published

    def _check_state(self, published: PublishedMetadata | None) -> None:
        """Forget what the last build left unless the place still holds it."""
        head = self.state.head
        if head is None:
            return
        if published is not None:
            anchor = published.timestamp_data
        else:
            catalog = self.store.find(tree.CATALOG, 1 << 30)
            anchor = catalog.data if catalog else b""
        if head.place != self.store.place or not anchor or head.anchor != _sha256(anchor):
            self.state.forget()

    def _listing(self, last_listing: ShimListing) -> ShimListing:
        now_ns = time.time_ns()
        if self.order.changed is None or self.state.head is None:
            return list_source(self.order.folder, now_ns)
        return look_at(self.order.folder, self.order.changed, last_listing, now_ns)

    def _put_changed(self, files: dict[str, bytes]) -> None:
        for key, data in files.items():
            # The catalogue is large, and here only when it has changed.
            current = self.store.find(key, tree.MAX_INDEX) if key != tree.CATALOG else None
            if current is None or current.data != data:
                self.store.put(key, data)

    def _sign(
        self, published: PublishedMetadata | None, content: BuildChanges, files: dict[str, bytes]
    ) -> Metadata | None:
        if published is None or self.order.keys is None:
            return None
        from atip.registry.publish.signing.canonical import file_record

        release = Release(
            at=self.order.at,
            lifetimes_s=self.settings.lifetimes_s,
            keys=load_role_keys(self.order.keys),
        )
        before = self.state.head
        published = published.replace(bins_expire=before.bins_expire if before else "")
        others = {path: file_record(data) for path, data in files.items() if path != tree.COVERAGE}
        if tree.CATALOG not in others and published.targets is not None:
            others[tree.CATALOG] = published.targets["targets"][tree.CATALOG]
        touched = content.ledger.touched if before is not None else None
        metadata = next_metadata(published, content.ledger, touched, others, release)
        put_roots(self.store, self.chain)
        self.store.put_many(metadata.files.items())
        if metadata.timestamp is not None:
            tag = published.timestamp_tag
            self.store.put(tree.TIMESTAMP, metadata.timestamp, expected=tag)
        else:
            metadata = metadata.replace(timestamp=published.timestamp_data)
        return metadata

    def _save(
        self,
        listing: ShimListing,
        ledger: ShimLedger,
        rules: ReviewRules,
        release: str,
        metadata: Metadata | None,
        files: dict[str, bytes],
    ) -> None:
        before = self.state.head
        last = metadata.timestamp if metadata is not None else files.get(tree.CATALOG)
        anchor = _sha256(last) if last is not None or before is None else before.anchor
        head = StateHead(
            version=VERSION,
            place=self.store.place,
            anchor=anchor,
            rules=rules.name if self.order.judge else "",
            release=release,
            bins_expire=metadata.bins_expire if metadata is not None else "",
            total=ledger.total,
            platforms=ledger.platforms,
            sources=ledger.sources,
        )
        ledger.save()
        self.state.commit(head, listing)


def put_roots(store: ObjectStore, chain: Sequence[bytes]) -> None:
    """Publish the chain of roots, and the newest under its plain name."""
    for number, data in enumerate(chain, 1):
        key = tree.metadata_path("root", number)
        if store.find(key, roots.MAX_ROOT) is None:
            store.put(key, data)
    current = store.find(tree.ROOT, roots.MAX_ROOT)
    if current is None or current.data != chain[-1]:
        store.put(tree.ROOT, chain[-1])


def remember_timestamp(order: BuildOrder, store: ObjectStore, old: bytes, new: bytes) -> None:
    """The state goes on being about a place whose timestamp alone was signed again."""
    path = _state_path(order, store)
    if not os.path.exists(path):
        return
    with contextlib.closing(BuildState(path)) as state:
        if state.head is not None and state.head.anchor == _sha256(old):
            state.head.anchor = _sha256(new)
            state.set_head(state.head)


def _state_path(order: BuildOrder, store: ObjectStore) -> str:
    digits = hashlib.sha256(store.place.encode()).hexdigest()[:16]
    return os.path.join(order.folder, WORK, f"{digits}.state")


def rules_of(folder: str, settings: PublisherSettings, *, judge: bool = True) -> ReviewRules:
    """The rules of a source folder: its settings and what was approved."""
    from atip.registry.publish.approvals import load_approvals
    from atip.trust.expected import create_trust_policy

    policy = None
    if settings.require_signatures:
        config = {
            "signers": list(settings.signers),
            "keys": [public_key(key, folder) for key in settings.keys],
            "requireSignatures": True,
        }
        policy = create_trust_policy(config)
    return ReviewRules(
        settings=settings, approvals=load_approvals(folder), policy=policy, judges=judge
    )


def _refusal(problems: list[Problem]) -> FormatError:
    first = problems[0]
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    return FormatError(
        "publish.refused",
        f"nothing was published: {first.path}: {first.message}{more}",
        problems=problems[:1000],
        hint=first.hint or "see `atip registry check`",
    )


def _sha256(data: bytes | None) -> str:
    return hashlib.sha256(data or b"").hexdigest()


def release_time(text: str | None) -> float:
    """Seconds of a release: as given, else `SOURCE_DATE_EPOCH`, else now.

    Raises:
        FormatError: `publish.release` for an invalid time.
    """
    from atip.system.clock import from_iso

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if text is None and epoch.isdigit():
        return float(epoch)
    if text is None:
        return float(int(time.time()))
    moment = from_iso(text)
    if moment is None:
        raise FormatError(
            "publish.release", f"`{text[:40]}` is not a valid time", hint="write it as 2026-01-15"
        )
    return moment
