"""The published metadata: read back from a store and checked against our own root.

Version numbers go on from here. A store that shows us metadata which our keys did not sign is not ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, FormatError, TrustError
from atip.model.reading.reader import STORE, read_json
from atip.model.value import Value
from atip.registry import tree
from atip.registry.publish.signing.canonical import canonical
from atip.registry.publish.signing.roots import signed_part
from atip.system.stores.objects import ABSENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.registry.publish.signing.role_keys import RoleKey
    from atip.system.stores.objects import ObjectStore

    Json = dict[str, Any]


class PublishedMetadata(Value):
    """The metadata in force. Zero versions and empty maps: nothing is there yet."""

    root: Json
    """The signed part of our newest root."""
    timestamp_tag: str = ABSENT
    timestamp_data: bytes = b""
    timestamp_version: int = 0
    timestamp_expires: str = ""
    timestamp_meta: Json
    snapshot: Json
    """`meta` of the snapshot: file name → version, length, hash."""
    snapshot_version: int = 0
    snapshot_expires: str = ""
    targets: Json | None = None
    bits: int = 0
    bins_expire: str = ""
    """When the first bin expires; empty: not known."""
    foreign: frozenset[str] = frozenset()
    """Roles whose file is signed by a key that the root no longer names."""

    def ids_of(self, role: str, keys: Sequence[RoleKey]) -> list[str]:
        """Keys that may sign for a role: those in the root; for the bins the available keys."""
        if role == "bins":
            return [key.id for key in keys if key.role == "bins"]
        ids: list[str] = self.root["roles"][role]["keyids"]
        return ids


def load_published(
    store: ObjectStore, root: bytes, older: Sequence[bytes] = ()
) -> PublishedMetadata:
    """Read back what a store holds.

    Args:
        root: our newest root; `older` are those before it, whose keys may have signed what is there.

    Raises:
        TrustError: `publish.foreign` when our keys did not sign it.
    """
    empty = PublishedMetadata(root=signed_part(root), timestamp_meta={}, snapshot={})
    stored = store.find(tree.TIMESTAMP, tree.MAX_INDEX)
    if stored is None:
        return empty
    roots = [signed_part(document) for document in (root, *reversed(older))]
    timestamp, old_timestamp = _check("timestamp", stored.data, roots)
    version = timestamp["meta"]["snapshot.json"]["version"]
    snapshot, old_snapshot = _load(store, "snapshot", version, roots)
    version = snapshot["meta"]["targets.json"]["version"]
    targets, old_targets = _load(store, "targets", version, roots)
    foreign = {
        role
        for role, is_old in (
            ("timestamp", old_timestamp),
            ("snapshot", old_snapshot),
            ("targets", old_targets),
        )
        if is_old
    }
    return empty.replace(
        timestamp_tag=stored.tag,
        timestamp_data=stored.data,
        timestamp_version=timestamp["version"],
        timestamp_expires=timestamp["expires"],
        timestamp_meta=timestamp["meta"],
        snapshot=snapshot["meta"],
        snapshot_version=snapshot["version"],
        snapshot_expires=snapshot["expires"],
        targets=targets,
        bits=targets["delegations"]["succinct_roles"]["bit_length"],
        foreign=frozenset(foreign),
    )


def _load(store: ObjectStore, role: str, version: int, roots: Sequence[Json]) -> tuple[Json, bool]:
    path = tree.metadata_path(role, version)
    stored = store.find(path, tree.MAX_INDEX)
    if stored is None:
        raise AtipError("publish.damaged", f"`{path}` is missing", hint="see `atip registry check`")
    return _check(role, stored.data, roots)


def _check(role: str, data: bytes, roots: Sequence[Json]) -> tuple[Json, bool]:
    """The signed part, and whether only an older root names its signer."""
    try:
        document: Any = read_json(data, STORE)
        message = canonical(document["signed"])
        signatures = {signature["keyid"]: signature["sig"] for signature in document["signatures"]}
        for number, root in enumerate(roots):
            for identifier in root["roles"][role]["keyids"]:
                if identifier in signatures and _verifies(
                    root["keys"][identifier], signatures[identifier], message
                ):
                    return document["signed"], number > 0
    except (KeyError, TypeError, ValueError, FormatError) as error:
        raise foreign(role) from error
    raise foreign(role)


def _verifies(key: Json, signature: str, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key["keyval"]["public"]))
    try:
        public.verify(bytes.fromhex(signature), message)
    except InvalidSignature:
        return False
    return True


def foreign(role: str) -> TrustError:
    return TrustError(
        "publish.foreign",
        f"the published `{role}` was not signed with these keys",
        hint="give the registry's own keys with `--keys`, or another place with `--to`",
    )
