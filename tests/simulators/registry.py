"""A whole published registry in memory: shims, signatures, indexes, TUF metadata; and the same served on loopback.

    registry = RegistrySimulator(); registry.add(shim); registry.publish()
    with registry.serve() as server: …

Written with python-tuf's own metadata classes, so the client is tested against the reference, not against itself.
`files` is what a client may fetch; a test attacks by changing it.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from typing import Any

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (
    Delegations,
    Metadata,
    MetaFile,
    Root,
    Snapshot,
    SuccinctRoles,
    TargetFile,
    Targets,
    Timestamp,
)

from atip.registry import tree
from tests.simulators.fault_server import FaultServer, Request, body, head, status

START = datetime.datetime(2026, 11, 16, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)


def shim_of(digest: str, name: str = "frob", **fields: Any) -> dict[str, Any]:
    """A small valid shim."""
    return {
        "atip": {"version": "0.6"},
        "name": name,
        "version": "1.0.0",
        "description": f"Does what {name} does",
        "binary": {"hash": digest, "name": name, "version": "1.0.0", "platform": "linux-amd64"},
        "trust": {"source": "community", "verified": False},
        "commands": {"go": {"description": "Goes", "effects": {"network": True, "destructive": True}}},
        **fields,
    }  # fmt: skip


def digest_for(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


class RegistrySimulator:
    def __init__(self, *, bits: int = 1, now: datetime.datetime | None = None, tuf: bool = True):
        self.now = now or datetime.datetime.now(datetime.UTC).replace(microsecond=0)
        self.bits = bits
        self.has_tuf = tuf
        self.files: dict[str, bytes] = {}
        self.types: dict[str, str] = {}
        self.keys = {
            role: CryptoSigner.generate_ed25519()
            for role in ("root", "root2", "timestamp", "snapshot", "targets", "bins")
        }
        self.versions = {"root": 0, "timestamp": 0, "snapshot": 0, "targets": 0}
        self.lifetime = DAY
        self.bundles_pinned = True
        self._meta: dict[str, MetaFile] = {}
        self._bins: dict[str, dict[str, Any]] = {}
        if tuf:
            self.publish_root()

    # -- content ----------------------------------------------------------------------------------

    def add(self, shim: dict[str, Any] | bytes, bundle: bytes | None = None) -> str:
        """Put a shim (and its signature) into the tree; returns the binary's digest."""
        data = shim if isinstance(shim, bytes) else json.dumps(shim).encode()
        digest = str(json.loads(data)["binary"]["hash"])
        self.files[tree.shim_path(digest)] = data
        if bundle is not None:
            self.files[tree.bundle_path(digest)] = bundle
        return digest

    def put(self, path: str, document: Any) -> None:
        self.files[path] = json.dumps(document).encode()

    def put_manifest(self, url: str = "https://registry.example", **trust: Any) -> None:
        self.put(
            tree.MANIFEST,
            {
                "atip": {"version": "0.6"},
                "registry": {"name": "Simulated", "url": url, "type": "static", "version": "1"},
                "endpoints": {
                    "shims": "/shims/sha256/{hash}.json",
                    "signatures": "/shims/sha256/{hash}.json.bundle",
                    "catalog": "/shims/index.json",
                },
                "trust": trust,
            },
        )

    def put_catalog(self) -> None:
        tools: dict[str, Any] = {}
        for path, data in self.files.items():
            digest = tree.digest_of_shim_path(path)
            if digest:
                binary = json.loads(data)["binary"]
                entry = tools.setdefault(binary["name"], {"versions": {}})
                entry["versions"].setdefault(binary["version"], {})[f"{binary['platform']}"] = (
                    digest
                )
        total = sum(len(v) for t in tools.values() for v in t["versions"].values())
        self.put(
            tree.CATALOG,
            {
                "version": "1",
                "updated": "2026-01-15T00:00:00Z",
                "tools": tools,
                "totalShims": total,
            },
        )

    # -- metadata ---------------------------------------------------------------------------------

    def publish(self) -> None:
        """Sign what is in the tree: bins, targets, snapshot, timestamp."""
        if not self.has_tuf:
            return
        bins: dict[str, dict[str, TargetFile]] = {name: {} for name in tree.all_bins(self.bits)}
        top: dict[str, TargetFile] = {}
        for path, data in self.files.items():
            if path.startswith("tuf/") or path.endswith(".bundle"):
                continue
            target = TargetFile.from_data(path, data, ["sha256"])
            if tree.digest_of_shim_path(path) is None:
                top[path] = target
                continue
            bundle = self.files.get(f"{path}.bundle")
            if bundle is not None and self.bundles_pinned:
                pinned = {"length": len(bundle), "sha256": hashlib.sha256(bundle).hexdigest()}
                target.unrecognized_fields["custom"] = {"bundle": pinned}
            bins[tree.bin_of(path, self.bits)][path] = target
        for name, targets in bins.items():
            listed = {path: target.to_dict() for path, target in targets.items()}
            if self._bins.get(name) != listed:
                self._bins[name] = listed
                self._write_targets(name, Targets(targets=targets), "bins")
        key = self.keys["bins"].public_key
        roles = SuccinctRoles([key.keyid], 1, self.bits, tree.BIN_PREFIX)
        delegations = Delegations({key.keyid: key}, None, roles)
        self._write_targets("targets", Targets(targets=top, delegations=delegations), "targets")
        self.publish_snapshot()
        self.publish_timestamp()

    def publish_root(self) -> None:
        self.versions["root"] += 1
        root = Root(version=self.versions["root"], expires=self.now + 365 * DAY)
        for role in ("root", "timestamp", "snapshot", "targets"):
            root.add_key(self.keys[role].public_key, role)
        root.add_key(self.keys["root2"].public_key, "root")
        root.roles["root"].threshold = 2
        metadata = Metadata(root)
        metadata.sign(self.keys["root"])
        metadata.sign(self.keys["root2"], append=True)
        data = metadata.to_bytes()
        self.files[tree.metadata_path("root", self.versions["root"])] = data
        self.files[tree.ROOT] = data

    def publish_snapshot(self) -> None:
        self.versions["snapshot"] += 1
        snapshot = Snapshot(
            version=self.versions["snapshot"], expires=self.now + 30 * DAY, meta=dict(self._meta)
        )
        self._sign(snapshot, "snapshot", tree.metadata_path("snapshot", snapshot.version))

    def publish_timestamp(self, snapshot: int | None = None) -> None:
        self.versions["timestamp"] += 1
        version = snapshot or self.versions["snapshot"]
        data = self.files[tree.metadata_path("snapshot", version)]
        meta = MetaFile.from_data(version, data, ["sha256"])
        timestamp = Timestamp(
            version=self.versions["timestamp"], expires=self.now + self.lifetime, snapshot_meta=meta
        )
        self._sign(timestamp, "timestamp", tree.TIMESTAMP)

    def _write_targets(self, name: str, targets: Targets, role: str) -> None:
        targets.version = (
            self._meta[f"{name}.json"].version if f"{name}.json" in self._meta else 0
        ) + 1
        targets.expires = self.now + 90 * DAY
        path = tree.metadata_path(name, targets.version)
        self._sign(targets, role, path)
        self._meta[f"{name}.json"] = MetaFile.from_data(
            targets.version, self.files[path], ["sha256"]
        )

    def _sign(self, signed: Any, role: str, path: str) -> None:
        metadata = Metadata(signed)
        metadata.sign(self.keys[role])
        self.files[path] = metadata.to_bytes()

    @property
    def fingerprint(self) -> str:
        return "sha256:" + hashlib.sha256(self.files[tree.FIRST_ROOT]).hexdigest()

    # -- serving ----------------------------------------------------------------------------------

    def serve(self, *, headers: dict[str, str] | None = None, token: str = "") -> FaultServer:
        """The tree on loopback; answers conditional requests; with `token`, only to those who have it."""

        def script(connection: Any, request: Request) -> None:
            if token and request.headers.get("authorization") != f"Bearer {token}":
                return status(401)(connection, request)
            path = request.path.lstrip("/")
            data = self.files.get(path)
            if data is None:
                return status(404)(connection, request)
            etag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
            extra = {
                "etag": etag,
                "content-type": self.types.get(path, tree.MEDIA_TYPE),
                **(headers or {}),
            }
            if request.headers.get("if-none-match") == etag:
                connection.sendall(head(304, {"content-length": "0", **extra}))
                return None
            named = {name.replace("-", "_"): value for name, value in extra.items()}
            return body(data, **named)(connection, request)

        return FaultServer(script)
