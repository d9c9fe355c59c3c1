"""Claims of a Fulcio certificate about its holder: identity, issuer, source repository, runner.

Read from a certificate whose chain was verified; matching against our signers happens elsewhere. Extensions are
those of https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.x509 import (
    ExtensionNotFound,
    ObjectIdentifier,
    OtherName,
    RFC822Name,
    SubjectAlternativeName,
    UniformResourceIdentifier,
)

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

_FULCIO = "1.3.6.1.4.1.57264.1."
_OTHER_NAME = ObjectIdentifier(_FULCIO + "7")
_GITHUB = "https://token.actions.githubusercontent.com"


def certificate_facts(certificate: Certificate) -> list[dict[str, str]]:
    """One set of facts for each identity in the certificate.

    Raises:
        ValueError: when the two spellings of the issuer differ.
    """
    issuer = _raw(certificate, "1")
    newer = _der(certificate, "8")
    if issuer and newer and issuer != newer:
        raise ValueError("the certificate names two issuers")
    facts = {
        "issuer": issuer or newer,
        "source": _source(certificate, issuer or newer),
        "runner": _der(certificate, "11"),
        "builder": _der(certificate, "9"),
    }
    return [{"identity": name, **facts} for name in _names(certificate)]


def _names(certificate: Certificate) -> list[str]:
    names = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
    identities = [*names.get_values_for_type(RFC822Name)]
    identities += names.get_values_for_type(UniformResourceIdentifier)
    identities += [
        _text(name.value)
        for name in names.get_values_for_type(OtherName)
        if name.type_id == _OTHER_NAME
    ]
    return identities


def _source(certificate: Certificate, issuer: str) -> str:
    newer = _der(certificate, "12")
    if newer:
        return newer
    older = _raw(certificate, "5")
    return f"https://github.com/{older}" if older and issuer == _GITHUB else ""


def _extension(certificate: Certificate, number: str) -> bytes:
    try:
        extension = certificate.extensions.get_extension_for_oid(ObjectIdentifier(_FULCIO + number))
    except ExtensionNotFound:
        return b""
    data: bytes = extension.value.value  # type: ignore[attr-defined]
    return data


def _raw(certificate: Certificate, number: str) -> str:
    """The older extensions hold the bare text."""
    return _extension(certificate, number).decode("utf-8")


def _der(certificate: Certificate, number: str) -> str:
    """The newer ones hold a DER UTF8String."""
    data = _extension(certificate, number)
    return _text(data) if data else ""


def _text(data: bytes) -> str:
    """A DER UTF8String, the whole of `data`.

    Raises:
        ValueError: for anything else.
    """
    if len(data) < 2 or data[0] != 0x0C:
        raise ValueError("not a UTF-8 text in DER")
    length, start = data[1], 2
    if length & 0x80:
        count = length & 0x7F
        length, start = int.from_bytes(data[2 : 2 + count], "big"), 2 + count
    if len(data) != start + length:
        raise ValueError("a DER text of the wrong length")
    return data[start:].decode("utf-8")
