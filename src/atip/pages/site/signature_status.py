"""State of the signature beside a shim: whether it fits the document, and which key or identity it names. Pure.

Not a verification: whom to trust is for those who use the registry (`atip verify`).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Any

from atip.errors import FormatError
from atip.model.reading.reader import read_json
from atip.model.text.visible_text import clean

UNSIGNED = {"state": "unknown", "label": "not signed", "by": ""}
_UNREADABLE = {"state": "does", "label": "signature cannot be read", "by": ""}
_OTHER = {"state": "does", "label": "signature of another document", "by": ""}


def signature_status(document: bytes, bundle: bytes | None) -> dict[str, str]:
    """`state` and `label` of a badge, and `by`: what the bundle names as its signer."""
    if bundle is None:
        return UNSIGNED
    try:
        found: Any = read_json(bundle)
        material, content = found["verificationMaterial"], found["messageSignature"]
        digest = base64.b64decode(content["messageDigest"]["digest"], validate=True)
        by = _signer(material)
    except (FormatError, KeyError, TypeError, AttributeError, binascii.Error):
        return _UNREADABLE
    if digest != hashlib.sha256(document).digest():
        return _OTHER
    return {"state": "safe", "label": "signed", "by": by}


def _signer(material: dict[str, Any]) -> str:
    key = material.get("publicKey")
    if isinstance(key, dict):
        return f"key {clean(str(key.get('hint', 'without a name')))[:60]}"
    return "certificate"
