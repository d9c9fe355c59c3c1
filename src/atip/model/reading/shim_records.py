"""Records of a publisher about each shim, read and packed quickly. Pure.

A registry may hold 100,000 shims, and a rebuild touches a hundred of them: only the head of a shim is decoded, and
stored values stay packed until they are needed. It does not validate; `documents.judge` does.
"""

from __future__ import annotations

import msgspec

from atip.errors import FormatError


class _Binary(msgspec.Struct, gc=False):
    hash: str
    name: str = ""
    version: str = ""
    platform: str = ""


class _Trust(msgspec.Struct, gc=False):
    source: str = ""


class _Head(msgspec.Struct, gc=False):
    binary: _Binary
    description: str = ""
    homepage: str = ""
    trust: _Trust | None = None


class ShimRecord(msgspec.Struct, array_like=True, gc=False):
    """One published shim: its declared identity, and its bytes."""

    hex: str
    """SHA-256 of the binary; the name of the file."""
    slot: int
    """First byte of the SHA-256 of the published path: which bin it is in, for any number of bits."""
    size: int
    content: str
    """SHA-256 of the shim's bytes."""
    name: str
    version: str
    platform: str
    source: str
    """`trust.source`, a claim."""
    description: str
    homepage: str
    bundle_size: int = 0
    bundle: str = ""
    """SHA-256 of the signature's bytes; empty: not signed."""


Row = tuple[str, str, str, int]
"""Version, platform, digits, slot: one shim of a tool."""


class StateHead(msgspec.Struct, gc=False):
    """State of the last build, apart from the shims themselves."""

    version: int
    place: str
    anchor: str
    """SHA-256 of the file that the build wrote last; if the place holds another one, the state is not about it."""
    rules: str
    """Under which rules the shims were judged; empty: they were not."""
    release: str
    """Time of the last release that changed anything."""
    bins_expire: str
    total: int
    platforms: dict[str, int]
    sources: dict[str, int]


_DECODE_HEAD = msgspec.json.Decoder(_Head).decode
_DECODE_STATE = msgspec.msgpack.Decoder(StateHead).decode
_DECODE_RECORDS = msgspec.msgpack.Decoder(list[ShimRecord]).decode
_DECODE_ROWS = msgspec.msgpack.Decoder(list[Row]).decode
_DECODE_LINES = msgspec.msgpack.Decoder(list[str]).decode
_PACK = msgspec.msgpack.Encoder().encode


def read_head(data: bytes) -> _Head:
    """Name, version, platform and claims of a shim.

    Raises:
        FormatError: `publish.unreadable`.
    """
    try:
        return _DECODE_HEAD(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError("publish.unreadable", f"not a shim: {error}") from error


def pack(value: StateHead | list[ShimRecord] | list[Row] | list[str]) -> bytes:
    return _PACK(value)


UNPACK_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError)
"""Errors raised when unpacking foreign bytes."""


def unpack_head(data: bytes) -> StateHead:
    return _DECODE_STATE(data)


def unpack_records(packed: bytes) -> list[ShimRecord]:
    return _DECODE_RECORDS(packed)


def unpack_rows(packed: bytes) -> list[Row]:
    return _DECODE_ROWS(packed)


def unpack_lines(packed: bytes) -> list[str]:
    return _DECODE_LINES(packed)


def encode_text(value: object) -> str:
    """Compact JSON in the order of insertion."""
    return msgspec.json.encode(value).decode()


def encode_bytes(value: object) -> bytes:
    """The same as UTF-8."""
    return msgspec.json.encode(value)


def decode_quickly(data: bytes) -> object:
    """JSON that the strict reader has passed before, as plain values.

    Raises:
        FormatError: `publish.unreadable`.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError("publish.unreadable", f"not JSON: {error}") from error
