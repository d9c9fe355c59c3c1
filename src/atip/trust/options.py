"""Options of one verification, and its size limits."""

from __future__ import annotations

from atip.model.value import Value

MAX_FILE = 1 << 30
MAX_SIDECAR = 1_000_000
"""Of signatures, attestations, keys and roots."""
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
PROVENANCES = (".intoto.jsonl", ".slsa.attestation", ".build.slsa", ".attestations.json")


class VerifyOptions(Value):
    """Values that the user named explicitly; empty means: look beside the file, take `trust.json`."""

    signature: str = ""
    signature_kind: str = ""
    provenance: str = ""
    identity: str = ""
    issuer: str = ""
    key: str = ""
    trusted_root: str = ""
    fetch: bool = False
    """Fetch the attestation that the description names, when none lies beside the file."""
