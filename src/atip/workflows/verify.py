"""Verify a local file: read it, the files beside it and the user's trust settings, then apply the procedure of `trust`.

Connects files (`system`) and `trust.json` (`registry.settings`) with the pure procedure. Opens no socket unless
`fetch` is set: otherwise a document referenced by URL counts only when it is already stored locally (A26). The
signature of a description comes from the cache of its registry, and is checked against that registry's signers.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.errors import FetchError, TrustError
from atip.system.digests import sha256_hex
from atip.system.files import read_bytes
from atip.trust.options import MAX_FILE, MAX_SIDECAR, PROVENANCES, SIGNATURES, VerifyOptions

if TYPE_CHECKING:
    from atip.model.tool import Tool
    from atip.model.verdict import Verdict
    from atip.system.paths import Places
    from atip.trust.expected import TrustPolicy
    from atip.trust.procedure import Materials


def verify_file(
    path: str,
    places: Places,
    *,
    options: VerifyOptions | None = None,
    tool: Tool | None = None,
    offline: bool = False,
    digest: str = "",
) -> Verdict:
    """Return the verdict on one file; `tool` is its metadata, or None.

    Raises:
        NotFoundError: `file.not-found`.
        FormatError: `trust.policy` or `format.…` when the user's trust settings cannot be read.
        TrustError: `trust.missing-extra`.
    """
    from atip.trust.procedure import Materials, verify_tool

    options = options or VerifyOptions()
    signature, kind = _signature(path, options)
    provenance = options.provenance or _find_sibling(path, PROVENANCES)
    attestation = read_bytes(provenance, MAX_SIDECAR) if provenance else None
    if attestation is None and options.fetch:
        attestation = fetch_attestation(tool, offline=offline)
    materials = Materials(
        binary=_read_binary(path, digest),
        signature=read_bytes(signature, MAX_SIDECAR) if signature else None,
        signature_kind=kind,
        provenance=attestation,
    )
    name = tool.name if tool is not None else os.path.basename(path)
    signed, shim_policy, is_own = _signed_description(materials, places, name)
    return verify_tool(
        signed, is_own or tool, load_trust_policy(places, options, name), shim_policy=shim_policy
    )


def _read_binary(path: str, digest: str) -> bytes:
    """Read the file; with a digest, raise when the bytes differ."""
    data = read_bytes(path, MAX_FILE)
    if digest and digest != f"sha256:{sha256_hex(data)}":
        raise TrustError(
            "trust.file-changed", f"`{path}` changed while it was being verified; try again"
        )
    return data


def _signed_description(
    materials: Materials, places: Places, name: str
) -> tuple[Materials, TrustPolicy | None, Tool | None]:
    """The description as received from a registry, with its signature and that registry's trust policy; offline."""
    from atip.registry.settings import has_registries

    if not has_registries(places):
        return materials, None, None
    from atip.registry.remote.remotes import find_signed
    from atip.registry.shims.check import kind_of, read_shim, shim_policy

    digest = f"sha256:{sha256_hex(materials.binary)}"
    signed = find_signed(places, digest, name)
    if signed is None:
        return materials, None, None
    source, cached = signed
    kind = kind_of(cached.bundle) if cached.bundle is not None else ""
    policy = shim_policy(source, required=source.require_signatures)
    if cached.bundle is not None and not (policy.signers or policy.keys):
        # No signer is configured: the signature cannot be checked.
        return materials, None, None
    full = materials.replace(shim=cached.shim, shim_signature=cached.bundle, shim_kind=kind)
    return full, policy, read_shim(cached.shim, digest)


def fetch_attestation(tool: Tool | None, *, offline: bool) -> bytes | None:
    """Fetch the document at `trust.provenance.url`; only our trust policy decides what it proves.

    Raises:
        FetchError: it cannot be fetched.
    """
    claim = tool.trust.provenance if tool is not None and tool.trust is not None else None
    if claim is None or not claim.url:
        return None
    return fetch_document(claim.url, offline=offline)


def fetch_document(url: str, *, offline: bool = False) -> bytes:
    """Fetch a document by https from a public address, for `trust.provenance.fetch_and_verify_provenance` and similar.

    Raises:
        FetchError: it cannot be fetched, or does not exist.
    """
    from atip.system.network.http import HttpLimits, get

    answer = get(url, limits=HttpLimits(max_bytes=MAX_SIDECAR), offline=offline)
    if answer.status != 200:
        raise FetchError("http.status", f"`{url[:200]}` answered with HTTP status {answer.status}")
    return answer.body


def load_trust_policy(places: Places, options: VerifyOptions, tool: str = "") -> TrustPolicy:
    """Load the user's `trust.json`; an identity or key in `options` replaces those in it."""
    from atip.registry.keys import read_key
    from atip.registry.settings import load_settings
    from atip.trust.expected import Key, Signer, create_trust_policy

    config = load_settings(places, "trust")
    blocks = [config, *(config.get("tools") or {}).values()]
    for block in blocks:
        if isinstance(block, dict) and isinstance(block.get("keys"), list):
            block["keys"] = [read_key(key, places.config) for key in block["keys"]]
    policy = create_trust_policy(config, tool=tool)
    if options.identity or options.issuer:
        signer = Signer(identity=options.identity, issuer=options.issuer)
        policy = policy.replace(signers=(signer,), keys=())
    if options.key:
        kind = options.signature_kind or "cosign"
        data = read_bytes(options.key, MAX_SIDECAR)
        name = os.path.basename(options.key)
        policy = policy.replace(signers=(), keys=(Key(type=kind, data=data, name=name),))
    if options.trusted_root:
        policy = policy.replace(trusted_root=read_bytes(options.trusted_root, MAX_SIDECAR))
    return policy


def _signature(path: str, options: VerifyOptions) -> tuple[str, str]:
    path_found = options.signature or _find_sibling(path, tuple(SIGNATURES))
    if not path_found or options.signature_kind:
        return path_found, options.signature_kind
    kinds = [kind for ending, kind in SIGNATURES.items() if path_found.endswith(ending)]
    return path_found, kinds[0] if kinds else ""


def _find_sibling(path: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        if os.path.isfile(path + ending):
            return path + ending
    return ""
