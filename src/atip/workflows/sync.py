"""Registries and the store: look up every stored tool in every remote registry, update the store, remove a registry.

Connects registries (`registry.remote.remotes`) with the metadata sources and the store (`discovery`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.model.value import Value
from atip.workflows.scan.machine import scan
from atip.workflows.scan.shims import open_shims

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from atip.registry.remote.sync import RegistrySyncReport
    from atip.workflows.host import Host


class SyncedRegistries(Value):
    """Result of `sync_registries`."""

    report: RegistrySyncReport
    changed: tuple[str, ...]
    """Tools whose stored description changed."""
    lost: tuple[str, ...] = ()
    """Those of them that no registry describes any more."""

    def to_json(self) -> dict[str, Any]:
        return {**self.report.to_json(), "changed": list(self.changed), "lost": list(self.lost)}


def sync_registries(
    host: Host, *, approve: Iterable[str] = (), prefetch: Sequence[str] = (), refresh: bool = True
) -> SyncedRegistries:
    """Look up every stored tool in every registry, and update the store.

    Args:
        approve: names or digests whose weaker descriptions are accepted.
        prefetch: names whose shims are fetched for every platform and version.

    Raises:
        FormatError: settings cannot be read.
    """
    from atip.registry.remote.sync import synchronise

    tools = host.store.load_index()["tools"]
    digests = {
        name: str(entry["hash"]).lower() for name, entry in tools.items() if _has_hash(entry)
    }
    approved = frozenset(digests.get(item, item) for item in approve)
    with open_shims(host, refresh=refresh, approve=approved) as shims:
        report = synchronise(shims, _lookup_requests(host, digests, tools), prefetch=prefetch)
    changed = [
        name
        for name, digest in digests.items()
        if _is_outdated(tools[name], report.answers.get(digest), digest in report.fetched)
    ]
    if changed:
        _learn_again(host, changed, tools)
    unanswered = tuple(sorted(name for name in changed if digests[name] not in report.answers))
    return SyncedRegistries(report=report, changed=tuple(sorted(changed)), lost=unanswered)


def _lookup_requests(
    host: Host, digests: Mapping[str, str], tools: Mapping[str, Any]
) -> list[tuple[str, str, bool]]:
    from atip.discovery.sources.stored_sources import is_private

    def real(entry: Any) -> str:
        return str((entry.get("x-atip") or {}).get("realPath") or entry.get("path", ""))

    return [
        (name, digest, is_private(real(tools[name]), host.places.home))
        for name, digest in digests.items()
    ]


def _has_hash(entry: Any) -> bool:
    from atip.registry.tree import is_hex_digest

    digest = str(entry.get("hash", "")).lower() if isinstance(entry, dict) else ""
    return digest.startswith("sha256:") and is_hex_digest(digest[7:])


def _is_outdated(entry: dict[str, Any], registry: str | None, fetched: bool) -> bool:
    """Whether the sources would now give another description than the stored one."""
    extension = entry.get("x-atip") or {}
    if extension.get("rung") in ("override", "native"):
        return False
    if registry is None:
        return "shimRegistry" in entry
    if extension.get("rung") == "shim" and "shimRegistry" not in entry:
        return False  # the user's own shim comes first
    return fetched or entry.get("shimRegistry") != registry


def _learn_again(host: Host, names: Sequence[str], tools: dict[str, Any]) -> None:
    from atip.discovery.scan import ScanOptions

    folders = dict.fromkeys(os.path.dirname(str(tools[name]["path"])) for name in names)
    scan(host, ScanOptions(paths=tuple(folders), only=tuple(names), refresh=True))


def remove_registry(host: Host, name: str) -> tuple[str, tuple[str, ...]]:
    """Remove a registry and all metadata from it; returns its address and the affected tools.

    Raises:
        NotFoundError: `registry.unknown`.
    """
    from atip.registry.remote.configuring import remove_registry as remove

    source = remove(name, host.places)
    tools = host.store.load_index()["tools"]
    names = [
        tool_name for tool_name, entry in tools.items() if entry.get("shimRegistry") == source.url
    ]
    if names:
        _learn_again(host, names, tools)
    return source.url, tuple(sorted(names))


def list_registries(host: Host) -> list[dict[str, Any]]:
    """Every configured registry in lookup order, with its stored state."""
    from atip.registry.remote.remotes import load_sources
    from atip.registry.remote.state import RegistryFiles
    from atip.registry.shims.cache import ShimCache
    from atip.system.clock import iso

    rows = []
    for source in load_sources(host.places):
        files = RegistryFiles(host.places, source)
        state = files.load_state()
        rows.append(
            {
                "name": source.name,
                "url": source.url,
                "priority": source.priority,
                "root": source.root,
                "lookup": source.lookup,
                "requireSignatures": source.require_signatures,
                "signers": [identity for identity, _ in source.signers]
                + [str(key.get("name", "")) for key in source.keys],
                "organization": source.organization,
                "shims": len(ShimCache(files.cache).digests()),
                "refreshed": iso(state.refreshed_at) if state.refreshed_at else None,
                "lastError": state.last_error or None,
            }
        )
    return rows


class Registries:
    """Remote registries of one user."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def list(self) -> Sequence[dict[str, Any]]:
        """Every configured registry in lookup order, with its stored state."""
        return list_registries(self._host)

    def sync(
        self, *, approve: Iterable[str] = (), prefetch: Sequence[str] = (), refresh: bool = True
    ) -> SyncedRegistries:
        """Look up every stored tool in every registry, and update the store; see `sync_registries`."""
        return sync_registries(self._host, approve=approve, prefetch=prefetch, refresh=refresh)

    def remove(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Remove a registry and all metadata from it; returns its address and the affected tools."""
        return remove_registry(self._host, name)
