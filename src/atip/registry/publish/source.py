"""The folder of contributions: its files, and what changed since the last build.

    publisher.json            who publishes, and under which rules
    shims/**/<hex>.json       one shim per binary, in any folders; its signature beside it as `<hex>.json.bundle`
    patterns/<name>.json      pattern documents
    policy.json               policy of an organization
    approvals.json            what a person approved

Links are not followed: only files of the folder itself are published.
"""

from __future__ import annotations

import hashlib
import itertools
import operator
import os
import stat
from array import array
from typing import TYPE_CHECKING

from atip.errors import AtipError, FormatError
from atip.model.problems import Problem
from atip.model.reading.shim_records import ShimRecord, read_head
from atip.model.value import Value
from atip.registry import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

SHIMS = "shims"
PATTERNS = "patterns"
POLICY = "policy.json"
_SHIM_ENDING, _BUNDLE_ENDING = ".json", ".json.bundle"
_UNSETTLED = -1
"""Mark of a file that may change again unseen; never equal to a remembered one."""
_POSITIVE = (1 << 63) - 1
_RACY_NS = 50_000_000
"""A file changed less than this before it was looked at may change again under the same time stamp."""


class ShimListing(Value):
    """Every file of the folder of shims, unread: its name and one number that changes with it."""

    names: list[str]
    marks: list[int]


def pack_names(names: Sequence[str]) -> bytes:
    return "\0".join(names).encode("utf-8", "surrogateescape")


def unpack_names(data: bytes) -> list[str]:
    return data.decode("utf-8", "surrogateescape").split("\0") if data else []


def pack_marks(marks: list[int]) -> bytes:
    """Stamp to remember: a file that may still be changing must look different next time."""
    settled = [max(mark, 0) for mark in marks] if _UNSETTLED in marks else marks
    return array("q", settled).tobytes()


def unpack_marks(data: bytes) -> list[int]:
    marks = array("q")
    marks.frombytes(data)
    return marks.tolist()


class Changes(Value):
    """Files that a build has to read."""

    changed: dict[str, str]
    """Digits of shims that are new or whose files differ → the shim's file."""
    removed: tuple[str, ...]
    """Digits of shims that are gone."""
    bundles: frozenset[str] | None = None
    """Names of the signatures that are there; None: not looked up."""
    problems: tuple[Problem, ...] = ()


def list_source(folder: str, now_ns: int) -> ShimListing:
    """Walk the folder of shims.

    Raises:
        AtipError: `publish.no-shims`.
    """
    start = os.path.join(folder, SHIMS)
    if not os.path.isdir(start):
        hint = "put shims in its folder `shims`"
        raise AtipError("publish.no-shims", f"`{folder}` has no folder `{SHIMS}`", hint=hint)
    listing = ShimListing(names=[], marks=[])
    _walk(start, "", listing, now_ns - _RACY_NS)
    return listing


def _walk(path: str, folder: str, listing: ShimListing, settled_ns: int) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    inner = []
    add_name, add_mark = listing.names.append, listing.marks.append
    try:
        with os.scandir(handle) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == ".":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    inner.append(name)
                    continue
                add_name(folder + name)
                add_mark(_mark(entry.stat(follow_symlinks=False), settled_ns))
    finally:
        os.close(handle)
    for name in sorted(inner):
        _walk(os.path.join(path, name), f"{folder}{name}/", listing, settled_ns)


def look_at(folder: str, names: Sequence[str], listing: ShimListing, now_ns: int) -> ShimListing:
    """The listing of the last build, with these files looked at again and all others as they were.

    For callers who know what changed: a file that they forget is not published now, and found by the next whole walk.

    Raises:
        FormatError: `publish.name` for a name that leads out of the folder.
    """
    marks = dict(zip(listing.names, listing.marks, strict=True))
    for name in names:
        if os.path.isabs(name) or ".." in name.split("/"):
            raise FormatError("publish.name", f"`{name[:100]}` is not below `{SHIMS}`")
        for file in (name.removesuffix(".bundle"), f"{name.removesuffix('.bundle')}.bundle"):
            try:
                status = os.lstat(f"{folder}/{SHIMS}/{file}")
            except FileNotFoundError:
                marks.pop(file, None)
                continue
            marks[file] = _mark(status, now_ns - _RACY_NS)
    return ShimListing(names=list(marks), marks=list(marks.values()))


def _mark(status: os.stat_result, settled_ns: int) -> int:
    # The change time cannot be set back; with inode and size it stands for the content.
    if status.st_ctime_ns < settled_ns and stat.S_ISREG(status.st_mode):
        return (status.st_ctime_ns ^ (status.st_ino << 24) ^ status.st_size) & _POSITIVE
    return _UNSETTLED


def compare(listing: ShimListing, names: list[str], marks: list[int]) -> Changes:
    """Shims that differ from those of the last build, without reading them. A remembered 0 always differs."""
    changes = Changes(changed={}, removed=())
    problems: list[Problem] = []
    if listing.names == names:
        different = itertools.compress(names, map(operator.ne, listing.marks, marks))
        _sort(list(different), changes.changed, problems)
        return changes.replace(problems=tuple(problems))
    present: dict[str, str] = {}
    for name in listing.names:
        if present.setdefault(name.rpartition("/")[2], name) != name:
            problems.append(_problem(name, "publish.duplicate", "exists twice"))
    before = dict(zip(names, marks, strict=True))
    now = zip(listing.names, listing.marks, strict=True)
    new = [name for name, mark in now if before.get(name) != mark] if before else listing.names
    _sort(new, changes.changed, problems)
    removed = _sort_gone(before.keys() - set(listing.names), present, changes.changed)
    bundles = frozenset(name for name in present if name.endswith(_BUNDLE_ENDING))
    for digits in sorted({name[:64] for name in bundles} & changes.changed.keys()):
        if digits + _SHIM_ENDING not in present:
            name = changes.changed.pop(digits)
            problems.append(_problem(f"{name}.bundle", "publish.orphan", "has no shim beside it"))
    return changes.replace(
        removed=tuple(sorted(removed)), problems=tuple(problems), bundles=bundles
    )


def _sort(names: list[str], changed: dict[str, str], problems: list[Problem]) -> None:
    """Files → shims, in the order of digits."""
    by_digits = {}
    for name in names:
        base = name.rpartition("/")[2]
        digits, ending = base[:64], base[64:]
        if ending not in (_SHIM_ENDING, _BUNDLE_ENDING) or not tree.is_hex_digest(digits):
            problems.append(_problem(name, "publish.name", "is not named by a SHA-256"))
        else:
            by_digits[digits] = name if ending == _SHIM_ENDING else name.removesuffix(".bundle")
    changed.update(sorted(by_digits.items()))


def _sort_gone(missing: set[str], present: dict[str, str], changed: dict[str, str]) -> set[str]:
    """Shims that are gone; one whose signature alone is gone has changed."""
    removed = set()
    for name in missing:
        digits = name.rpartition("/")[2][:64]
        place = present.get(digits + _SHIM_ENDING)
        if place is None:
            removed.add(digits)
        else:
            changed[digits] = place
    return removed


def _problem(where: str, code: str, message: str) -> Problem:
    hint = "name a shim by the SHA-256 of its binary" if code == "publish.name" else ""
    return Problem(path=where, code=code, message=f"`{where}` {message}", hint=hint)


class Contribution:
    """A shim as it was read, with its signature. A plain class: there may be 100,000 of them at once."""

    __slots__ = ("bundle", "data", "file", "record")

    def __init__(self, file: str, record: ShimRecord, data: bytes, bundle: bytes) -> None:
        self.file = file
        self.record = record
        self.data = data
        self.bundle = bundle


def read_contribution(
    folder: str, digits: str, name: str, *, has_bundle: bool = True
) -> Contribution:
    """Read one shim and its signature, and their checked facts.

    Args:
        has_bundle: False: there is certainly no signature.

    Raises:
        FormatError: `publish.unreadable`, `publish.hash-mismatch`, `publish.link`, `format.too-large`.
    """
    path = f"{folder}/{SHIMS}/{name}"
    data = read_regular(path, tree.MAX_SHIM)
    if data is None:
        raise FormatError("publish.changed-meanwhile", f"`{name}` no longer exists")
    head = read_head(data)
    binary = head.binary
    if binary.hash != f"sha256:{digits}":
        raise FormatError(
            "publish.hash-mismatch",
            f"`{digits}.json` describes `{binary.hash[:80]}`",
            hint="`binary.hash` and the file name are the SHA-256 of the binary",
        )
    bundle = read_regular(f"{path}.bundle", tree.MAX_BUNDLE) if has_bundle else None
    record = ShimRecord(
        digits,
        slot_of(digits),
        len(data),
        hashlib.sha256(data).hexdigest(),
        binary.name,
        binary.version,
        binary.platform,
        head.trust.source if head.trust else "",
        head.description,
        head.homepage,
        len(bundle) if bundle else 0,
        hashlib.sha256(bundle).hexdigest() if bundle else "",
    )
    return Contribution(name, record, data, bundle or b"")


def slot_of(digits: str) -> int:
    """See `ShimRecord.slot`."""
    return hashlib.sha256(f"{tree.SHIMS}/{digits}.json".encode()).digest()[0]


def read_regular(path: str, max_bytes: int) -> bytes | None:
    """A regular file whole, or None when there is none. Links are not followed, pipes not waited for.

    Raises:
        FormatError: `publish.link`, `format.too-large`.
        AtipError: `file.unreadable`.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise AtipError("file.unreadable", f"cannot read `{path}`: {error.strerror}") from error
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise FormatError("publish.link", f"`{path}` is not a regular file")
        if status.st_size > max_bytes:
            raise FormatError("format.too-large", f"`{path}` has more than {max_bytes:,} bytes")
        return os.read(handle, max_bytes + 1) if not status.st_size else _read(handle, status)
    finally:
        os.close(handle)


def _read(handle: int, status: os.stat_result) -> bytes:
    data = os.read(handle, status.st_size)
    while len(data) < status.st_size and (more := os.read(handle, status.st_size - len(data))):
        data += more
    return data
