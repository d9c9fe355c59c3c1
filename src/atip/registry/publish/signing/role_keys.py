"""Keys of TUF roles: Ed25519 as PEM files in a folder that only the publisher may read.

`root-1.pem`, `root-2.pem` … and one `<role>.pem` for targets, bins, snapshot and timestamp. Root keys are needed only
when the root changes and belong elsewhere than on the machine that publishes. A replaced key moves to `retired/`.
"""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, NotFoundError, TrustError
from atip.registry.publish.signing.canonical import canonical
from atip.system.files import make_private, read_bytes, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable

ONLINE = ("targets", "bins", "snapshot", "timestamp")
"""Roles that sign at every build."""
RETIRED = "retired"


class RoleKey:
    """A private key with its TUF id."""

    def __init__(self, name: str, private: Any) -> None:
        self.name = name
        """File name without ending: `root-1`, `timestamp`."""
        self.private = private
        public = private.public_key().public_bytes_raw().hex()
        self.public: dict[str, Any] = {
            "keytype": "ed25519",
            "keyval": {"public": public},
            "scheme": "ed25519",
        }
        self.id = hashlib.sha256(canonical(self.public)).hexdigest()

    @property
    def role(self) -> str:
        return self.name.partition("-")[0]

    def sign(self, message: bytes) -> str:
        signature: bytes = self.private.sign(message)
        return signature.hex()


def load_role_keys(folder: str) -> list[RoleKey]:
    """Every key of a folder, in the order of names; none when there is no folder.

    Raises:
        TrustError: `publish.key-mode` for a file that is readable by other users; `publish.key` for an invalid key.
        AtipError: `publish.missing-extra`.
    """
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".pem"))
    except FileNotFoundError:
        return []
    return [
        RoleKey(name.removesuffix(".pem"), load_private(os.path.join(folder, name)))
        for name in names
        if name.partition("-")[0].removesuffix(".pem") in ("root", *ONLINE)
    ]


def load_private(path: str) -> Any:
    """Load a private key that only this user can read.

    Raises:
        TrustError: `publish.key-mode`, `publish.key`.
    """
    data = read_bytes(path, 100_000)
    # SECURITY: a signing key that other users can read is compromised.
    if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
        raise TrustError(
            "publish.key-mode", f"`{path}` is readable by other users", hint=f"chmod 600 {path}"
        )
    serialization = _cryptography().hazmat.primitives.serialization
    try:
        return serialization.load_pem_private_key(data, password=None)
    except (ValueError, TypeError) as error:
        hint = "an unencrypted private key as PEM is needed"
        raise TrustError("publish.key", f"`{path}` cannot be used: {error}", hint=hint) from error


def make_role_keys(folder: str, names: Iterable[str]) -> list[RoleKey]:
    """New keys, written before they are returned.

    Raises:
        AtipError: `publish.key-exists` rather than overwrite one.
    """
    keys = [generate_key(name) for name in names]
    save_role_keys(folder, keys)
    return keys


def generate_key(name: str) -> RoleKey:
    """A new key that is nowhere but in memory."""
    return RoleKey(
        name, _cryptography().hazmat.primitives.asymmetric.ed25519.Ed25519PrivateKey.generate()
    )


def save_role_keys(folder: str, keys: Iterable[RoleKey]) -> None:
    """Write keys, readable by this user alone.

    Raises:
        AtipError: `publish.key-exists`.
    """
    make_private(folder)
    for key in keys:
        path = os.path.join(folder, f"{key.name}.pem")
        if os.path.lexists(path):
            raise AtipError(
                "publish.key-exists", f"`{path}` already exists", hint="move it away first"
            )
        write_atomic(path, to_pem(key.private))


def to_pem(private: Any) -> bytes:
    serialization = _cryptography().hazmat.primitives.serialization
    pem: bytes = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return pem


def retire(folder: str, key: RoleKey) -> None:
    """Move a replaced key out of use; it is kept, because old metadata names it."""
    target = os.path.join(folder, RETIRED)
    make_private(target)
    os.rename(
        os.path.join(folder, f"{key.name}.pem"),
        os.path.join(target, f"{key.name}-{key.id[:12]}.pem"),
    )


def signing_keys(
    keys: Iterable[RoleKey], ids_allowed: Iterable[str], threshold: int
) -> list[RoleKey]:
    """The available keys among those allowed, in the order of ids.

    Raises:
        NotFoundError: `publish.keys-missing` when they are too few.
    """
    ids = set(ids_allowed)
    available = sorted((key for key in keys if key.id in ids), key=lambda key: key.id)
    if len(available) < threshold:
        raise NotFoundError(
            "publish.keys-missing",
            f"{threshold} of {len(ids)} keys are needed to sign, {len(available)} are available",
            hint="give the folder of the registry's keys with `--keys`",
        )
    return available


def _cryptography() -> Any:
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519
        import cryptography.hazmat.primitives.serialization
    except ImportError as error:
        raise AtipError(
            "publish.missing-extra",
            "signing needs the package `cryptography`",
            hint="pip install 'atip-cli[registry,verify]'",
        ) from error
    return cryptography
