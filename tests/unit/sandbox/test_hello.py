"""First words on a wire are read, and hostile ones give nothing."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from atip.sandbox.network.hello import read_question, server_name


def greeting(name: str) -> bytes:
    host = name.encode()
    entry = struct.pack(">BH", 0, len(host)) + host
    listed = struct.pack(">H", len(entry)) + entry
    extensions = struct.pack(">HH", 0, len(listed)) + listed
    body = b"\x03\x03" + bytes(32) + b"\0" + b"\0\x02\x13\x01" + b"\x01\0"
    body += struct.pack(">H", len(extensions)) + extensions
    handshake = b"\x01" + len(body).to_bytes(3, "big") + body
    return b"\x16\x03\x01" + struct.pack(">H", len(handshake)) + handshake


def query(name: str, kind: int = 1) -> bytes:
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    return b"\x12\x34\x01\0\0\x01" + bytes(6) + labels + b"\0" + struct.pack(">HH", kind, 1)


names = st.from_regex(r"[a-z0-9]{1,20}(\.[a-z0-9-]{1,20}){1,3}", fullmatch=True)


@given(names)
def test_what_was_written_is_read(name: str) -> None:
    assert server_name(greeting(name)) == name
    assert read_question(query(name)) == (name, 1, len(query(name)))


@given(names, st.integers(0, 90))
def test_a_piece_gives_the_name_or_nothing(name: str, size: int) -> None:
    assert server_name(greeting(name)[:size]) in ("", name)
    found = read_question(query(name)[:size])
    assert found is None or found[0] == name


@given(st.binary(max_size=300))
def test_any_bytes_are_survived(data: bytes) -> None:
    assert isinstance(server_name(data), str)
    found = read_question(data)
    assert found is None or found[0]
