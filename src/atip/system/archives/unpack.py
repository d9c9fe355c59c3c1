"""Archives of strangers into an empty folder: judged as a whole first, then written, or refused.

Tar (plain, gzip, xz, bzip2, zstd; so npm packages), zip (so wheels), Debian and RPM packages, detected by content. Nothing of an
archive is ever run, and maintainer scripts are not even written. Refused, never repaired: absolute names, `..`,
backslashes, drive letters, invisible or control characters, two members of one name (also if only the case differs),
a member below a link, links that leave the folder, devices, encryption, false counts and members that only some readers see, wheels
that do not hold what they list (`wheels.py`), more than the limits allow. What follows the end
of a compressed stream is ignored. Implements row 27 of the threat table (`conformance/threats.toml`).
"""

from __future__ import annotations

import io
import os
import unicodedata
from typing import TYPE_CHECKING

from atip.errors import FormatError
from atip.model.value import Value
from atip.system.archives.compression import read_compressed
from atip.system.archives.rpm import MAGIC as RPM_MAGIC
from atip.system.archives.wheels import check_wheel

if TYPE_CHECKING:
    import tarfile
    import zipfile
    from collections.abc import Callable, Iterable

MAX_TOTAL = 512 * 1024 * 1024
MAX_MEMBERS = 20_000
MAX_NAME = 1024
MAX_RATIO = 100
FREE_BYTES = 16 * 1024 * 1024
"""Up to this size no archive is a bomb, whatever its ratio."""
_AR_HEAD = 60
_ZIP_END, _ZIP_END_SIZE, _ZIP64 = b"PK\x05\x06", 22, 0xFFFF
_ZIP_HEAD, _ZIP_DESCRIPTOR = 30, 24


class Member(Value):
    """One file or link of an archive."""

    name: str
    """Relative, with `/`; inside the folder."""
    data: bytes = b""
    link: str = ""
    """Target of a symbolic link; empty for a file."""
    executable: bool = False


def unpack(
    data: bytes,
    folder: str,
    *,
    max_total: int = MAX_TOTAL,
    unix: bool = False,
    keep: Callable[[str], bool] | None = None,
) -> tuple[Member, ...]:
    """Write the files of an archive into `folder`, which must be empty or missing; all or nothing.

    Args:
        unix: a part of a Unix root (a Debian or RPM package): see `read_archive`.
        keep: name → whether to write the file; all are checked, only these are written. None: all.

    Raises:
        FormatError: `archive.*` or `format.*` with the reason; nothing was written.
    """
    members = read_archive(data, max_total=max_total, unix=unix)
    if keep is not None:
        members = tuple(member for member in members if keep(member.name))
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.listdir(folder):
        raise FormatError("archive.target", "archives are unpacked into empty folders only")
    for member in members:
        path = os.path.join(folder, member.name)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if not member.link:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with open(os.open(path, flags, 0o755 if member.executable else 0o644), "wb") as file:
                file.write(member.data)
    for member in members:  # links last: nothing is ever written through one
        if member.link:
            os.symlink(member.link, os.path.join(folder, member.name))
    return members


def open_to_sandbox(folder: str) -> None:
    """Make folders searchable for all users: a sandbox runs as another user, and unpacked files are private."""
    for above, _names, _files in os.walk(folder):
        os.chmod(above, 0o755)  # noqa: S103


def read_archive(
    data: bytes, *, max_total: int = MAX_TOTAL, unix: bool = False
) -> tuple[Member, ...]:
    """The members of an archive, judged; writes nothing.

    Args:
        unix: names may hold backslashes and differ by case alone, as in packages of a system they do; an absolute link
            is meant from the root that the folder stands for, and is made relative to it.

    Raises:
        FormatError: as `unpack`.
    """
    limit = min(max_total, max(FREE_BYTES, MAX_RATIO * len(data)))
    if data[:8] == b"!<arch>\n":
        return _from_tar(_debian_data(data), limit, unix)
    if data[:4] == RPM_MAGIC:
        return _check_members(_rpm_members(data, limit), unix)
    if data[:2] == b"PK":
        members = _check_members(_from_zip(data, limit), unix)
        check_wheel({member.name: member.data for member in members})
        return members
    return _from_tar(data, limit, unix)


def _check_members(members: Iterable[Member], unix: bool) -> tuple[Member, ...]:
    members_by_key: dict[str, Member] = {}
    for member in members:
        reason = _why_unsafe(member.name, unix)
        if reason:
            raise FormatError("archive.name", f"a member is refused: {reason}")
        key = member.name if unix else member.name.casefold()
        if unix and member.link.startswith("/"):
            inside = os.path.relpath(member.link, "/" + os.path.dirname(member.name))
            member = member.replace(link=inside)
        # SECURITY: which of two files of one name is meant depends on who reads, and on the file system.
        if key in members_by_key:
            raise FormatError("archive.twice", "two members have the same name")
        members_by_key[key] = member
        if len(members_by_key) > MAX_MEMBERS:
            raise FormatError("archive.too-many", f"more than {MAX_MEMBERS:,} members")
    if not members_by_key:
        raise FormatError("archive.empty", "the archive is empty")
    for member in members_by_key.values():
        _check_place(member, members_by_key, unix)
    return tuple(members_by_key.values())


def _why_unsafe(name: str, unix: bool = False) -> str:
    parts = name.split("/")
    if not name or len(name) > MAX_NAME:
        return "its name is empty or too long"
    if name.startswith("/") or ".." in parts:
        return "its name points outside the folder"
    if not unix and ("\\" in name or ":" in parts[0]):
        return "its name is a path of another system"
    if any(unicodedata.category(one)[0] == "C" or one in "\u2028\u2029" for one in name):
        return "its name contains invisible characters"
    return ""


def _check_place(member: Member, members_by_key: dict[str, Member], unix: bool) -> None:
    """SECURITY: no member is below a link or a file, and no link points outside."""
    parts = member.name.split("/")
    for count in range(1, len(parts)):
        above = "/".join(parts[:count])
        if (above if unix else above.casefold()) in members_by_key:
            raise FormatError("archive.below-member", "a member is below a file or a link")
    if member.link:
        target = os.path.normpath(os.path.join(os.path.dirname(member.name), member.link))
        if os.path.isabs(member.link) or target == ".." or target.startswith("../"):
            raise FormatError("archive.link", "a link points outside the folder")


def _normal(name: str) -> str:
    """Without the `./` and the doubled slashes that tools write; `..` and a leading `/` stay, to be refused."""
    lead = "/" if name.startswith("/") else ""
    return lead + "/".join(part for part in name.split("/") if part not in ("", "."))


def _from_tar(data: bytes, limit: int, unix: bool) -> tuple[Member, ...]:
    import tarfile

    plain = read_compressed(data, limit)
    try:
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
            return _check_members(_tar_members(archive, plain, limit), unix)
    except (tarfile.TarError, OSError, EOFError, ValueError, OverflowError, IndexError) as error:
        raise FormatError("archive.damaged", f"not an archive: {str(error)[:120]}") from error


def _tar_members(archive: tarfile.TarFile, plain: bytes, limit: int) -> Iterable[Member]:
    files: dict[str, Member] = {}
    left = limit
    for count, info in enumerate(archive):
        if count >= MAX_MEMBERS:
            raise FormatError("archive.too-many", f"more than {MAX_MEMBERS:,} members")
        name = _normal(info.name)
        left -= max(0, info.size)
        if info.size < 0 or left < 0:
            raise FormatError("format.too-large", "a member claims an impossible size")
        if info.isdir():
            if reason := _why_unsafe(name or "x"):
                raise FormatError("archive.name", f"a member is refused: {reason}")
        elif info.issym():
            yield Member(name=name, link=info.linkname)
        elif info.islnk():
            # SECURITY: only a second name of a file of this very archive; it becomes a copy.
            first = files.get(_normal(info.linkname))
            if first is None:
                raise FormatError("archive.link", "a hard link points outside the archive")
            left -= len(first.data)
            yield first.replace(name=name)
        elif info.isreg() and not info.issparse():
            content = plain[info.offset_data : info.offset_data + info.size]
            if len(content) != info.size:
                raise FormatError("archive.damaged", "the archive is truncated")
            files[name] = Member(name=name, data=content, executable=bool(info.mode & 0o111))
            yield files[name]
        else:
            raise FormatError("archive.kind", "a member is neither a file nor a folder nor a link")


def _rpm_members(data: bytes, limit: int) -> Iterable[Member]:
    import stat

    from atip.system.archives.rpm import rpm_entries

    for entry in rpm_entries(data, limit):
        name = _normal(entry.name)
        if stat.S_ISDIR(entry.mode):
            if reason := _why_unsafe(name or "x", unix=True):
                raise FormatError("archive.name", f"a member is refused: {reason}")
        elif stat.S_ISLNK(entry.mode):
            yield Member(name=name, link=entry.data.decode("utf-8", "surrogateescape"))
        elif stat.S_ISREG(entry.mode):
            yield Member(name=name, data=entry.data, executable=bool(entry.mode & 0o111))
        else:
            raise FormatError("archive.kind", "a member is neither a file nor a folder nor a link")


def _from_zip(data: bytes, limit: int) -> list[Member]:
    import zipfile
    import zlib

    failures = (zipfile.BadZipFile, OSError, EOFError, ValueError, zlib.error, IndexError)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            if sum(info.file_size for info in infos) > limit:
                raise FormatError("format.too-large", f"more than {limit:,} bytes when unpacked")
            if len(infos) > MAX_MEMBERS:
                raise FormatError("archive.too-many", f"more than {MAX_MEMBERS:,} members")
            _check_zip(data, infos, archive.start_dir)
            return [member for info in infos for member in _zip_member(archive, info)]
    except (*failures, NotImplementedError, RuntimeError, UnicodeError) as error:
        raise FormatError("archive.damaged", f"not an archive: {str(error)[:120]}") from error


def _check_zip(data: bytes, infos: list[zipfile.ZipInfo], directory: int) -> None:
    """SECURITY: some readers follow the directory at the end, some the members one after the other, some the counts: all must see the same."""
    end = data.rfind(_ZIP_END)
    count = int.from_bytes(data[end + 10 : end + 12], "little")
    comment = int.from_bytes(data[end + 20 : end + 22], "little")
    if (
        end < 0
        or (count != len(infos) and count != _ZIP64)
        or end + _ZIP_END_SIZE + comment != len(data)
    ):
        raise FormatError("archive.damaged", "the archive's counts do not match its content")
    at = 0
    for info in sorted(infos, key=lambda each: each.header_offset):
        # between two members nothing but the sizes that a streaming writer adds
        if not 0 <= info.header_offset - at <= _ZIP_DESCRIPTOR:
            raise FormatError(
                "archive.hidden", "the archive contains files that its directory does not list"
            )
        head = data[info.header_offset : info.header_offset + _ZIP_HEAD]
        names = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        at = info.header_offset + _ZIP_HEAD + names + info.compress_size
    if not 0 <= directory - at <= _ZIP_DESCRIPTOR:
        raise FormatError(
            "archive.hidden", "the archive contains files that its directory does not list"
        )


def _zip_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterable[Member]:
    import stat

    mode = info.external_attr >> 16
    if info.flag_bits & 1:
        raise FormatError("archive.encrypted", "the archive is encrypted")
    if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise FormatError("archive.kind", "a member is neither a file nor a folder")
    # `orig_filename`: the library hides backslashes and what follows a NUL.
    name = _normal(info.orig_filename)
    if info.is_dir():
        if reason := _why_unsafe(name or "x"):
            raise FormatError("archive.name", f"a member is refused: {reason}")
        return
    with archive.open(info) as content:  # compares the local with the central name
        content_bytes = content.read(info.file_size + 1)
    if len(content_bytes) != info.file_size:
        raise FormatError("archive.damaged", "a member's size differs from its header")
    yield Member(name=name, data=content_bytes, executable=bool(mode & 0o111))


def _debian_data(data: bytes) -> bytes:
    """`data.tar` of a Debian package; the scripts in `control.tar` are left where they are."""
    parts: list[bytes] = []
    at = 8
    while at < len(data):
        head = data[at : at + _AR_HEAD]
        size = head[48:58].strip()
        if head[58:] != b"`\n" or not size.isdigit() or at + _AR_HEAD + int(size) > len(data):
            raise FormatError("archive.damaged", "not a Debian package")
        if head[:16].strip().rstrip(b"/").startswith(b"data.tar"):
            parts.append(data[at + _AR_HEAD : at + _AR_HEAD + int(size)])
        at += _AR_HEAD + int(size) + int(size) % 2
    # SECURITY: which of two would be unpacked depends on who reads.
    if len(parts) != 1:
        raise FormatError("archive.damaged", "a Debian package must have exactly one `data.tar`")
    return parts[0]
