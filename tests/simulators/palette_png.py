"""Screenshots as small files: a picture of a page with the 256 colors that it uses most.

Text is smoothed with thousands of shades that nobody can tell apart; a palette makes the file a third as large.
"""

from __future__ import annotations

import collections
import struct
import zlib

_HEAD = b"\x89PNG\r\n\x1a\n"
_RGB, _PALETTE = 2, 3
_COLORS = 256


def with_palette(picture: bytes) -> bytes:
    """The same picture with a palette; it must have 8 bits a channel and no transparency, as screenshots do."""
    width, height, rows = _read(picture)
    pixels = [list(zip(row[::3], row[1::3], row[2::3], strict=True)) for row in rows]
    counted = collections.Counter(pixel for row in pixels for pixel in row)
    palette = [color for color, _ in counted.most_common(_COLORS)]
    index = _Nearest((color, place) for place, color in enumerate(palette))
    index.palette = palette
    lines = b"".join(b"\0" + bytes(map(index.__getitem__, row)) for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, _PALETTE, 0, 0, 0)
    chunks = (
        (b"IHDR", head),
        (b"PLTE", b"".join(map(bytes, palette))),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return _HEAD + b"".join(_chunk(kind, data) for kind, data in chunks)


class _Nearest(dict):
    """Color → place in the palette, of the nearest one where it is not in it."""

    palette: list[tuple[int, ...]]

    def __missing__(self, color: tuple[int, ...]) -> int:
        distances = [
            sum((one - other) ** 2 for one, other in zip(color, held, strict=True))
            for held in self.palette
        ]
        self[color] = place = distances.index(min(distances))
        return place


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _read(picture: bytes) -> tuple[int, int, list[bytes]]:
    """Width, height and the rows of a picture without alpha."""
    width, height, depth, color = struct.unpack(">IIBB", picture[16:26])
    assert (depth, color) == (8, _RGB)
    at, packed = len(_HEAD), b""
    while at < len(picture):
        (size,) = struct.unpack(">I", picture[at : at + 4])
        if picture[at + 4 : at + 8] == b"IDAT":
            packed += picture[at + 8 : at + 8 + size]
        at += size + 12
    return width, height, _rows(zlib.decompress(packed), 3 * width)


def _rows(data: bytes, length: int) -> list[bytes]:
    """Undo the filter of each row (PNG specification, section 9)."""
    rows, above = [], bytes(length)
    for at in range(0, len(data), length + 1):
        above = _unfiltered(data[at], data[at + 1 : at + 1 + length], above)
        rows.append(above)
    return rows


def _unfiltered(kind: int, row: bytes, above: bytes) -> bytes:
    if kind == 0:
        return row
    if kind == 2:
        return bytes((one + other) & 255 for one, other in zip(row, above, strict=True))
    line = bytearray(3) + row  # one pixel before the first
    over = bytes(3) + above
    for at in range(3, len(line)):
        left, up, corner = line[at - 3], over[at], over[at - 3]
        guess = left if kind == 1 else (left + up) // 2 if kind == 3 else _paeth(left, up, corner)
        line[at] = (line[at] + guess) & 255
    return bytes(line[3:])


def _paeth(left: int, up: int, corner: int) -> int:
    to_left, to_up = abs(up - corner), abs(left - corner)
    to_corner = abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner
