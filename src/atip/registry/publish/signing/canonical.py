"""TUF's canonical JSON and signed files, byte for byte as python-tuf reads them. Pure.

Written here because a registry of 100,000 shims signs 256 files of some hundred entries each: python-tuf's own
encoder works in Python, character by character. `registry check` reads everything back with python-tuf.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Protocol

from atip.registry import tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atip.model.reading.shim_records import ShimRecord

    class Signer(Protocol):
        id: str

        def sign(self, message: bytes) -> str: ...


SPEC_VERSION = "1.0.31"
_FOLDER = tree.SHIMS


def canonical(value: Any) -> bytes:
    """Keys sorted, no spaces. Equal to OLPC canonical JSON as long as no text has control characters, which the names
    of a registry never have."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def signed_file(payload: bytes, keys: Iterable[Signer]) -> bytes:
    """A metadata file around canonical bytes."""
    signatures = ",".join(f'{{"keyid":"{key.id}","sig":"{key.sign(payload)}"}}' for key in keys)
    return b'{"signatures":[%s],"signed":%s}\n' % (signatures.encode(), payload)


def payload(kind: str, version: int, expires: str, **fields: Any) -> bytes:
    """The signed part of a role's metadata."""
    common = {"_type": kind, "expires": expires, "spec_version": SPEC_VERSION, "version": version}
    return canonical({**common, **fields})


def target_line(shim: ShimRecord) -> str:
    """One shim as a target; such lines sort as the digits of their shims do."""
    bundle = ""
    if shim.bundle:
        bundle = f'"custom":{{"bundle":{{"length":{shim.bundle_size},"sha256":"{shim.bundle}"}}}},'
    return (
        f'"{_FOLDER}/{shim.hex}.json":'
        f'{{{bundle}"hashes":{{"sha256":"{shim.content}"}},"length":{shim.size}}}'
    )


def targets_payload(version: int, expires: str, lines: Iterable[str]) -> bytes:
    """The signed part of a bin, from sorted target lines."""
    return (
        f'{{"_type":"targets","expires":"{expires}","spec_version":"{SPEC_VERSION}",'
        f'"targets":{{{",".join(lines)}}},"version":{version}}}'
    ).encode()


def file_record(data: bytes, version: int | None = None) -> dict[str, Any]:
    """Length and hash of a file as metadata names it; with a version for metadata files."""
    facts: dict[str, Any] = {
        "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
        "length": len(data),
    }
    if version is not None:
        facts["version"] = version
    return facts
