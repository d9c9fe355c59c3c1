"""Digest: one type for content addresses, compared as bytes, never built from loose strings.

The wire form is `sha256:` and 64 lower-case hex digits; the file name in a registry is the bare hex
(A13, A14). sha384 and sha512 are read for checksums (A22); nothing else is.
"""

from __future__ import annotations

import re

from atip.model.value import Value

_FORM = re.compile(r"(sha256|sha384|sha512):([0-9a-fA-F]+)\Z")
_LENGTHS = {"sha256": 64, "sha384": 96, "sha512": 128}


class Digest(Value):
    """An algorithm and lower-case hex digits of the right length."""

    algorithm: str
    hex: str

    def __str__(self) -> str:
        return f"{self.algorithm}:{self.hex}"


def find_digest(text: object) -> Digest | None:
    """`sha256:…` → Digest; None for another algorithm, length or alphabet."""
    if not isinstance(text, str):
        return None
    match = _FORM.match(text)
    if match is None or len(match[2]) != _LENGTHS[match[1]]:
        return None
    return Digest(algorithm=match[1], hex=match[2].lower())
