"""Roots: the first one, the next one, and where they are kept.

The key folder holds every root as `N.root.json` beside the keys. That copy is the one we believe: a store that hands
us another root could otherwise have its own keys signed by ours. Root keys rotate by a new root that the old and the
new threshold sign (TUF 5.3).
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

from atip.errors import NotFoundError
from atip.model.reading.reader import STORE, read_json
from atip.registry.publish.signing.canonical import payload, signed_file
from atip.registry.publish.signing.role_keys import (
    ONLINE,
    generate_key,
    load_role_keys,
    make_role_keys,
    retire,
    save_role_keys,
    signing_keys,
)
from atip.system.clock import iso
from atip.system.files import make_private, read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.registry.publish.settings import PublisherSettings
    from atip.registry.publish.signing.role_keys import RoleKey

    Json = dict[str, Any]

TOP = ("root", "targets", "snapshot", "timestamp")
MAX_ROOT = 1_000_000
_BY_ROOT = [role for role in ONLINE if role != "bins"]


def load_roots(folder: str) -> list[bytes]:
    """The chain of roots of a key folder, from the first; empty when there is none."""
    chain: list[bytes] = []
    while True:
        path = os.path.join(folder, f"{len(chain) + 1}.root.json")
        if not os.path.exists(path):
            return chain
        chain.append(read_bytes(path, MAX_ROOT))


def signed_part(data: bytes) -> Json:
    """The signed part of a metadata file, as plain values. Checks nothing."""
    document: Any = read_json(data, STORE)
    part: Json = document["signed"]
    return part


def fingerprint(first_root: bytes) -> str:
    """The fingerprint that a client pins: `sha256:` of the first root's bytes."""
    return f"sha256:{hashlib.sha256(first_root).hexdigest()}"


def make_first_root(folder: str, settings: PublisherSettings, at: float) -> bytes:
    """Use the keys of the folder, make those that are missing, and write `1.root.json`."""
    existing = {key.name for key in load_role_keys(folder)}
    free = [f"root-{number}" for number in range(1, 100) if f"root-{number}" not in existing]
    missing = settings.root_keys - sum(name.startswith("root-") for name in existing)
    names = free[: max(missing, 0)] + [role for role in ONLINE if role not in existing]
    make_role_keys(folder, names)
    keys = load_role_keys(folder)
    roots = [key for key in keys if key.role == "root"]
    roles = {"root": {"keyids": _ids(roots), "threshold": settings.root_threshold}}
    for role in _BY_ROOT:
        roles[role] = {"keyids": _ids([key for key in keys if key.role == role]), "threshold": 1}
    public = {key.id: key.public for key in keys if key.role != "bins"}
    expires = iso(at + settings.lifetimes_s["root"])
    body = payload("root", 1, expires, consistent_snapshot=True, keys=public, roles=roles)
    data = signed_file(body, signing_keys(roots, _ids(roots), settings.root_threshold))
    _keep(folder, 1, data)
    return data


def next_root(
    folder: str, keys: Sequence[RoleKey], settings: PublisherSettings, at: float, rotate: str = ""
) -> tuple[bytes, list[RoleKey]]:
    """A new root: a longer life, and with `rotate` new keys for that role. Returns it with the keys now in use.

    All root keys are replaced when the root rotates; the threshold of the old ones must be here to sign.

    Raises:
        NotFoundError: `publish.no-root`, `publish.keys-missing`.
    """
    chain = load_roots(folder)
    if not chain:
        raise NotFoundError(
            "publish.no-root", f"`{folder}` has no root metadata", hint="build it first"
        )
    old = signed_part(chain[-1])
    # Everything is signed in memory before a key file moves.
    old_signers = signing_keys(keys, **_role_requirements(old))
    replaced = [key for key in keys if rotate and key.role == rotate]
    names = [rotate] if rotate != "root" else _root_names(old)
    new = [generate_key(name) for name in names] if rotate else []
    in_use = [key for key in keys if key not in replaced] + new
    data = _sign_next(old, in_use, old_signers, settings, at, rotate)
    for key in replaced:
        retire(folder, key)
    save_role_keys(folder, new)
    _keep(folder, len(chain) + 1, data)
    return data, in_use


def _root_names(root: Json) -> list[str]:
    return [f"root-{number + 1}" for number in range(len(root["roles"]["root"]["keyids"]))]


def _sign_next(
    old: Json,
    keys: Sequence[RoleKey],
    old_signers: Sequence[RoleKey],
    settings: PublisherSettings,
    at: float,
    rotate: str,
) -> bytes:
    roles = {name: dict(old["roles"][name]) for name in TOP}
    if rotate in TOP:
        roles[rotate]["keyids"] = _ids([key for key in keys if key.role == rotate])
    at_hand = {key.id: key.public for key in keys}
    key_ids = {identifier for role in roles.values() for identifier in role["keyids"]}
    public = {key_id: at_hand.get(key_id) or old["keys"][key_id] for key_id in key_ids}
    expires = iso(at + settings.lifetimes_s["root"])
    body = payload(
        "root", old["version"] + 1, expires, consistent_snapshot=True, keys=public, roles=roles
    )
    new_signers = signing_keys(keys, roles["root"]["keyids"], roles["root"]["threshold"])
    both = {key.id: key for key in (*old_signers, *new_signers)}
    return signed_file(body, [both[key_id] for key_id in sorted(both)])


def _role_requirements(root: Json) -> dict[str, Any]:
    role = root["roles"]["root"]
    return {"ids_allowed": role["keyids"], "threshold": role["threshold"]}


def _ids(keys: Sequence[RoleKey]) -> list[str]:
    return sorted(key.id for key in keys)


def _keep(folder: str, version: int, data: bytes) -> None:
    make_private(folder)
    write_atomic(os.path.join(folder, f"{version}.root.json"), data, mode=0o644)
