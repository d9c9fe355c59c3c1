"""Keys made for one test run, and what can be signed with them."""

from __future__ import annotations

import base64
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from atip.trust.expected import Key

IN_TOTO = "application/vnd.in-toto+json"


def pem(private):
    return private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def make_key(kind="ec"):
    """A private key and its public half as configuration."""
    if kind == "ec":
        private = ec.generate_private_key(ec.SECP256R1())
    else:
        private = ed25519.Ed25519PrivateKey.generate()
    return private, Key(type="cosign", data=pem(private), name="test key")


def sign(private, message):
    if isinstance(private, ed25519.Ed25519PrivateKey):
        return private.sign(message)
    return private.sign(message, ec.ECDSA(hashes.SHA256()))


def bundle(private, data):
    """A bundle as `cosign sign-blob --key` writes it, without a log entry."""
    return json.dumps(
        {
            "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": {"publicKey": {"hint": "x"}, "tlogEntries": []},
            "messageSignature": {
                "messageDigest": {"algorithm": "SHA2_256", "digest": _base64(_sha256(data))},
                "signature": _base64(sign(private, data)),
            },
        }
    ).encode()


def envelope(private, statement, kind=IN_TOTO):
    """A bare DSSE envelope."""
    payload = json.dumps(statement).encode()
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
    signature = {"keyid": "", "sig": _base64(sign(private, message))}
    return {"payloadType": kind, "payload": _base64(payload), "signatures": [signature]}


def provenance(data, **changes):
    """A SLSA v1 statement about some bytes."""
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "x", "digest": {"sha256": _sha256(data).hex()}}],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://b.example/type",
                "externalParameters": {},
                "resolvedDependencies": [{"uri": "git+https://s.example/repo@refs/tags/v1"}],
            },
            "runDetails": {"builder": {"id": "https://b.example/builder"}},
        },
    }
    return {**statement, **changes}


def _sha256(data):
    import hashlib

    return hashlib.sha256(data).digest()


def _base64(data):
    return base64.b64encode(data).decode()
