"""Audit: who ran what, under which decision and confinement – a chain in which no record can be changed unseen.

One JSON document per line, in `audit.jsonl` of the user's data folder (0600, append-only). Each record
holds the hash of the one before; the hash of a record covers everything in it. A run has a start record, durable
before anything starts, and an end record. A file that grows too large is set aside under a numbered name, and
the next one begins with its last hash, so the chain goes on.

The chain cannot show a truncated end; its anchor does (`anchor.py`). A process that can write both files can also write a
new chain from the first record on: keep a head elsewhere (`atip audit verify --head`) to see that.
"""

from __future__ import annotations

import os

from atip.errors import AtipError, ExecutionError
from atip.execution.audit.anchor import holds, move_anchor, read_anchor
from atip.model.reading.plain_json import dumps, loads
from atip.model.value import Value
from atip.system import files
from atip.system.clock import now
from atip.system.digests import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from atip.execution.audit.anchor import Head

NAME = "audit.jsonl"
GENESIS = "0" * 64
MAX_FILE = 16 * 1024 * 1024
MAX_RECORD = 256 * 1024
_USUAL_RECORDS = 8 * 1024


class ChainBreak(Value):
    """The first record that does not fit."""

    file: str
    line: int
    reason: str


class ChainCheck(Value):
    """Result of a check of the whole chain."""

    records: int
    last: str
    """Hash of the last good record."""
    broken: ChainBreak | None = None
    anchored: bool = False
    """There is an anchor, so a cut at the end would have been seen."""
    unfinished: tuple[str, ...] = ()
    """Runs with a start and no end: still running, or killed."""


class Audit:
    """The chain in one folder. Safe for any number of processes at once."""

    def __init__(self, folder: str, *, anchor: str = "", max_file: int = MAX_FILE) -> None:
        """
        Args:
            anchor: a file in another folder that records the end of the chain; empty: none.
        """
        self.folder = folder
        self._anchor = anchor
        self.path = os.path.join(folder, NAME)
        self._max_file = max_file

    def append(self, record: Mapping[str, Any]) -> str:
        """Write one record, durably, and return its hash.

        Raises:
            ExecutionError: `audit.unwritable`; the caller decides whether that stops the run.
        """
        try:
            files.make_private(self.folder)
            with files.locked(os.path.join(self.folder, ".audit.lock")):
                return self._append_locked(record)
        except (OSError, AtipError) as error:
            reason = error.message if isinstance(error, AtipError) else error.strerror
            raise ExecutionError(
                "audit.unwritable",
                f"cannot write the audit record: {reason}",
                hint="free space or fix the permissions of the audit file",
                details={"path": self.path},
            ) from error

    def _append_locked(self, record: Mapping[str, Any]) -> str:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(self.path, flags, 0o600)
        try:
            size = os.fstat(handle).st_size
            tail, previous = _ending(handle, size)
            if not size:
                previous = self._last_set_aside()
            if size > self._max_file and tail.endswith(b"\n"):
                os.rename(self.path, self._next_name())
                os.close(handle)
                handle = os.open(self.path, flags, 0o600)
                tail = b""
            line, digest = _encode_record(record, previous)
            # A writer that was killed in the middle left a partial line: end it, so that ours is on its own line.
            lead = b"" if not tail or tail.endswith(b"\n") else b"\n"
            size = os.fstat(handle).st_size
            try:
                _write_whole(handle, lead + line)
                os.fsync(handle)
            except OSError:
                os.ftruncate(handle, size)
                raise
            if self._anchor:
                files.make_private(os.path.dirname(self._anchor))
                move_anchor(self._anchor, previous, digest, self._hashes())
            return digest
        finally:
            os.close(handle)

    def _hashes(self) -> Iterator[str]:
        return (str(record.get("hash", "")) for record in self.records())

    def _last_set_aside(self) -> str:
        names = self._set_aside()
        if not names:
            return GENESIS
        with open(os.path.join(self.folder, names[-1]), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - MAX_RECORD - 1))
            return _last_hash(file.read()) or GENESIS

    def _set_aside(self) -> list[str]:
        return sorted(name for name in os.listdir(self.folder) if _number_of(name))

    def _next_name(self) -> str:
        names = self._set_aside()
        number = int(_number_of(names[-1])) + 1 if names else 1
        return os.path.join(self.folder, f"audit.{number:06}.jsonl")

    def lines(self) -> Iterator[tuple[str, int, bytes]]:
        """Every line of the chain, oldest first: file name, number, bytes."""
        if not os.path.isdir(self.folder):
            return
        for name in [*self._set_aside(), NAME]:
            path = os.path.join(self.folder, name)
            if not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                number = 0
                while line := file.readline(MAX_RECORD + 1):
                    number += 1
                    yield name, number, line

    def records(self) -> Iterator[dict[str, Any]]:
        """Every readable record, oldest first; `verify` checks whether they are intact."""
        for _, _, line in self.lines():
            record = _decode_record(line)
            if record is not None:
                yield record

    def newest(self) -> Iterator[dict[str, Any]]:
        """Every readable record, newest first; reads no more of the files than needed."""
        if not os.path.isdir(self.folder):
            return
        for name in reversed([*self._set_aside(), NAME]):
            path = os.path.join(self.folder, name)
            if os.path.isfile(path):
                for line in files.lines_backwards(path, MAX_RECORD):
                    record = _decode_record(line)
                    if record is not None:
                        yield record

    def verify(self, heads: Sequence[Head] = ()) -> ChainCheck:
        """Follow the chain to its end or to the first record that does not fit.

        Args:
            heads: noted elsewhere; the chain must have been so at some time.
        """
        checked = self._follow()
        anchor = read_anchor(self._anchor) if self._anchor else None
        checked = checked.replace(anchored=anchor is not None)
        if checked.broken is not None:
            return checked
        expected = (*heads, *((anchor.head, *anchor.lost) if anchor else ()))
        chain = tuple(self._hashes()) if expected else ()
        missing = [head for head in expected if not holds(head, chain)]
        if not missing:
            return checked
        reason = f"records are missing: the chain once had {missing[0].records} and ended with {missing[0].last}"
        return checked.replace(broken=_broken(NAME, len(chain) + 1, reason))

    def _follow(self) -> ChainCheck:
        previous = GENESIS
        count = 0
        open_runs: dict[str, None] = {}
        for name, number, line in self.lines():
            record = _decode_record(line)
            if record is None:
                if _is_torn(line):
                    continue  # half a line of a killed writer; the chain goes on after it
                return ChainCheck(
                    records=count, last=previous, broken=_broken(name, number, "it is not a record")
                )
            if record.get("previous") != previous:
                reason = "it does not follow the record before it"
                return ChainCheck(
                    records=count, last=previous, broken=_broken(name, number, reason)
                )
            if record.get("hash") != _hash(record):
                return ChainCheck(
                    records=count, last=previous, broken=_broken(name, number, "it was changed")
                )
            previous = record["hash"]
            count += 1
            run = str(record.get("run", ""))
            if record.get("event") == "start":
                open_runs[run] = None
            elif record.get("event") == "end":
                open_runs.pop(run, None)
        return ChainCheck(records=count, last=previous, unfinished=tuple(open_runs))


def _number_of(name: str) -> str:
    """The six digits of a file that was set aside; empty: it is none of these."""
    digits = name.removeprefix("audit.").removesuffix(".jsonl")
    is_number = len(digits) == 6 and digits.isascii() and digits.isdigit()
    return digits if is_number and name == f"audit.{digits}.jsonl" else ""


def _broken(name: str, number: int, reason: str) -> ChainBreak:
    return ChainBreak(file=name, line=number, reason=reason)


def _is_torn(line: bytes) -> bool:
    """Whether a line is the beginning of a record of ours that was never finished."""
    return line.startswith(b'{"event":') and not line.rstrip(b"\n").endswith(b"}")


def _encode_record(record: Mapping[str, Any], previous: str) -> tuple[bytes, str]:
    body = {**record, "time": round(now(), 3), "previous": previous}
    digest = _hash(body)
    line = _canonical({**body, "hash": digest}) + b"\n"
    if len(line) > MAX_RECORD:
        raise ExecutionError("audit.too-large", "the audit record is too large")
    return line, digest


def _canonical(record: Mapping[str, Any]) -> bytes:
    # `event` first, so that a partial line can be recognized.
    ordered = {"event": record.get("event", ""), **{k: record[k] for k in sorted(record)}}
    # ASCII only: no control character and no invisible one can stand in a log line.
    return dumps(ordered, ensure_ascii=True, compact=True).encode()


def _hash(record: Mapping[str, Any]) -> str:
    return sha256_hex(_canonical({key: value for key, value in record.items() if key != "hash"}))


def _decode_record(line: bytes) -> dict[str, Any] | None:
    try:
        record = loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _ending(handle: int, size: int) -> tuple[bytes, str]:
    """The end of a file, and the hash of the last whole record in it."""
    for room in (_USUAL_RECORDS, MAX_RECORD + 1):
        tail = os.pread(handle, min(size, room), max(0, size - room))
        # what is cut off at its beginning is not a document: the last bracket closes nothing
        if last_hash := _last_hash(tail):
            return tail, last_hash
    return tail, GENESIS


def _last_hash(tail: bytes) -> str:
    """Hash of the last whole record in the end of a file; empty: there is none."""
    for line in reversed(tail.split(b"\n")):
        record = _decode_record(line) if line else None
        if record is not None and isinstance(record.get("hash"), str):
            return str(record["hash"])
    return ""


def _write_whole(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
