"""Sign again without building: a fresh timestamp, a longer-lived root, new keys for a role.

Nothing of the content changes: what is listed is what was listed. For a timer that keeps the timestamp alive, and
for the day on which a key is lost or stolen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import NotFoundError
from atip.model.value import Value
from atip.registry import tree
from atip.registry.publish.build import put_roots, remember_timestamp
from atip.registry.publish.files.delivery import headers_for
from atip.registry.publish.settings import load_publisher_settings
from atip.registry.publish.signing import roots
from atip.registry.publish.signing.canonical import canonical, file_record, signed_file
from atip.registry.publish.signing.metadata import (
    Release,
    timestamp_file,
    write_snapshot,
    write_targets,
)
from atip.registry.publish.signing.published import load_published
from atip.registry.publish.signing.role_keys import (
    load_role_keys,
    make_role_keys,
    retire,
    signing_keys,
)
from atip.system.stores.objects import open_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.registry.publish.build import BuildOrder
    from atip.registry.publish.settings import PublisherSettings
    from atip.registry.publish.signing.published import PublishedMetadata
    from atip.registry.publish.signing.role_keys import RoleKey
    from atip.system.stores.objects import ObjectStore

    Json = dict[str, Any]


class ResignReport(Value):
    """Result of signing."""

    place: str
    root: int
    """Version of the root in force."""
    timestamp: int
    expires: str
    rotated: str
    written: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        return {
            "place": self.place,
            "root": self.root,
            "timestamp": self.timestamp,
            "expires": self.expires,
            "rotated": self.rotated or None,
            "written": list(self.written),
        }


def resign(order: BuildOrder, *, rotate: str = "", renew_root: bool = False) -> ResignReport:
    """Sign the metadata of a place again.

    Args:
        rotate: role whose keys are replaced by new ones; the old ones move to `retired/`.
        renew_root: the root gets a new version with a new expiry.

    Raises:
        NotFoundError: `publish.no-root`, `publish.keys-missing`, `publish.nothing`.
        TrustError: `publish.foreign`.
    """
    settings = load_publisher_settings(order.folder)
    folder = order.keys or ""
    store = open_store(order.place, headers_for)
    # Before any key moves: what is published must be ours.
    chain = roots.load_roots(folder)
    if not chain:
        raise NotFoundError(
            "publish.no-root", f"`{folder}` has no root metadata", hint="build it first"
        )
    load_published(store, chain[-1], chain[:-1])
    keys = _new_keys(folder, settings, order.at, rotate, renew_root)
    chain = roots.load_roots(folder)
    published = load_published(store, chain[-1], chain[:-1])
    if published.targets is None:
        raise NotFoundError("publish.nothing", f"nothing is published at `{order.place}`")
    release = Release(at=order.at, lifetimes_s=settings.lifetimes_s, keys=keys)
    files: dict[str, bytes] = {}
    meta = dict(published.snapshot)
    if rotate == "bins":
        _resign_bins(store, published, release, meta, files)
    write_targets(published.bits, published.targets["targets"], meta, files, published, release)
    timestamp = write_snapshot(meta, files, published, release)
    if timestamp is None:
        timestamp = timestamp_file(published, published.timestamp_meta, release)
    put_roots(store, chain)
    store.put_many(files.items())
    store.put(tree.TIMESTAMP, timestamp, expected=published.timestamp_tag)
    remember_timestamp(order, store, published.timestamp_data, timestamp)
    return ResignReport(
        place=store.place,
        root=len(chain),
        timestamp=published.timestamp_version + 1,
        expires=release.expires("timestamp"),
        rotated=rotate,
        written=(*sorted(files), tree.TIMESTAMP),
    )


def _new_keys(
    folder: str, settings: PublisherSettings, at: float, rotate: str, renew_root: bool
) -> Sequence[RoleKey]:
    keys: Sequence[RoleKey] = load_role_keys(folder)
    if rotate == "bins":
        # Not in the root: the top-level targets name it.
        for key in keys:
            if key.role == "bins":
                retire(folder, key)
        make_role_keys(folder, ["bins"])
        return load_role_keys(folder)
    if rotate or renew_root:
        _root, keys = roots.next_root(folder, keys, settings, at, rotate)
    return keys


def _resign_bins(
    store: ObjectStore,
    published: PublishedMetadata,
    release: Release,
    meta: Json,
    files: dict[str, bytes],
) -> None:
    keys = signing_keys(release.keys, published.ids_of("bins", release.keys), 1)
    for name in tree.all_bins(published.bits):
        version = meta[f"{name}.json"]["version"]
        stored = store.find(tree.metadata_path(name, version), tree.MAX_INDEX)
        facts = meta[f"{name}.json"]
        # SECURITY: only what the signed snapshot names is signed again.
        if stored is None or file_record(stored.data, version) != facts:
            raise NotFoundError(
                "publish.damaged", f"`{name}` does not match the published snapshot"
            )
        body = roots.signed_part(stored.data)
        body |= {"version": version + 1, "expires": release.expires("targets")}
        data = signed_file(canonical(body), keys)
        files[tree.metadata_path(name, version + 1)] = data
        meta[f"{name}.json"] = file_record(data, version + 1)
