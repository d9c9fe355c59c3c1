"""State of one remote registry between sessions, and its files.

<data>/registries/<id>/state.json   versions seen, failures, time of the last query
<data>/registries/<id>/root.json    the pinned root
<data>/registries/<id>/tuf/         accepted metadata (rollback protection: not in the cache, which may be deleted)
<data>/registries/<id>/policy.json  of an organization
<cache>/registries/<id>/            shims, pending updates, catalogue, patterns, hashes that were a no
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from atip.errors import AtipError
from atip.model.value import Value
from atip.registry.remote.tuf_client import SeenVersions
from atip.system.files import make_private, read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.registry.remote.sources import RegistrySource
    from atip.system.paths import Places

FOLDER = "registries"
MAX_STATE = 1_000_000
MAX_QUERIED = 64_000_000


class RemoteState(Value):
    """Facts about a registry that must survive."""

    seen: SeenVersions = SeenVersions()
    failures: int = 0
    """Failed sessions in a row."""
    not_before: float = 0.0
    """Background sessions do not query before this time."""
    refreshed_at: float = 0.0
    """When its index was last seen to be current."""
    last_error: str = ""


class RegistryFiles:
    """The folders of one registry; nothing is created before it is written."""

    def __init__(self, places: Places, source: RegistrySource) -> None:
        self.data = os.path.join(places.data, FOLDER, source.id)
        self.cache = os.path.join(places.cache, FOLDER, source.id)
        self.tuf = os.path.join(self.data, "tuf")
        self.policy = os.path.join(self.data, "policy.json")
        self.root = os.path.join(self.data, "root.json")
        self.patterns = os.path.join(self.cache, "patterns")
        self.pending = os.path.join(self.cache, "pending")
        self.lock = os.path.join(self.data, ".lock")

    def load_state(self) -> RemoteState:
        """The stored state; empty when there is no file.

        Raises:
            AtipError: `registry.state` when the file is damaged: it holds the rollback protection.
        """
        path = os.path.join(self.data, "state.json")
        if not os.path.lexists(path):
            return RemoteState()
        try:
            document = json.loads(read_bytes(path, MAX_STATE))
            seen = document["seen"]
            return RemoteState(
                seen=SeenVersions(root=int(seen[0]), timestamp=int(seen[1]), snapshot=int(seen[2])),
                failures=int(document["failures"]),
                not_before=float(document["notBefore"]),
                refreshed_at=float(document["refreshedAt"]),
                last_error=str(document["lastError"]),
            )
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            # SECURITY: forgetting the versions seen would let an attacker roll back.
            raise AtipError(
                "registry.state",
                f"`{path}` is damaged",
                hint="remove the registry and add it again, comparing its fingerprint",
            ) from error

    def save_state(self, state: RemoteState) -> None:
        make_private(self.data)
        seen = state.seen
        document = {
            "seen": [seen.root, seen.timestamp, seen.snapshot],
            "failures": state.failures,
            "notBefore": state.not_before,
            "refreshedAt": state.refreshed_at,
            "lastError": state.last_error,
        }
        write_atomic(os.path.join(self.data, "state.json"), json.dumps(document).encode())

    def load_misses(self) -> set[str]:
        """Hashes that the registry was found not to know at its last refresh. Derived; may be deleted."""
        try:
            data = read_bytes(os.path.join(self.cache, "misses"), MAX_QUERIED)
        except AtipError:
            return set()
        return set(data.decode("ascii", "replace").split())

    def save_misses(self, misses: Iterable[str]) -> None:
        make_private(self.cache)
        data = "\n".join(sorted(misses)).encode()
        write_atomic(os.path.join(self.cache, "misses"), data, durable=False)

    def read(self, path: str, max_bytes: int) -> bytes | None:
        """A file of ours, or None."""
        try:
            return read_bytes(path, max_bytes)
        except AtipError:
            return None

    def write(self, path: str, data: bytes) -> None:
        make_private(os.path.dirname(path))
        write_atomic(path, data)
