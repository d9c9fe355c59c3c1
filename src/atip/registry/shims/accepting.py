"""Accept a shim from a registry or from the cache: verify, read, compare, store.

Steps (4) and (5) of `registry.remote.remote`; independent of how the bytes were fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.registry.remote.documents import max_age_s
from atip.registry.remote.sources import needs_signature
from atip.registry.shims.approval import plan_update
from atip.registry.shims.cache import ShimFacts
from atip.registry.shims.check import (
    CheckedShim,
    policy_digest,
    read_shim,
    shim_policy,
    verify_signature_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.registry.remote.session_options import RegistrySessionOptions
    from atip.registry.remote.sources import RegistrySource
    from atip.registry.shims.approval import ShimUpdate
    from atip.registry.shims.cache import CachedShim, ShimCache
    from atip.system.network.http import Response

MAX_SERVER_AGE_S = 7 * 86400.0
"""The longest that a server's `max-age` is believed."""


class Acceptance:
    """Requirements for the shims of one registry."""

    def __init__(
        self, source: RegistrySource, options: RegistrySessionOptions, cache: ShimCache
    ) -> None:
        self._source = source
        self._options = options
        self._cache = cache
        self.manifest_requires: bool | None = None
        """The setting in the registry's own manifest; it can only tighten."""
        self.waiting: dict[str, ShimUpdate] = {}
        """Updates that need a person's approval, by digest."""
        self.fetched: set[str] = set()
        """Digests whose shim is new or changed in this session."""

    def required(self) -> bool:
        """Whether unsigned shims are refused: the strictest setting wins (A25)."""
        return needs_signature(
            self._source, manifest=self.manifest_requires, policy=self._options.policy_requires
        )

    def accept(
        self,
        digest: str,
        shim: bytes,
        bundle: bytes | None,
        cached: CachedShim | None,
        answer: Response,
    ) -> CheckedShim:
        """(4) and (5)."""
        policy = shim_policy(self._source, required=self.required())
        signer = verify_signature_of(shim, bundle, policy)
        tool = read_shim(shim, digest)
        if cached is not None and cached.shim != shim:
            update = plan_update(read_shim(cached.shim, digest), tool)
            if update.weaker and digest not in self._options.approve:
                # SECURITY: a description that warns of less is not taken over unread.
                self.waiting[digest] = update
                return self.load(cached)
        if cached is None or cached.shim != shim:
            self.fetched.add(digest)
        facts = self._facts(answer, signer, policy_digest(policy))
        self._cache.save(digest, shim, bundle, facts)
        return CheckedShim(digest=digest, tool=tool, signer=signer, registry=self._source.url)

    def renew(self, cached: CachedShim, answer: Response | None) -> CheckedShim:
        """The cached bytes are still current: verify them again, and restart their lifetime."""
        shim = self.load(cached)
        facts = cached.facts.replace(
            expires_at=self._expires(answer.headers if answer is not None else {}),
            signer=shim.signer,
            policy=policy_digest(shim_policy(self._source, required=self.required())),
        )
        self._cache.save(cached.digest, cached.shim, cached.bundle, facts)
        return shim

    def load(self, cached: CachedShim) -> CheckedShim:
        """A shim from the cache. Its bytes were hashed when read; its signature is checked again whenever the signers
        or keys are not those it was checked against.

        Raises:
            TrustError: it was accepted once, and is not any more.
        """
        policy = shim_policy(self._source, required=self.required())
        signer = cached.facts.signer
        if cached.facts.policy != policy_digest(policy) or (
            policy.require_signatures and not signer
        ):
            signer = verify_signature_of(cached.shim, cached.bundle, policy)
        tool = read_shim(cached.shim, cached.digest)
        stale = self._options.now >= cached.facts.expires_at
        return CheckedShim(
            digest=cached.digest, tool=tool, signer=signer, registry=self._source.url, stale=stale
        )

    def _facts(self, answer: Response, signer: str, policy: str) -> ShimFacts:
        return ShimFacts(
            url=answer.url,
            cached_at=self._options.now,
            expires_at=self._expires(answer.headers),
            etag=answer.headers.get("etag", ""),
            last_modified=answer.headers.get("last-modified", ""),
            signer=signer,
            policy=policy,
        )

    def _expires(self, headers: Mapping[str, str]) -> float:
        """When to check the answer again: as configured, else by the server's header, else after a day (A24)."""
        age = None if self._source.explicit_expiry else max_age_s(headers.get("cache-control", ""))
        return self._options.now + (
            self._options.expiry_s if age is None else min(age, MAX_SERVER_AGE_S)
        )
