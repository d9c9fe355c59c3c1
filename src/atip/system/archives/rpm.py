"""RPM packages: where the payload begins, and the entries of the cpio archive in it. Scripts in the headers are not read.

Lead (96 bytes), signature header, padding to 8 bytes, header, payload: cpio in its `newc` form, compressed. What an
entry may be is judged by `unpack`; here only what the format itself says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import FormatError
from atip.model.value import Value
from atip.system.archives.compression import read_compressed

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"\xed\xab\xee\xdb"
_HEADER = b"\x8e\xad\xe8\x01"
_LEAD, _INTRO, _INDEX = 96, 16, 16
MAX_HEADER = 256 * 1024 * 1024
_NEWC = (b"070701", b"070702")
_CPIO_HEAD = 110
_END = "TRAILER!!!"
MAX_ENTRIES = 20_000
MAX_ENTRY_NAME = 4_096


class CpioEntry(Value):
    """One entry of the payload, as it claims to be."""

    name: str
    mode: int
    data: bytes
    inode: int
    links: int


def rpm_entries(data: bytes, limit: int) -> Iterator[CpioEntry]:
    """The entries of a package's payload; hard links have the data of the one that holds it.

    Raises:
        FormatError: `archive.damaged`, `archive.too-many`, `format.*`.
    """
    payload = read_compressed(data[_payload_start(data) :], limit)
    entries = list(_entries(payload))
    shared = {entry.inode: entry.data for entry in entries if entry.links > 1 and entry.data}
    left = limit
    for entry in entries:
        content = shared.get(entry.inode, b"") if entry.links > 1 and not entry.data else entry.data
        # SECURITY: many names of one large file count as many files, because that is what is written.
        left -= len(content)
        if left < 0:
            raise FormatError("format.too-large", f"more than {limit:,} bytes when unpacked")
        yield entry.replace(data=content)


def _payload_start(data: bytes) -> int:
    if data[:4] != MAGIC:
        raise _damage_error("the lead is missing")
    signature_end = _header_end(data, _LEAD)
    return _header_end(data, signature_end + -signature_end % 8)


def _header_end(data: bytes, at: int) -> int:
    intro = data[at : at + _INTRO]
    if len(intro) < _INTRO or intro[:4] != _HEADER:
        raise _damage_error("a header is missing")
    count = int.from_bytes(intro[8:12], "big")
    size = int.from_bytes(intro[12:16], "big")
    end = at + _INTRO + count * _INDEX + size
    if count * _INDEX + size > MAX_HEADER or end > len(data):
        raise _damage_error("a header is longer than the file")
    return end


def _entries(payload: bytes) -> Iterator[CpioEntry]:
    at = 0
    for _ in range(MAX_ENTRIES + 1):
        head = payload[at : at + _CPIO_HEAD]
        fields = _fields(head)
        name_end = at + _CPIO_HEAD + fields[11]
        start = name_end + -name_end % 4
        end = start + fields[6]
        if not 1 < fields[11] <= MAX_ENTRY_NAME or end > len(payload):
            raise _damage_error("an entry is longer than the payload")
        name = payload[at + _CPIO_HEAD : name_end - 1].decode("utf-8", "surrogateescape")
        if name == _END:
            return
        yield CpioEntry(
            name=name, mode=fields[1], data=payload[start:end], inode=fields[0], links=fields[4]
        )
        at = end + -end % 4
    raise FormatError("archive.too-many", f"more than {MAX_ENTRIES:,} members")


def _fields(head: bytes) -> list[int]:
    """The thirteen numbers of an entry, eight hexadecimal digits each."""
    digits = head[6:]
    if len(head) < _CPIO_HEAD or head[:6] not in _NEWC or not digits.isalnum():
        raise _damage_error("the payload is not a cpio archive")
    try:
        return [int(digits[place : place + 8], 16) for place in range(0, 104, 8)]
    except ValueError as error:
        raise _damage_error("an entry contains an invalid number") from error


def _damage_error(what: str) -> FormatError:
    return FormatError("archive.damaged", f"not an RPM package: {what}")
