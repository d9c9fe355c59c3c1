"""Registries and the store: the rung of the ladder that asks registries, and `registry sync`.

Where the workflow meets: registries (`registry.remotes`) on one side, the ladder and the store (`discovery`, by way of
the Toolbox) on the other. Without a configured registry nothing here is loaded.
"""

from __future__ import annotations

import os

from atip.model.value import Value
from atip.registry.settings import has_registries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import ExitStack
    from typing import Any

    from atip.discovery.ladder import Asker
    from atip.registry.remotes import RemoteShims
    from atip.registry.sync import SyncReport
    from atip.system.paths import Places
    from atip.toolbox import Toolbox


class Synced(Value):
    """What `sync_registries` did."""

    report: SyncReport
    changed: tuple[str, ...]
    """Tools whose stored description is new."""

    def to_json(self) -> dict[str, Any]:
        return {**self.report.to_json(), "changed": list(self.changed)}


def open_shims(box: Toolbox, **options: Any) -> RemoteShims:
    """A session with all registries of a user; `options` as in `registry.remotes.make_asking`.

    Raises:
        FormatError: settings or an organisation's policy cannot be read.
    """
    from atip.registry.remotes import RemoteShims, load_sources, make_asking

    asking = make_asking(
        box.places, offline=box.offline, policy_requires=_policy_requires(box), **options
    )
    return RemoteShims(load_sources(box.places), box.places, asking)


def _policy_requires(box: Toolbox) -> bool:
    """The strictest word on signatures wins (A25): a policy's counts for every registry."""
    from atip.registry.policies import load_policies

    policies = load_policies(box.places, os.getcwd(), preset=box.policy)
    return any(policy.trust is not None and policy.trust.signatures for policy in policies)


def shim_askers(box: Toolbox, stack: ExitStack) -> list[Asker]:
    """Who is asked for shims besides the user's own folder, in order: signed ones of the system, the project's, those of
    registries, unsigned ones of the system (0.1 §5.1). `stack` ends the session with the registries."""
    from atip.discovery.askers import RegistryAsker, ShimFolderAsker

    places = box.places
    system = [folder for folder in places.system if os.path.isdir(folder)]
    askers: list[Asker] = []
    if system:
        askers.append(ShimFolderAsker(system, _signature_check(places)))
    if places.project:
        askers.append(ShimFolderAsker([places.project]))
    if has_registries(places):
        shims = stack.enter_context(open_shims(box, unbidden=True))
        stack.callback(lambda: box.notices.extend(_notices(shims)))
        if shims.registries:
            askers.append(RegistryAsker(shims.find_or_warn, places.home))
    if system:
        askers.append(ShimFolderAsker(system))
    return askers


def _notices(shims: RemoteShims) -> list[str]:
    """What a person should know about a session that nobody asked for; once per registry and kind."""
    found = {
        (name, error.code): f"{name}: {error.message} [{error.code}]"
        for name, _, error in shims.problems
    }
    for registry in shims.registries:
        for digest in registry.acceptance.waiting:
            told = f"{registry.source.name}: a description now warns of less; `atip registry sync` shows it"
            found[(registry.source.name, digest)] = told
    return list(found.values())


def _signature_check(places: Places) -> Callable[[bytes, bytes], bool]:
    """Whether a signer or key of the user's `trust.json` has signed a shim's bytes."""

    def is_signed(shim: bytes, bundle: bytes) -> bool:
        from atip.registry.shim_check import verify_signature_of
        from atip.verifying import Asked, load_trust_policy

        return bool(verify_signature_of(shim, bundle, load_trust_policy(places, Asked())))

    return is_signed


def sync_registries(
    box: Toolbox,
    *,
    approve: Iterable[str] = (),
    prefetch: Sequence[str] = (),
    refresh: bool = True,
) -> Synced:
    """Look up everything known in every registry, and let the store know.

    Args:
        approve: names or digests whose weaker descriptions may be taken over.
        prefetch: names whose shims are fetched for every platform and version.

    Raises:
        FormatError: settings cannot be read.
    """
    from atip.registry.sync import synchronise

    tools = box.store.load_index()["tools"]
    digests = {
        name: str(entry["hash"]).lower() for name, entry in tools.items() if _has_hash(entry)
    }
    wanted = frozenset(digests.get(one, one) for one in approve)
    with open_shims(box, refresh=refresh, approve=wanted) as shims:
        report = synchronise(shims, _asked(box, digests, tools), prefetch=prefetch)
    changed = [
        name
        for name, digest in digests.items()
        if _is_outdated(tools[name], report.found.get(digest), digest in report.fetched)
    ]
    if changed:
        _learn_again(box, changed, tools)
    return Synced(report=report, changed=tuple(sorted(changed)))


def _asked(
    box: Toolbox, digests: Mapping[str, str], tools: Mapping[str, Any]
) -> list[tuple[str, str, bool]]:
    from atip.discovery.askers import is_private

    def real(entry: Any) -> str:
        return str((entry.get("x-atip") or {}).get("realPath") or entry.get("path", ""))

    return [
        (name, digest, is_private(real(tools[name]), box.places.home))
        for name, digest in digests.items()
    ]


def _has_hash(entry: Any) -> bool:
    from atip.registry.tree import is_hex_digest

    digest = str(entry.get("hash", "")).lower() if isinstance(entry, dict) else ""
    return digest.startswith("sha256:") and is_hex_digest(digest[7:])


def _is_outdated(entry: dict[str, Any], registry: str | None, fetched: bool) -> bool:
    """Whether the stored description is not what the ladder would now give."""
    own = entry.get("x-atip") or {}
    if own.get("rung") in ("override", "native"):
        return False
    if registry is None:
        return "shimRegistry" in entry
    if own.get("rung") == "shim" and "shimRegistry" not in entry:
        return False  # the user's own shim comes first
    return fetched or entry.get("shimRegistry") != registry


def _learn_again(box: Toolbox, names: Sequence[str], tools: dict[str, Any]) -> None:
    from atip.discovery.scan import ScanOptions

    folders = dict.fromkeys(os.path.dirname(str(tools[name]["path"])) for name in names)
    box.scan(ScanOptions(paths=tuple(folders), only=tuple(names), refresh=True))


def remove_registry(box: Toolbox, name: str) -> tuple[str, tuple[str, ...]]:
    """Forget a registry and everything that it said; returns its address and the tools concerned.

    Raises:
        NotFoundError: `registry.unknown`.
    """
    from atip.registry.configuring import remove_registry as remove

    source = remove(name, box.places)
    tools = box.store.load_index()["tools"]
    names = [one for one, entry in tools.items() if entry.get("shimRegistry") == source.url]
    if names:
        _learn_again(box, names, tools)
    return source.url, tuple(sorted(names))


def list_registries(box: Toolbox) -> list[dict[str, Any]]:
    """Every configured registry, in the order in which they are asked, with what is remembered of it."""
    from atip.registry.cache import ShimCache
    from atip.registry.remote_state import RegistryFiles
    from atip.registry.remotes import load_sources
    from atip.system.clock import iso

    found = []
    for source in load_sources(box.places):
        files = RegistryFiles(box.places, source)
        state = files.load_state()
        found.append(
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
    return found
