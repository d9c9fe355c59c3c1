"""First words on a wire: the server name of a TLS greeting, the question of a DNS query. Hostile bytes give nothing. Pure."""

from __future__ import annotations

import struct

_HANDSHAKE, _CLIENT_HELLO, _SERVER_NAME, _HOST_NAME = 22, 1, 0, 0
_MAX_NAME = 253


def server_name(data: bytes) -> str:
    """The name that a TLS client asks for; empty: it names none, or this is no TLS."""
    try:
        if data[0] != _HANDSHAKE or data[5] != _CLIENT_HELLO:
            return ""
        at = 5 + 4 + 2 + 32  # record and handshake headers, version, random
        at += 1 + data[at]  # session
        at += 2 + int.from_bytes(data[at : at + 2], "big")  # ciphers
        at += 1 + data[at]  # compressions
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        at += 2
        while at + 4 <= min(end, len(data)):
            kind, size = struct.unpack(">HH", data[at : at + 4])
            at += 4
            if kind == _SERVER_NAME and data[at + 2] == _HOST_NAME:
                length = int.from_bytes(data[at + 3 : at + 5], "big")
                name = data[at + 5 : at + 5 + length].decode("ascii")
                return name if len(name) == length and _is_name(name) else ""
            at += size
    except (IndexError, struct.error, UnicodeDecodeError):
        return ""
    return ""


def read_question(query: bytes) -> tuple[str, int, int] | None:
    """Name, type and end of the one question of a DNS query; None for anything else."""
    try:
        if query[2] & 0x80 or query[4:6] != b"\0\x01":
            return None
        labels, at = [], 12
        while size := query[at]:
            if size > 63 or at > 300:
                return None
            labels.append(query[at + 1 : at + 1 + size].decode("ascii"))
            at += 1 + size
        (kind,) = struct.unpack(">H", query[at + 1 : at + 3])
        name = ".".join(labels).lower()
        return (name, kind, at + 5) if name and _is_name(name) else None
    except (IndexError, struct.error, UnicodeDecodeError):
        return None


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _MAX_NAME and all(one.isalnum() or one in "-._" for one in name)
