"""TUF metadata of a registry: what is published, and the next version of whatever changed.

    (1) bins       one per hash prefix, listing shims with length, hash and signature
    (2) targets    manifest, catalogue, patterns, policy; delegates the rest to the bins
    (3) snapshot   version, length and hash of targets and every bin
    (4) timestamp  the snapshot; expires within 72 hours

Only what changed, or has less than half of its life left, gets a new version. Layout: docs/formats/registry.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.value import Value
from atip.registry import tree
from atip.registry.publish.signing.canonical import (
    file_record,
    payload,
    signed_file,
    targets_payload,
)
from atip.registry.publish.signing.role_keys import signing_keys
from atip.system.clock import from_iso, iso

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from atip.registry.publish.ledger import ShimLedger
    from atip.registry.publish.signing.published import PublishedMetadata
    from atip.registry.publish.signing.role_keys import RoleKey

    Json = dict[str, Any]


class Release(Value):
    """Parts of a release, apart from the shims."""

    at: float
    """Seconds since 1970; every time in the tree follows from it."""
    lifetimes_s: Mapping[str, float]
    keys: Sequence[RoleKey]

    def expires(self, role: str) -> str:
        return iso(self.at + self.lifetimes_s[role])

    def is_due(self, role: str, expires: str) -> bool:
        """Whether less than half of a signature's life is left at the time of this release."""
        end = from_iso(expires)
        return end is None or end - self.at < self.lifetimes_s[role] / 2


class Metadata(Value):
    """New metadata files by path, ready to be written; `timestamp.json` apart, because it comes last."""

    files: dict[str, bytes]
    timestamp: bytes | None
    """None: nothing changed and nothing is due."""
    snapshot: Json
    """The `meta` of the snapshot in force."""
    bits: int
    changed_bins: tuple[str, ...] = ()
    bins_expire: str = ""


def next_metadata(
    published: PublishedMetadata,
    ledger: ShimLedger,
    touched: Iterable[int] | None,
    others: Mapping[str, Json],
    release: Release,
) -> Metadata:
    """Files to write so that the metadata matches the tree.

    Args:
        touched: slots (see `ShimRecord.slot`) with changes; None: every bin is written.
        others: length and hash of the files that are not shims, by path.

    Raises:
        NotFoundError: `publish.keys-missing`.
    """
    bits = max(published.bits, tree.bin_bits(ledger.total))
    files: dict[str, bytes] = {}
    meta: Json = dict(published.snapshot)
    due = (
        bits != published.bits
        or release.is_due("targets", published.bins_expire)
        or _bin_signers(published) != published.ids_of("bins", release.keys)
    )
    names = tree.all_bins(bits)
    stale = (
        names if touched is None or due else sorted({names[slot >> (8 - bits)] for slot in touched})
    )
    # (1) bins
    _write_bins(stale, bits, ledger, meta, files, published, release)
    # (2) targets
    write_targets(bits, others, meta, files, published, release)
    # (3) snapshot, (4) timestamp
    timestamp = write_snapshot(meta, files, published, release)
    expire = release.expires("targets") if len(stale) == len(names) else published.bins_expire
    return Metadata(
        files=files,
        timestamp=timestamp,
        snapshot=meta,
        bits=bits,
        changed_bins=tuple(stale),
        bins_expire=expire,
    )


def _bin_signers(published: PublishedMetadata) -> list[str]:
    if published.targets is None:
        return []
    ids: list[str] = published.targets["delegations"]["succinct_roles"]["keyids"]
    return ids


def _write_bins(
    stale: Sequence[str],
    bits: int,
    ledger: ShimLedger,
    meta: Json,
    files: dict[str, bytes],
    published: PublishedMetadata,
    release: Release,
) -> None:
    if not stale:
        return
    keys = signing_keys(release.keys, published.ids_of("bins", release.keys), 1)
    expires = release.expires("targets")
    width = 1 << (8 - bits)
    for name in stale:
        first = int(name.removeprefix(f"{tree.BIN_PREFIX}-"), 16) * width
        version = meta.get(f"{name}.json", {}).get("version", 0) + 1
        data = signed_file(
            targets_payload(version, expires, ledger.lines(first, first + width)), keys
        )
        files[tree.metadata_path(name, version)] = data
        meta[f"{name}.json"] = file_record(data, version)


def write_targets(
    bits: int,
    others: Mapping[str, Json],
    meta: Json,
    files: dict[str, bytes],
    published: PublishedMetadata,
    release: Release,
) -> None:
    """Step (2): the next top-level targets, when anything differs or is due."""
    bins = {key.id: key.public for key in release.keys if key.role == "bins"}
    delegations = {
        "keys": bins,
        "succinct_roles": {
            "bit_length": bits,
            "keyids": sorted(bins),
            "name_prefix": tree.BIN_PREFIX,
            "threshold": 1,
        },
    }
    targets = dict(others)
    old = published.targets
    same = old is not None and (old["targets"], old["delegations"]) == (targets, delegations)
    is_fresh = old is not None and not release.is_due("targets", old["expires"])
    if same and is_fresh and "targets" not in published.foreign:
        return
    version = meta.get("targets.json", {}).get("version", 0) + 1
    body = payload(
        "targets", version, release.expires("targets"), delegations=delegations, targets=targets
    )
    keys = signing_keys(release.keys, published.ids_of("targets", release.keys), 1)
    data = signed_file(body, keys)
    files[tree.metadata_path("targets", version)] = data
    meta["targets.json"] = file_record(data, version)


def write_snapshot(
    meta: Json, files: dict[str, bytes], published: PublishedMetadata, release: Release
) -> bytes | None:
    """Steps (3) and (4): the next snapshot and timestamp; None when neither is needed."""
    version = published.snapshot_version
    if (
        meta != published.snapshot
        or "snapshot" in published.foreign
        or release.is_due("snapshot", published.snapshot_expires)
    ):
        version += 1
        body = payload("snapshot", version, release.expires("snapshot"), meta=meta)
        keys = signing_keys(release.keys, published.ids_of("snapshot", release.keys), 1)
        data = signed_file(body, keys)
        files[tree.metadata_path("snapshot", version)] = data
        return timestamp_file(published, {"snapshot.json": file_record(data, version)}, release)
    due = release.is_due("timestamp", published.timestamp_expires)
    if due or "timestamp" in published.foreign:
        return timestamp_file(published, published.timestamp_meta, release)
    return None


def timestamp_file(published: PublishedMetadata, meta: Json, release: Release) -> bytes:
    """The next timestamp, over a snapshot."""
    version = published.timestamp_version + 1
    body = payload("timestamp", version, release.expires("timestamp"), meta=meta)
    keys = signing_keys(release.keys, published.ids_of("timestamp", release.keys), 1)
    return signed_file(body, keys)
