"""Edit `registries.json`: preview a registry, add it, remove it.

Adding pins the TUF root by its fingerprint, and the signers that the registry lists. The user confirmed or provided
both; later answers of the registry change neither (docs/concepts/registries.md).
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.errors import NotFoundError, TrustError, UsageError
from atip.model.value import Value
from atip.registry import tree
from atip.registry.remote.documents import read_manifest
from atip.registry.remote.remote import RemoteRegistry
from atip.registry.remote.session_options import RegistrySessionOptions
from atip.registry.remote.sources import DEFAULT_PRIORITY, parse_source
from atip.registry.remote.state import FOLDER, RegistryFiles
from atip.registry.remote.sync import fetch_policy
from atip.registry.remote.tuf_client import fetch_first_root, read_root
from atip.registry.settings import FILES, load_settings
from atip.system.files import locked, make_private, read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.registry.remote.sources import RegistrySource
    from atip.registry.remote.tuf_client import RootSummary
    from atip.system.paths import Places


class AddRequest(Value):
    """Options for adding a registry; empty: not set."""

    url: str
    name: str = ""
    priority: int = DEFAULT_PRIORITY
    require_signatures: bool = False
    signers: tuple[tuple[str, str], ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    """(type, file)"""
    token_env_var: str = ""
    root_file: str = ""
    """The root, obtained out of band."""
    fingerprint: str = ""
    lookup: str = ""
    names: tuple[str, ...] = ()
    private: bool = False
    organization: bool = False


class RegistryPreview(Value):
    """A registry as found at its address, to be confirmed."""

    entry: Mapping[str, Any]
    """Entry that would be written to `registries.json`."""
    title: str
    root: RootSummary | None
    """None: the registry has no signed index."""
    root_bytes: bytes
    confirmed: bool
    """The fingerprint is the one that was given, or the root was."""
    offered_signers: tuple[tuple[str, str], ...]
    """Signers that only the registry lists; added to `entry` after confirmation."""


def preview_registry(
    request: AddRequest, places: Places, *, offline: bool = False
) -> RegistryPreview:
    """Fetch root and manifest; change nothing.

    Raises:
        FetchError, TrustError, FormatError: it cannot be read, or does not match the request.
    """
    entry = _entry(request)
    source = parse_source(entry, {})
    with RemoteRegistry(source, places, RegistrySessionOptions(offline=offline)) as registry:
        root = _root(registry, request)
        summary = read_root(root) if root else None
        if request.fingerprint and (summary is None or summary.fingerprint != request.fingerprint):
            actual = f"root {summary.fingerprint}" if summary is not None else "no signed index"
            raise TrustError(
                "registry.root",
                f"the registry has {actual}, not root {request.fingerprint[:80]}",
                hint="compare the fingerprint with the registry's owner",
            )
        answer = registry.fetcher.get(tree.MANIFEST, tree.MAX_INDEX)
        manifest = read_manifest(answer.body) if answer is not None else {}
        by_hash = summary is None and registry.sends_hashes()
    trust = manifest.get("trust") or {}
    signers = tuple(
        (signer["identity"], signer.get("issuer", "")) for signer in trust.get("signers") or ()
    )
    if summary is not None:
        entry["root"] = summary.fingerprint
        entry.pop("lookup", None)
    elif not request.lookup:
        entry["lookup"] = "hash" if by_hash else "catalog"
    title = str((manifest.get("registry") or {}).get("name") or source.url)
    entry["name"] = request.name or title
    return RegistryPreview(
        entry=entry,
        title=title,
        root=summary,
        root_bytes=root or b"",
        confirmed=bool(request.fingerprint or request.root_file),
        offered_signers=() if request.signers or request.keys else signers,
    )


def _root(registry: RemoteRegistry, request: AddRequest) -> bytes | None:
    if request.root_file:
        return read_bytes(request.root_file, tree.MAX_INDEX)
    return fetch_first_root(registry.fetcher.fetch, registry.source.url)


def _entry(request: AddRequest) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": request.name or request.url, "url": request.url.rstrip("/")}
    if request.priority != DEFAULT_PRIORITY:
        entry["priority"] = request.priority
    if request.require_signatures:
        entry["requireSignatures"] = True
    if request.signers:
        entry["signers"] = [_signer(signer) for signer in request.signers]
    if request.keys:
        entry["keys"] = [
            {"type": kind, "file": os.path.abspath(path), "name": os.path.basename(path)}
            for kind, path in request.keys
        ]
    if request.token_env_var:
        entry["auth"] = {"type": "bearer", "tokenEnvVar": request.token_env_var}
    for field in ("lookup", "private", "organization"):
        if getattr(request, field):
            entry[field] = getattr(request, field)
    if request.names:
        entry["names"] = list(request.names)
    return entry


def _signer(signer: tuple[str, str]) -> dict[str, str]:
    return {"identity": signer[0], "issuer": signer[1]}


def add_registry(
    preview: RegistryPreview, places: Places, *, adopt_signers: bool
) -> dict[str, Any]:
    """Write a confirmed registry into `registries.json`; returns its entry. An organization's policy is in force with it.

    Raises:
        UsageError: `registry.known` when its name or address is taken.
        FetchError, TrustError, FormatError: an organization's policy cannot be had; nothing was added.
    """
    entry = dict(preview.entry)
    if adopt_signers and preview.offered_signers:
        entry["signers"] = [_signer(signer) for signer in preview.offered_signers]
    _refuse_known(entry, load_settings(places, "registries").get("registries") or ())
    source = parse_source(entry, {})
    if source.organization:
        # SECURITY: before the entry, so that the registry never counts without its policy.
        _adopt_policy(source, preview.root_bytes, places)

    def change(entries: list[dict[str, Any]]) -> None:
        _refuse_known(entry, entries)
        entries.append(entry)

    _change(places, change)
    if preview.root_bytes:
        files = RegistryFiles(places, source)
        files.write(files.root, preview.root_bytes)
    return entry


def _refuse_known(entry: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]) -> None:
    for existing in entries:
        if existing["url"].rstrip("/") == entry["url"] or existing["name"] == entry["name"]:
            raise UsageError(
                "registry.known",
                f"`{existing['name']}` ({existing['url']}) is already configured",
                hint="choose another --name, or `atip registry remove` it first",
            )


def _adopt_policy(source: RegistrySource, root: bytes, places: Places) -> None:
    """Fetch, verify and store the organization's policy; what a failure leaves behind is removed."""
    files = RegistryFiles(places, source)
    is_new = not os.path.lexists(files.data)
    try:
        if root:
            files.write(files.root, root)
        with RemoteRegistry(source, places, RegistrySessionOptions(refresh=True)) as registry:
            if not fetch_policy(registry):
                raise NotFoundError(
                    "registry.no-policy",
                    f"`{source.name}` has no policy.json to put in force; not added",
                    hint="ask its owner to publish one, or add it without --organization",
                )
    except BaseException:
        if is_new:
            _forget_files(source, places)
        raise


def remove_registry(name: str, places: Places) -> RegistrySource:
    """Remove a registry by name or address: its entry, its metadata, and the recorded versions.

    Raises:
        NotFoundError: `registry.unknown`.
    """
    removed: list[RegistrySource] = []

    def change(entries: list[dict[str, Any]]) -> None:
        for entry in [*entries]:
            if name.rstrip("/") in (entry["name"], entry["url"].rstrip("/")):
                entries.remove(entry)
                removed.append(parse_source(entry, {}))
        if not removed:
            configured = ", ".join(entry["name"] for entry in entries) or "none"
            raise NotFoundError(
                "registry.unknown", f"no registry `{name[:80]}`", hint=f"configured: {configured}"
            )

    _change(places, change)
    for source in removed:
        _forget_files(source, places)
    return removed[0]


def _forget_files(source: RegistrySource, places: Places) -> None:
    import shutil

    for folder in (places.data, places.cache):
        shutil.rmtree(os.path.join(folder, FOLDER, source.id), ignore_errors=True)


def _change(places: Places, change: Any) -> None:
    make_private(places.config)
    with locked(os.path.join(places.config, ".lock")):
        settings = load_settings(places, "registries")
        entries = [dict(registry) for registry in settings.get("registries") or ()]
        change(entries)
        document = {**settings, "registries": entries}
        path = os.path.join(places.config, FILES["registries"])
        write_atomic(path, json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n")
