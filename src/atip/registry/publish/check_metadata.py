"""Check the TUF metadata of a tree with the client's own code, and that it and the files agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import AtipError
from atip.registry import tree
from atip.registry.publish.signing.canonical import file_record
from atip.registry.publish.signing.roots import signed_part
from atip.registry.remote.tuf_client import MAX_ROOT, SeenVersions, SignedIndex, read_root
from atip.system.clock import from_iso
from atip.system.scratch import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.system.stores.objects import ObjectStore

    Add = Callable[..., None]
    """Path, code, message, severity."""

BASE = "https://registry.invalid"
_SOON_S = 14 * 86400.0


def check_metadata(store: ObjectStore, sizes: Mapping[str, int], at: float, add: Add) -> bool:
    """Whether the tree has metadata at all; what is wrong with it is added."""
    if not any(key.startswith(f"{tree.TUF}/") for key in sizes):
        add(tree.TUF, "registry.no-tuf", "the tree has no signed metadata", "warning")
        return False

    def fetch(url: str, max_bytes: int) -> bytes | None:
        stored = store.find(url.removeprefix(f"{BASE}/"), max_bytes)
        return stored.data if stored is not None else None

    root = fetch(f"{BASE}/{tree.FIRST_ROOT}", MAX_ROOT)
    if root is None:
        add(tree.FIRST_ROOT, "registry.missing", "the first root does not exist")
        return True
    try:
        with scratch_folder() as folder:
            read_root(root)
            index = SignedIndex(folder, BASE, root, fetch=fetch, now=at, seen=SeenVersions())
            index.refresh()
            _check_newest_root(store, at, add)
            _check_files(index, store, sizes, add)
    except AtipError as error:
        add(tree.TUF, error.code, error.message)
    return True


def _check_newest_root(store: ObjectStore, at: float, add: Add) -> None:
    """The copy for people is the newest of the chain; a root that ends soon has to be renewed."""
    copy = store.find(tree.ROOT, MAX_ROOT)
    version, newest = 1, store.find(tree.FIRST_ROOT, MAX_ROOT)
    while (later := store.find(tree.metadata_path("root", version + 1), MAX_ROOT)) is not None:
        version, newest = version + 1, later
    if newest is None or copy is None or copy.data != newest.data:
        add(tree.ROOT, "registry.root", "is not a copy of the newest root", "warning")
        return
    end = from_iso(read_root(newest.data).expires)
    if end is not None and end - at < _SOON_S:
        text = "expires in less than two weeks; renew it with `atip registry sign --renew-root`"
        add(tree.ROOT, "registry.expires-soon", text, "warning")


def _check_files(
    index: SignedIndex, store: ObjectStore, sizes: Mapping[str, int], add: Add
) -> None:
    paths = set(index.paths()) | _listed_in_bins(store, add)
    for key in sorted(sizes):
        is_signature = key.endswith(".json.bundle")
        if key.startswith(f"{tree.TUF}/") or key == tree.COVERAGE or is_signature:
            continue
        target = index.find(key)
        if target is None:
            add(key, "registry.unlisted", "is not listed in the signed metadata")
            continue
        _check_file(store, key, target, sizes, add)
    for key in sorted(paths - sizes.keys()):
        add(key, "registry.missing", "is listed in the signed metadata but does not exist")


def _check_file(
    store: ObjectStore, key: str, target: Any, sizes: Mapping[str, int], add: Add
) -> None:
    stored = store.find(key, max(sizes[key], 1))
    signature = store.find(f"{key}.bundle", tree.MAX_BUNDLE) if key.startswith(tree.SHIMS) else None
    try:
        if stored is not None:
            target.verify(stored.data)
        if signature is not None and not target.bundle_sha256:
            add(f"{key}.bundle", "registry.unlisted", "is not listed in the signed metadata")
        elif target.bundle_sha256:
            target.verify_bundle(signature.data if signature is not None else b"")
    except AtipError as error:
        add(key, error.code, error.message)


def _listed_in_bins(store: ObjectStore, add: Add) -> set[str]:
    """Every path that a bin in force lists."""
    timestamp = store.find(tree.TIMESTAMP, tree.MAX_INDEX)
    if timestamp is None:
        return set()
    version = signed_part(timestamp.data)["meta"]["snapshot.json"]["version"]
    snapshot = store.find(tree.metadata_path("snapshot", version), tree.MAX_INDEX)
    if snapshot is None:
        return set()
    meta = signed_part(snapshot.data)["meta"]
    targets = store.find(
        tree.metadata_path("targets", meta["targets.json"]["version"]), tree.MAX_INDEX
    )
    bits = (
        signed_part(targets.data)["delegations"]["succinct_roles"]["bit_length"] if targets else 1
    )
    paths: set[str] = set()
    for name in tree.all_bins(bits):
        facts = meta.get(f"{name}.json", {})
        path = tree.metadata_path(name, facts.get("version", 0))
        stored = store.find(path, tree.MAX_INDEX)
        if stored is None:
            add(path, "tuf.missing", "a bin does not exist")
            continue
        if file_record(stored.data, facts["version"]) != facts:
            add(path, "tuf.mismatch", "does not match the snapshot")
            continue
        paths.update(signed_part(stored.data)["targets"])
    return paths
