"""Signing shims: one bundle beside each, over its raw bytes. ATIP 0.6 §3.2.2, §4.9 step 5.

| with | the bundle is |
|---|---|
| a private key (PEM: P-256, Ed25519, RSA) | a Sigstore bundle with a public key, as `cosign --key` writes it |
| a minisign secret key | a minisign signature |
| an identity token (OIDC) | a Sigstore bundle with a certificate and a log entry |

SECURITY: what a machine inferred is never signed with the maintainers' key (threat 28 of conformance/threats.toml): it has a key of its
own, `inferred.pem`, and clients decide whether that one counts.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, NotFoundError, TrustError, UsageError
from atip.model.value import Value
from atip.registry.publish.signing.role_keys import load_private, to_pem
from atip.registry.publish.source import SHIMS, compare, list_source, read_contribution
from atip.registry.tree import BUNDLE_MEDIA_TYPE
from atip.system.files import make_private, read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Sign = Callable[[bytes], bytes]
    """Bytes of a shim → its bundle."""

MAINTAINER, INFERRED = "shims.pem", "inferred.pem"
"""Keys in the key folder that sign shims unless another one is named."""
PASSWORD = "ATIP_KEY_PASSWORD"  # noqa: S105
TOKEN = "SIGSTORE_ID_TOKEN"  # noqa: S105


class SigningReport(Value):
    """Digests of the shims that were signed and skipped."""

    signed: tuple[str, ...]
    already_signed: int
    """Had a signature already."""
    skipped: tuple[str, ...]
    """Not signed with this key: inferred ones with a maintainer's key, and the other way round."""

    def to_json(self) -> dict[str, object]:
        return {
            "signed": list(self.signed),
            "kept": self.already_signed,
            "skipped": list(self.skipped),
        }


def sign_shims(
    folder: str,
    sign: Sign,
    *,
    inferred: bool = False,
    again: bool = False,
    only: Iterable[str] = (),
) -> SigningReport:
    """Sign the shims of a source folder that have no signature yet.

    Args:
        inferred: sign what is inferred, and only that.
        again: also those that have a signature.
        only: digits of the shims to sign; all when empty.

    Raises:
        FormatError: a shim is not one, or its name is not its binary's hash.
    """
    changes = compare(list_source(folder, time.time_ns()), [], [])
    requested = set(only)
    unknown = requested - changes.changed.keys()
    if unknown:
        raise NotFoundError("publish.no-shim", f"no shim `{min(unknown)[:80]}` in `{folder}`")
    signed, skipped, already_signed = [], [], 0
    for digits, name in changes.changed.items():
        if requested and digits not in requested:
            continue
        contribution = read_contribution(folder, digits, name)
        if contribution.bundle and not again:
            already_signed += 1
        elif (contribution.record.source == "inferred") is not inferred:
            skipped.append(digits)
        else:
            path = os.path.join(folder, SHIMS, f"{name}.bundle")
            write_atomic(path, sign(contribution.data), mode=0o644)
            signed.append(digits)
    return SigningReport(
        signed=tuple(signed), already_signed=already_signed, skipped=tuple(skipped)
    )


def key_signer(path: str) -> Sign:
    """Sign with a key file: PEM or minisign, detected by its content.

    Raises:
        NotFoundError: `file.not-found`.
        TrustError: `publish.key`, `publish.key-mode`.
    """
    if read_bytes(path, 100_000).startswith(b"untrusted comment:"):
        return _minisign_signer(path)
    private = load_private(path)
    return lambda data: sign_with_key(private, data)


def default_key(keys: str, *, inferred: bool) -> str:
    """The key in the key folder that signs shims; created when it is missing. Its public half is beside it as `.pub`."""
    path = os.path.join(keys, INFERRED if inferred else MAINTAINER)
    if not os.path.exists(path):
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        make_private(keys)
        private = ec.generate_private_key(ec.SECP256R1())
        public = private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        write_atomic(path, to_pem(private))
        write_atomic(path.removesuffix(".pem") + ".pub", public, mode=0o644)
    return path


def sign_with_key(private: Any, data: bytes) -> bytes:
    """A Sigstore bundle (v0.3) with a public key, without a log entry.

    Raises:
        TrustError: `publish.key` for a kind of key that clients do not take.
    """
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

    if isinstance(private, ec.EllipticCurvePrivateKey):
        signature = private.sign(data, ec.ECDSA(hashes.SHA256()))
    elif isinstance(private, ed25519.Ed25519PrivateKey):
        signature = private.sign(data)
    elif isinstance(private, rsa.RSAPrivateKey) and private.key_size >= 2048:
        signature = private.sign(data, padding.PKCS1v15(), hashes.SHA256())
    else:
        raise TrustError("publish.key", "keys of this kind or size cannot sign shims")
    der = private.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    digest = hashlib.sha256(data).digest()
    bundle = {
        "mediaType": BUNDLE_MEDIA_TYPE,
        "verificationMaterial": {
            "publicKey": {"hint": _base64(hashlib.sha256(der).digest())},
            "tlogEntries": [],
        },
        "messageSignature": {
            "messageDigest": {"algorithm": "SHA2_256", "digest": _base64(digest)},
            "signature": _base64(signature),
        },
    }
    return json.dumps(bundle, separators=(",", ":")).encode() + b"\n"


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _minisign_signer(path: str) -> Sign:
    try:
        import minisign  # type: ignore[import-untyped]
    except ImportError as error:
        raise _missing_package("py-minisign") from error
    load_mode(path)
    try:
        key = minisign.SecretKey.from_bytes(read_bytes(path, 100_000))
        if key.is_encrypted():
            key.decrypt(os.environ.get(PASSWORD, ""))
    except (minisign.Error, ValueError) as error:
        hint = f"the password is read from {PASSWORD}"
        raise TrustError("publish.key", f"`{path}` cannot be used: {error}", hint=hint) from error

    def sign(data: bytes) -> bytes:
        digits = hashlib.sha256(data).hexdigest()
        signature: bytes = bytes(key.sign(data, trusted_comment=f"sha256:{digits}"))
        return signature

    return sign


def load_mode(path: str) -> None:
    """Raises `publish.key-mode` when others may read a key."""
    import stat

    if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
        raise TrustError(
            "publish.key-mode", f"`{path}` is readable by other users", hint=f"chmod 600 {path}"
        )


def sigstore_signer(token_variable: str = TOKEN) -> Sign:
    """Sign with an identity: a token from the environment, or from the CI service that we run in. Needs the network.

    Raises:
        UsageError: `publish.no-identity` when there is no token; nothing was sent.
        TrustError: `publish.sigstore` when the services refuse.
    """
    try:
        from sigstore import oidc
        from sigstore.errors import Error as SigstoreError
        from sigstore.models import ClientTrustConfig
        from sigstore.sign import SigningContext
    except ImportError as error:
        raise _missing_package("sigstore") from error
    try:
        raw = os.environ.get(token_variable) or oidc.detect_credential()
        if not raw:
            raise UsageError(
                "publish.no-identity",
                f"no identity token in {token_variable}, and no CI service that provides one",
                hint="sign with --key instead, or run it where a token is available",
            )
        token = oidc.IdentityToken(raw)
        context = SigningContext.from_trust_config(ClientTrustConfig.production())
    except (SigstoreError, OSError) as error:
        raise _refusal(error) from error

    def sign(data: bytes) -> bytes:
        try:
            with context.signer(token) as signer:
                return signer.sign_artifact(data).to_json().encode() + b"\n"
        except (SigstoreError, OSError) as error:
            raise _refusal(error) from error

    return sign


def _refusal(error: Exception) -> TrustError:
    text = f"Sigstore did not sign: {str(error)[:300]}"
    return TrustError("publish.sigstore", text, hint="check the token and the network")


def _missing_package(package: str) -> AtipError:
    return AtipError(
        "publish.missing-extra",
        f"signing needs the package `{package}`",
        hint="pip install 'atip-cli[verify]'",
    )
