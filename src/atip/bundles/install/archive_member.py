"""One file out of an archive, read without unpacking anything else.

Tar (plain, gzip, xz, bzip2, zstd) and zip; recognized by content. Only a regular file under exactly the given name, once.
Nothing is written: names of other members, links and devices have no effect. Implements AIP-29 `extract_bin`.
"""

from __future__ import annotations

import io

from atip.errors import FormatError
from atip.system.archives.compression import read_compressed

MAX_BYTES = 256 * 1024 * 1024
MAX_MEMBERS = 20_000


def read_member(data: bytes, name: str, *, max_bytes: int = MAX_BYTES) -> bytes:
    """The content of one member.

    Raises:
        FormatError: `archive.damaged`, `archive.no-member`, `archive.not-a-file`, `archive.twice`,
            `archive.encrypted`, `format.too-large`.
    """
    member_name = _normal(name)
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _from_zip(data, member_name, max_bytes)
    return _from_tar(read_compressed(data, max_bytes), member_name, max_bytes)


def _normal(name: str) -> str:
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def _from_tar(data: bytes, member_name: str, max_bytes: int) -> bytes:
    import tarfile

    content: bytes | None = None
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for count, member in enumerate(archive):
                if count >= MAX_MEMBERS:
                    raise FormatError("archive.too-many", f"more than {MAX_MEMBERS} members")
                if _normal(member.name) != member_name or member.name.startswith("/"):
                    continue
                if content is not None:
                    # SECURITY: with two files of one name, each reader may pick another.
                    raise FormatError(
                        "archive.twice", f"`{member_name[:80]}` is in the archive twice"
                    )
                if not member.isreg():
                    raise FormatError(
                        "archive.not-a-file", f"`{member_name[:80]}` is not a plain file"
                    )
                stream = archive.extractfile(member)
                content = stream.read(max_bytes + 1) if stream is not None else b""
                if len(content) != member.size:
                    raise FormatError("archive.damaged", "the archive is truncated")
    except (tarfile.TarError, OSError, EOFError, ValueError, OverflowError) as error:
        raise FormatError("archive.damaged", f"not an archive: {str(error)[:120]}") from error
    return _require(content, member_name)


def _from_zip(data: bytes, member_name: str, max_bytes: int) -> bytes:
    import stat
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            matches = [
                info
                for info in archive.infolist()[:MAX_MEMBERS]
                if _normal(info.filename) == member_name
            ]
            if len(matches) > 1:
                raise FormatError("archive.twice", f"`{member_name[:80]}` is in the archive twice")
            if not matches:
                return _require(None, member_name)
            info = matches[0]
            mode = info.external_attr >> 16
            if info.is_dir() or (mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG)):
                raise FormatError("archive.not-a-file", f"`{member_name[:80]}` is not a plain file")
            if info.flag_bits & 1:
                raise FormatError("archive.encrypted", "the archive is encrypted")
            if info.file_size > max_bytes:
                raise FormatError("format.too-large", f"`{member_name[:80]}` is too large")
            with archive.open(info) as stream:
                content = stream.read(max_bytes + 1)
    except (
        zipfile.BadZipFile,
        OSError,
        EOFError,
        ValueError,
        zlib.error,
        NotImplementedError,
    ) as error:
        raise FormatError("archive.damaged", f"not an archive: {str(error)[:120]}") from error
    if len(content) > max_bytes:
        raise FormatError("format.too-large", f"`{member_name[:80]}` is too large")
    return content


def _require(content: bytes | None, member_name: str) -> bytes:
    if content is None:
        raise FormatError("archive.no-member", f"the archive has no file `{member_name[:80]}`")
    return content
