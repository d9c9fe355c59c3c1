"""All remote registries of a user as one source of shims: queried by priority, the first that lists the hash answers.

A 404 moves on to the next (ATIP 0.6 §4.4.3); a failure does not: an attacker who blocks the organization's registry
must not choose which registry answers instead. Names that the configuration assigns to a registry are looked up there
only. Where an organization's policy approves by allowlist, only its registry answers at all (§4.8).
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from atip.errors import AtipError
from atip.registry.keys import read_key
from atip.registry.remote.remote import RemoteRegistry
from atip.registry.remote.session_options import RegistrySessionOptions
from atip.registry.remote.sources import configured_sources, expiry_s
from atip.registry.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.policy.policy import Policy
    from atip.registry.remote.sources import RegistrySource
    from atip.registry.shims.cache import CachedShim
    from atip.registry.shims.check import CheckedShim
    from atip.system.paths import Places

SCAN_SESSION_S = 30.0


class RemoteShims:
    """A session with every registry. Leaving it saves what each has to remember."""

    def __init__(
        self, sources: Iterable[RegistrySource], places: Places, options: RegistrySessionOptions
    ) -> None:
        self.registries = [RemoteRegistry(source, places, options) for source in sources]
        self._allowing = [registry for registry in self.registries if _approves(registry)]
        # A scan queries from several threads; connections and metadata are not thread-safe.
        self._one_at_a_time = threading.Lock()

    def __enter__(self) -> RemoteShims:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()

    def close(self) -> None:
        for registry in self.registries:
            registry.close()

    def find(self, digest: str, name: str = "", private: bool = False) -> CheckedShim | None:
        """The shim of a binary from the first registry that has one.

        Args:
            private: the file is the user's own (below the home directory); a registry that would have to receive the
                hash is not queried.

        Raises:
            AtipError: a registry that may answer did not answer, or its answer was refused.
        """
        with self._one_at_a_time:
            for registry in self.candidates_for(name):
                # SECURITY: the hash of a private program would reveal that it exists here.
                if private and not registry.knows(digest) and registry.would_tell():
                    registry.withheld.add(digest)
                    continue
                shim = registry.find(digest)
                if shim is not None:
                    return shim
            return None

    def find_or_warn(
        self, digest: str, name: str = "", private: bool = False
    ) -> CheckedShim | None:
        """The same for those who go on without; what went wrong is in `problems`."""
        try:
            return self.find(digest, name, private)
        except AtipError:
            return None

    @property
    def problems(self) -> list[tuple[str, str, AtipError]]:
        """(registry, digest, what went wrong), in order."""
        return [
            (registry.source.name, digest, error)
            for registry in self.registries
            for digest, error in registry.problems
        ]

    @property
    def warnings(self) -> list[dict[str, str]]:
        """Hashes that registries without private lookup learned in this session, and those withheld from them."""
        return [warning for registry in self.registries for warning in hash_warnings(registry)]

    def candidates_for(self, name: str) -> list[RemoteRegistry]:
        """Registries that may answer for a tool of this name, in order."""
        candidates = self._allowing or self.registries
        claiming = [
            candidate for candidate in candidates if name and name in candidate.source.names
        ]
        return claiming or candidates


def hash_warnings(registry: RemoteRegistry) -> list[dict[str, str]]:
    """Hashes that a registry with lookup by hash learned, and those withheld from it; none: its lookup is private."""
    name, rows = registry.source.name, []
    if registry.sent:
        message = f"`{name}` is queried by hash and learned the hashes of {len(registry.sent)} programs of this machine"
        hint = "registries with a signed index or a catalogue do not learn them"
        rows.append({"code": "registry.sends-hashes", "message": message, "hint": hint})
    if registry.withheld:
        message = f"`{name}` was not queried for {len(registry.withheld)} programs below the home directory: it would learn their hashes"
        hint = "to describe them, put shims in your own `shims/sha256` folder"
        rows.append({"code": "registry.private-programs", "message": message, "hint": hint})
    return [{"registry": name, **row} for row in rows]


def _approves(registry: RemoteRegistry) -> bool:
    """Whether an organization's policy allows only its own registry."""
    if not registry.source.organization:
        return False
    policy = load_organization_policy(registry)
    return policy is not None and policy.allowlist


def load_organization_policy(registry: RemoteRegistry) -> Policy | None:
    """The policy that an organization's registry gave us at the last synchronization.

    Raises:
        FormatError: it is damaged; a policy that cannot be read stops the run.
    """
    if not os.path.lexists(registry.files.policy):
        return None
    from atip.policy.reading import read_policy
    from atip.system.files import read_bytes

    data = read_bytes(registry.files.policy, 1_000_000)
    return read_policy(data, layer="organisation", origin=registry.source.url)


def load_sources(
    places: Places, env: Mapping[str, str] | None = None
) -> tuple[RegistrySource, ...]:
    """The registries of this user, keys read.

    Raises:
        FormatError: `registry.url` or another `registry.…` code.
    """
    settings = load_settings(places, "registries")
    sources = configured_sources(settings, os.environ if env is None else env)
    return tuple(
        source.replace(keys=tuple(read_key(key, places.config) for key in source.keys))
        for source in sources
    )


def find_signed(
    places: Places, digest: str, name: str = ""
) -> tuple[RegistrySource, CachedShim] | None:
    """The cached shim of a binary, and its registry; offline, verifies nothing."""
    with RemoteShims(load_sources(places), places, RegistrySessionOptions(offline=True)) as shims:
        for registry in shims.candidates_for(name):
            cached = registry.cache.find(digest)
            if cached is not None:
                return registry.source, cached
    return None


def is_approved(places: Places, digest: str) -> bool:
    """Whether an organization's registry holds a shim of this binary that its signers still stand for; offline."""
    sources = [source for source in load_sources(places) if source.organization]
    with RemoteShims(sources, places, RegistrySessionOptions(offline=True)) as shims:
        return shims.find_or_warn(digest) is not None


def make_session_options(
    places: Places, *, offline: bool, refresh: bool = False, background: bool = False,
    approve: frozenset[str] = frozenset(), policy_requires: bool = False,
) -> RegistrySessionOptions:  # fmt: skip
    """Options of sessions from this user's settings and environment."""
    return RegistrySessionOptions(
        offline=offline,
        refresh=refresh or os.environ.get("ATIP_REFRESH", "") not in ("", "0"),
        background=background,
        expiry_s=expiry_s(load_settings(places, "registries")),
        session_s=SCAN_SESSION_S if background else 120.0,
        approve=approve,
        policy_requires=policy_requires,
    )
