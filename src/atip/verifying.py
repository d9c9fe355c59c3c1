"""Verifying a file on this machine: read it, what lies beside it, and whom the user trusts; then ask `trust`.

Where the workflow meets: files (`system`) and `trust.json` (`registry.settings`) on one side, the pure procedure on
the other. Opens no socket: a signature named by URL only counts when it is already here (A26).
"""

from __future__ import annotations

import os

from atip.errors import FormatError
from atip.model.value import Value
from atip.system.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.model.tool import Tool
    from atip.model.verdict import Verdict
    from atip.system.paths import Places
    from atip.trust.expected import TrustPolicy

MAX_FILE = 1 << 30
MAX_SIDECAR = 1_000_000
SIGNATURES = {
    # ending of the file beside it: kind
    ".sigstore.json": "cosign",
    ".bundle": "cosign",
    ".sigstore": "cosign",
    ".publish.attestation": "cosign",
    ".provenance": "cosign",
    ".minisig": "minisign",
    ".asc": "gpg",
    ".sig": "gpg",
}
PROVENANCES = (
    ".intoto.jsonl",
    ".slsa.attestation",
    ".build.slsa",
    ".attestations.json",
)


class Asked(Value):
    """What the user named explicitly; empty means: look beside the file, take `trust.json`."""

    signature: str = ""
    signature_kind: str = ""
    provenance: str = ""
    identity: str = ""
    issuer: str = ""
    key: str = ""
    trusted_root: str = ""


def verify_file(
    path: str, places: Places, *, asked: Asked | None = None, tool: Tool | None = None
) -> Verdict:
    """The verdict on one file; `tool` is its metadata where some is known.

    Raises:
        NotFoundError: `file.not-found`.
        FormatError: `trust.policy` or `format.…` when the user's trust settings cannot be read.
        TrustError: `trust.missing-extra`.
    """
    from atip.trust.procedure import Materials, verify_tool

    asked = asked or Asked()
    signature, kind = _signature(path, asked)
    provenance = asked.provenance or _beside(path, PROVENANCES)
    materials = Materials(
        binary=read_bytes(path, MAX_FILE),
        signature=read_bytes(signature, MAX_SIDECAR) if signature else None,
        signature_kind=kind,
        provenance=read_bytes(provenance, MAX_SIDECAR) if provenance else None,
    )
    name = tool.name if tool is not None else os.path.basename(path)
    return verify_tool(materials, tool, load_trust_policy(places, asked, name))


def load_trust_policy(places: Places, asked: Asked, tool: str = "") -> TrustPolicy:
    """`trust.json` of the user; an identity or key given on the command line replaces those in it."""
    from atip.registry.settings import load_settings
    from atip.trust.expected import Key, Signer, create_trust_policy

    config = load_settings(places, "trust")
    blocks = [config, *(config.get("tools") or {}).values()]
    for block in blocks:
        if isinstance(block, dict) and isinstance(block.get("keys"), list):
            block["keys"] = [_read_key(key, places.config) for key in block["keys"]]
    policy = create_trust_policy(config, tool=tool)
    if asked.identity or asked.issuer:
        signer = Signer(identity=asked.identity, issuer=asked.issuer)
        policy = policy.replace(signers=(signer,), keys=())
    if asked.key:
        kind = asked.signature_kind or "cosign"
        data = read_bytes(asked.key, MAX_SIDECAR)
        name = os.path.basename(asked.key)
        policy = policy.replace(signers=(), keys=(Key(type=kind, data=data, name=name),))
    if asked.trusted_root:
        policy = policy.replace(trusted_root=read_bytes(asked.trusted_root, MAX_SIDECAR))
    return policy


def _read_key(key: Any, folder: str) -> Any:
    """A key given as `file` is read, relative to the settings; times become seconds."""
    if not isinstance(key, dict):
        return key
    read = dict(key)
    if isinstance(key.get("file"), str):
        path = os.path.join(folder, os.path.expanduser(key["file"]))
        read["key"] = read_bytes(path, MAX_SIDECAR)
    for name in ("validFrom", "validUntil"):
        if isinstance(key.get(name), str):
            read[name] = _seconds(key[name])
    return read


def _seconds(text: str) -> int:
    from atip.system.clock import from_iso

    moment = from_iso(text)
    if moment is None:
        raise FormatError(
            "trust.policy", f"`{text[:40]}` is not a time", hint="2026-01-15T00:00:00Z"
        )
    return int(moment)


def _signature(path: str, asked: Asked) -> tuple[str, str]:
    found = asked.signature or _beside(path, tuple(SIGNATURES))
    if not found or asked.signature_kind:
        return found, asked.signature_kind
    kinds = [kind for ending, kind in SIGNATURES.items() if found.endswith(ending)]
    return found, kinds[0] if kinds else ""


def _beside(path: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        if os.path.isfile(path + ending):
            return path + ending
    return ""
