"""Compressed bytes → bytes, bounded: a small file must not become a large one unseen."""

from __future__ import annotations

from atip.errors import FormatError


def read_compressed(data: bytes, max_bytes: int) -> bytes:
    """Decompress by magic number (gzip, xz, bzip2, zstd); other data is returned as it is.

    Raises:
        FormatError: `format.too-large` beyond `max_bytes`, `format.damaged` when it cannot be read.
    """
    try:
        out = _decompress(data, max_bytes + 1)
    except (OSError, EOFError, ValueError) as error:
        raise FormatError("format.damaged", f"compressed data is damaged: {error}") from error
    if len(out) > max_bytes:
        raise FormatError("format.too-large", f"more than {max_bytes:,} bytes after decompression")
    return out


def _decompress(data: bytes, limit: int) -> bytes:
    if data[:2] == b"\x1f\x8b":
        import zlib

        try:
            return zlib.decompressobj(31).decompress(data, limit)
        except zlib.error as error:
            raise ValueError(str(error)) from error
    if data[:6] == b"\xfd7zXZ\x00":
        import lzma

        try:
            return lzma.LZMADecompressor(memlimit=128 << 20).decompress(data, limit)
        except lzma.LZMAError as error:
            raise ValueError(str(error)) from error
    if data[:3] == b"BZh":
        import bz2

        return bz2.BZ2Decompressor().decompress(data, limit)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        import zstandard

        try:
            return (
                zstandard.ZstdDecompressor(max_window_size=128 << 20)
                .stream_reader(data)
                .read(limit)
            )
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from error
    return data
