"""TrustPolicy: trusted signers, keys, builders and sources. From our configuration only (A6).

Nothing here is ever filled from the document that is being judged: a shim that names its own signer would
otherwise be accepted with anyone's signature.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.model.signers import matches_signer
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY_TYPES = ("cosign", "minisign", "gpg")
_PER_TOOL = ("signers", "allowedSigners", "keys", "builders", "sources")


matches = matches_signer


class Signer(Value):
    """A certificate identity and who vouches for it. `identity` may end in `/*` or `@*`, see `matches`."""

    identity: str
    issuer: str = ""

    def matches(self, identity: str, issuer: str) -> bool:
        # SECURITY: without an issuer any identity provider could vouch for the name.
        if not self.issuer or self.issuer != issuer:
            return False
        return matches(identity, self.identity)


class Key(Value):
    """A public key whose signatures count."""

    type: str
    """`cosign` (PEM), `minisign` (base64 or file text) or `gpg` (armoured or binary certificate)."""
    data: bytes
    name: str = ""
    valid_from: int = 0
    valid_until: int = 0
    """Seconds since 1970; a log entry outside them is refused. 0: no limit."""


class TrustPolicy(Value):
    """Requirements, and the trusted signers."""

    signers: tuple[Signer, ...] = ()
    keys: tuple[Key, ...] = ()
    builders: tuple[str, ...] = ()
    """Builder ids that count; stars as for signers. Empty: no provenance can be confirmed."""
    sources: tuple[str, ...] = ()
    """Source repositories that count. Empty: no provenance can be confirmed."""
    minimum_slsa_level: int = 0
    require_signatures: bool = False
    """Unsigned is blocked."""
    require_log: bool = False
    """A bundle signed by a key must also be in a transparency log."""
    trusted_root: bytes | None = None
    """Sigstore trusted root as JSON; None: the public-good one that ships with the `sigstore` package."""

    def keys_of(self, kind: str) -> tuple[Key, ...]:
        return tuple(key for key in self.keys if key.type == kind)


def create_trust_policy(config: Mapping[str, Any], *, tool: str = "") -> TrustPolicy:
    """Build a policy from `trust.json` or the `trust` part of an organization policy (Appendix A).

    With `tool`, the block `tools.<tool>` replaces what it names; nothing is merged, so that a tool can be tied to
    one signer.

    Raises:
        FormatError: `trust.policy` for a signer, key or level that cannot be read.
    """
    merged = dict(config)
    own = (config.get("tools") or {}).get(tool) if tool else None
    if isinstance(own, dict):
        merged.update({name: own[name] for name in _PER_TOOL if name in own})
    signers = [*_list(merged, "signers"), *_list(merged, "allowedSigners")]
    level = merged.get("minimumSlsaLevel", 0)
    if not isinstance(level, int) or isinstance(level, bool) or not 0 <= level <= 4:
        raise _wrong("minimumSlsaLevel", "must be a whole number from 0 to 4")
    root = merged.get("trustedRoot")
    return TrustPolicy(
        signers=tuple(_signer(signer) for signer in signers),
        keys=tuple(_key(key) for key in _list(merged, "keys")),
        builders=_texts(merged, "builders"),
        sources=_texts(merged, "sources"),
        minimum_slsa_level=level,
        require_signatures=_flag(merged, "requireSignatures") or _flag(merged, "requireSignature"),
        require_log=_flag(merged, "requireLog"),
        trusted_root=root.encode() if isinstance(root, str) else root,
    )


def _list(config: Mapping[str, Any], name: str) -> list[Any]:
    value = config.get(name, [])
    if not isinstance(value, (list, tuple)):
        raise _wrong(name, "must be a list")
    return list(value)


def _texts(config: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = _list(config, name)
    # SECURITY: an empty text or a bare `*` would match everything.
    if not all(isinstance(value, str) and value.strip("* ") for value in values):
        raise _wrong(name, "must contain non-empty strings")
    return tuple(values)


def _flag(config: Mapping[str, Any], name: str) -> bool:
    value = config.get(name, False)
    if not isinstance(value, bool):
        raise _wrong(name, "must be true or false")
    return value


def _signer(value: object) -> Signer:
    fields = {"identity": value} if isinstance(value, str) else value
    if not isinstance(fields, dict):
        raise _wrong("signers", "must contain objects with `identity` and `issuer`")
    identity, issuer = fields.get("identity"), fields.get("issuer", "")
    if not (isinstance(identity, str) and identity.strip("* ") and isinstance(issuer, str)):
        raise _wrong("signers", "needs the strings `identity` and `issuer`")
    return Signer(identity=identity, issuer=issuer)


def _key(value: object) -> Key:
    if not isinstance(value, dict) or value.get("type") not in KEY_TYPES:
        raise _wrong("keys", f"must contain objects with a `type` of {', '.join(KEY_TYPES)}")
    data = value.get("key")
    if isinstance(data, str):
        data = data.encode()
    if not isinstance(data, bytes) or not data.strip():
        raise _wrong("keys", "needs the public key as a string in `key`")
    limits = [value.get(name, 0) for name in ("validFrom", "validUntil")]
    if not all(isinstance(limit, int) and limit >= 0 for limit in limits):
        raise _wrong("keys", "must have `validFrom` and `validUntil` in seconds since 1970")
    return Key(
        type=value["type"],
        data=data,
        name=str(value.get("name", "")),
        valid_from=limits[0],
        valid_until=limits[1],
    )


def _wrong(name: str, rule: str) -> FormatError:
    return FormatError("trust.policy", f"`{name}` {rule}", hint="correct the trust configuration")
