"""One remote registry, queried for shims by the digest of a binary. ATIP 0.6 §4.4, §4.7.

(1) fresh in the cache? use it       (4) verify, read, compare with what we had
(2) query the signed index, or the    (5) store raw bytes and sidecar
    catalogue, or by hash            (6) remember what was a no
(3) fetch the shim and its signature

With a pinned root only files that signed metadata lists are fetched, and no hash is sent that the registry does not
know. Offline nothing is fetched: shims accepted before are used, marked as stale when they have expired.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, FetchError, TrustError
from atip.registry import tree
from atip.registry.remote.documents import (
    claimed_bundle,
    conditions,
    fill_template,
    is_same,
    read_catalog,
    read_manifest,
)
from atip.registry.remote.fetch import RegistryFetcher
from atip.registry.remote.sources import bundle_url
from atip.registry.remote.state import RegistryFiles, RemoteState
from atip.registry.remote.tuf_client import MAX_ROOT, SignedIndex, fetch_first_root, fingerprint_of
from atip.registry.shims.accepting import Acceptance
from atip.registry.shims.cache import CachedShim, ShimCache
from atip.system.digests import sha256_hex
from atip.system.files import locked, make_private

if TYPE_CHECKING:
    from atip.registry.remote.session_options import RegistrySessionOptions
    from atip.registry.remote.sources import RegistrySource
    from atip.registry.remote.tuf_client import TargetFile
    from atip.registry.shims.check import CheckedShim
    from atip.system.network.http import Response
    from atip.system.paths import Places

_UNREAD = b""


class RemoteRegistry:
    """A session with one registry. Use as a context: leaving it saves what is to be remembered."""

    def __init__(
        self, source: RegistrySource, places: Places, options: RegistrySessionOptions
    ) -> None:
        self.source = source
        self.options = options
        self.files = RegistryFiles(places, source)
        self.cache = ShimCache(self.files.cache)
        self.failed: AtipError | None = None
        """Why it is no longer queried in this session."""
        self.problems: list[tuple[str, AtipError]] = []
        """Errors, by digest."""
        self.state = self._load_state()
        self.acceptance = Acceptance(source, options, self.cache)
        self._misses: set[str] | None = None
        self._missed = False
        self._index: SignedIndex | None = None
        self._catalogue_data: bytes | None = _UNREAD
        self._catalogue: dict[str, list[str]] | None = None
        self._catalogued: set[str] | None = None
        self._manifest: dict[str, Any] | None = None
        self._is_queried = False
        self.sent: set[str] = set()
        """Digests that this session sent to a registry that need not know them."""
        self.withheld: set[str] = set()
        """Digests of the user's own programs that were not sent."""
        self.fetcher = RegistryFetcher(
            source, offline=options.offline, now=options.now, session_s=options.session_s
        )

    def _load_state(self) -> RemoteState:
        """A memory that cannot be read stops this registry, not those who go on without it."""
        try:
            return self.files.load_state()
        except AtipError as error:
            self.failed = error
            self.problems.append(("", error))
            return RemoteState()

    def __enter__(self) -> RemoteRegistry:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Save what is to be remembered and end connections."""
        self.fetcher.close()
        if not self._is_queried:
            return
        self._is_queried = False
        if self._missed and self._misses is not None:
            self.files.save_misses(self._misses)
        if self.failed is None:
            self.state = self.state.replace(failures=0, not_before=0.0, last_error="")
        with self._lock():
            # SECURITY: another session may have seen newer versions meanwhile; they must not be forgotten.
            self.files.save_state(self.state.replace(seen=self.files.load_state().seen))

    # -- looking up ------------------------------------------------------------------------------

    def find(self, digest: str) -> CheckedShim | None:
        """The shim of a binary, or None when this registry has none.

        When it does not answer, or its answer is refused, the shim that was accepted before is used, marked as stale;
        `problems` has the reason.

        Raises:
            FetchError, AuthRequired, TrustError, FormatError: the same, when there is none. This is not a negative answer: no
                later registry may answer instead.
        """
        cached = self.cache.find(digest)
        try:
            if self._may_rest(cached, digest):
                return self.acceptance.load(cached) if cached is not None else None
            return self._ask(digest, cached)
        except AtipError as error:
            if error is not self.failed:
                self.fail(error)
                self.problems.append((digest, error))
            if cached is None:
                raise
            return self.acceptance.load(cached).replace(stale=True)

    def would_tell(self) -> bool:
        """Whether a lookup would send the hash. When that is unknown, `find` raises the reason."""
        if self.options.offline or self.failed is not None or self._is_resting():
            return False
        try:
            return self.sends_hashes()
        except AtipError as error:
            self.fail(error)
            self.problems.append(("", error))
            return False

    def knows(self, digest: str) -> bool:
        """Whether a shim of this binary was accepted and is still held; offline."""
        return self.cache.find(digest) is not None

    def _is_resting(self) -> bool:
        return self.options.background and self.options.now < self.state.not_before

    def _may_rest(self, cached: CachedShim | None, digest: str) -> bool:
        """(1) Whether the answer is already here."""
        options = self.options
        if options.offline:
            return True
        # SECURITY: "no answer" must not look like "unknown hash": an attacker could cause it.
        if self.failed is not None:
            raise self.failed
        if self._is_resting():
            message = f"`{self.source.name}` failed recently ({self.state.last_error})"
            hint = "`atip registry sync` tries again now"
            self.failed = FetchError("registry.resting", message, hint=hint)
            self.problems.append((digest, self.failed))
            raise self.failed
        if options.refresh:
            return False
        if cached is not None:
            return options.now < cached.facts.expires_at
        is_recent = 0 <= options.now - self.state.refreshed_at < options.expiry_s
        return is_recent and digest in self.misses

    @property
    def misses(self) -> set[str]:
        if self._misses is None:
            self._misses = self.files.load_misses()
        return self._misses

    def _ask(self, digest: str, cached: CachedShim | None) -> CheckedShim | None:
        self._is_queried = True
        if self.source.root:
            return self._ask_index(digest, cached)
        if not self.sends_hashes() and not self._is_in_catalogue(digest):
            self._forget_unknown(digest)
            return None
        return self._ask_by_hash(digest, cached)

    def _lock(self) -> locked:
        """Held only while metadata or state is written: sessions can be long, and other processes query too."""
        make_private(self.files.data)
        return locked(self.files.lock)

    def _forget_unknown(self, digest: str) -> None:
        """(6) An unknown hash is an ordinary answer; a withdrawn shim is removed."""
        self.cache.forget(digest)
        self.misses.add(digest)
        self._missed = True

    def _start_anew(self, *, changed: bool) -> None:
        """The registry's word is current now; what it did not know before counts no longer if that may have changed."""
        if changed:
            self._misses, self._missed = set(), True
        self.state = self.state.replace(refreshed_at=self.options.now)

    # -- with a signed index ---------------------------------------------------------------------

    def index(self) -> SignedIndex:
        """The registry's signed metadata, refreshed once in a session.

        Raises:
            TrustError, FetchError: as `SignedIndex.refresh`; `registry.root` when the root is not the pinned one.
        """
        if self._index is None:
            self._is_queried = True
            with self._lock():
                before = self.files.load_state()
                index = SignedIndex(
                    self.files.tuf,
                    self.source.url,
                    self._pinned_root(),
                    fetch=self.fetcher.fetch,
                    now=self.options.now,
                    seen=before.seen,
                )
                index.refresh()
                self._start_anew(changed=before.seen != index.seen)
                self.state = self.state.replace(seen=index.seen)
                self.files.save_state(self.state)
            self._index = index
        return self._index

    def _pinned_root(self) -> bytes:
        stored = self.files.read(self.files.root, MAX_ROOT)
        if stored is not None and fingerprint_of(stored) == self.source.root:
            return stored
        fetched = fetch_first_root(self.fetcher.fetch, self.source.url)
        # SECURITY: the fingerprint that the user confirmed decides, regardless of the server.
        if fetched is None or fingerprint_of(fetched) != self.source.root:
            raise TrustError(
                "registry.root",
                f"the root of `{self.source.name}` is not the pinned one",
                hint="compare the fingerprint with the registry's owner",
            )
        self.files.write(self.files.root, fetched)
        return fetched

    def _ask_index(self, digest: str, cached: CachedShim | None) -> CheckedShim | None:
        target = self.index().find(tree.shim_path(digest))
        if target is None:
            self._forget_unknown(digest)
            return None
        if cached is not None and is_same(cached, target):
            return self.acceptance.renew(cached, None)
        self.manifest()
        shim, response = self._fetch_target(target)
        bundle = None
        if target.bundle_sha256:
            answer = self.fetcher.get(tree.bundle_path(digest), tree.MAX_BUNDLE)
            bundle = target.verify_bundle(answer.body if answer is not None else b"")
        return self.acceptance.accept(digest, shim, bundle, cached, response)

    def _fetch_target(self, target: TargetFile) -> tuple[bytes, Response]:
        if target.length > tree.MAX_INDEX:
            raise TrustError(
                "tuf.invalid", f"`{target.path}` is listed with a size above the limit"
            )
        answer = self.fetcher.get(target.path, target.length)
        if answer is None:
            raise FetchError("tuf.missing", f"`{target.path}` is listed but missing")
        return target.verify(answer.body), answer

    def read_listed(self, path: str) -> bytes | None:
        """A file of the tree that is not a shim: verified where the registry has a signed index, and then fetched only
        when it changed."""
        if self.source.root:
            target = self.index().find(path)
            if target is None:
                return None
            cache_path = os.path.join(self.files.cache, "files", target.sha256)
            data = self.files.read(cache_path, tree.MAX_INDEX)
            if data is None or sha256_hex(data) != target.sha256:
                data = self._fetch_target(target)[0]
                self.files.write(cache_path, data)
            return data
        self._is_queried = True
        answer = self.fetcher.get(path, tree.MAX_INDEX)
        return answer.body if answer is not None else None

    def sends_hashes(self) -> bool:
        """Whether a lookup reveals the hash to the registry, even one that it does not list."""
        if self.source.root or self.source.lookup == "catalog":
            return False
        if self.source.lookup == "hash":
            return True
        has_catalog = "catalog" in (self.manifest().get("endpoints") or {})
        return not has_catalog or self._catalogue_bytes() is None

    # -- without one -----------------------------------------------------------------------------

    def manifest(self) -> dict[str, Any]:
        """The registry's manifest; `{}` when it has none."""
        if self._manifest is None:
            data = self.read_listed(tree.MANIFEST)
            self._manifest = read_manifest(data) if data is not None else {}
            trust = self._manifest.get("trust") or {}
            self.acceptance.manifest_requires = trust.get("requireSignatures") is True
        return self._manifest

    def catalogue(self) -> dict[str, list[str]]:
        """Hashes by tool name, from the catalogue: fetched completely, so it does not reveal what is installed."""
        if self._catalogue is None:
            data = self._catalogue_bytes()
            self._catalogue = read_catalog(data) if data is not None else {}
        return self._catalogue

    def _catalogue_bytes(self) -> bytes | None:
        """The catalogue as it is served; None: the registry has none, regardless of its manifest."""
        if self._catalogue_data is _UNREAD:
            path = tree.CATALOG
            if not self.source.root:
                path = str((self.manifest().get("endpoints") or {}).get("catalog") or path)
            self._catalogue_data = self.read_listed(path.lstrip("/"))
        return self._catalogue_data

    def _is_in_catalogue(self, digest: str) -> bool:
        if self._catalogued is None:
            # SECURITY: a registry without catalogue would look like an empty one.
            if self._catalogue_bytes() is None:
                raise FetchError(
                    "registry.no-catalogue",
                    f"`{self.source.name}` has no catalogue, and lookup by hash is not enabled",
                    hint='`"lookup": "hash"` in registries.json looks up each hash, which reveals what is installed',
                )
            self._catalogued = {
                digest for digests in self.catalogue().values() for digest in digests
            }
            self._start_anew(changed=True)
        return digest in self._catalogued

    def _ask_by_hash(self, digest: str, cached: CachedShim | None) -> CheckedShim | None:
        endpoints = self.manifest().get("endpoints") or {}
        path = fill_template(endpoints.get("shims"), digest) or tree.shim_path(digest)
        if self.sends_hashes():
            self.sent.add(digest)
        answer = self.fetcher.get(path, tree.MAX_SHIM, conditions(cached))
        if self.options.now - self.state.refreshed_at >= self.options.expiry_s:
            self._start_anew(changed=True)
        if answer is None:
            self._forget_unknown(digest)
            return None
        if answer.status == 304 and cached is not None:
            return self.acceptance.renew(cached, answer)
        sibling = fill_template(endpoints.get("signatures"), digest) or f"{path}.bundle"
        return self.acceptance.accept(
            digest, answer.body, self._bundle(answer.body, path, sibling), cached, answer
        )

    def _bundle(self, shim: bytes, path: str, sibling: str) -> bytes | None:
        """The signature: the sibling file first, else the location in the shim, on the same origin only (A26)."""
        answer = self.fetcher.get(sibling, tree.MAX_BUNDLE)
        if answer is not None:
            return answer.body
        base = f"{self.source.url}/"
        for url in bundle_url(base + path, claimed_bundle(shim))[1:]:
            answer = (
                self.fetcher.get(url.removeprefix(base), tree.MAX_BUNDLE)
                if url.startswith(base)
                else None
            )
            if answer is not None:
                return answer.body
        return None

    # -- failing ---------------------------------------------------------------------------------

    def fail(self, error: AtipError) -> None:
        """Remember a failure of the registry itself, so that the rest of the session does not wait for it again."""
        if self.failed is not None:
            return
        if isinstance(error, TrustError) and not error.code.startswith(("tuf.", "registry.root")):
            return
        import random

        from atip.system.network.http_retry import rest_s

        self.failed = error
        failures = self.state.failures + 1
        retry_after = error.details.get("retryAfter")
        wait_s = retry_after if isinstance(retry_after, float) else None
        rest = rest_s(failures, random.random(), wait_s)  # noqa: S311
        self.state = self.state.replace(
            failures=failures, not_before=self.options.now + rest, last_error=error.code
        )
