"""Marks: bytes in a program's file that identify the protocol it supports. Reads the file, runs nothing."""

from __future__ import annotations

import functools
import os

COBRA = b"__completeNoDesc"
COBRA_PACKAGE = b"github.com/spf13/cobra."
CARAPACE = b"_carapace"
SWIFT = b"experimental-dump-help"
GO_FLAG = b"flag provided but not defined"
MARKS = (COBRA, COBRA_PACKAGE, CARAPACE, SWIFT, GO_FLAG)
_CHUNK = 1 << 20
_OVERLAP = max(map(len, MARKS))


def marks_in(path: str) -> frozenset[bytes]:
    """The MARKS that an ELF file contains; empty for other files and for those that cannot be read."""
    try:
        status = os.stat(path)
    except OSError:
        return frozenset()
    return _marks(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=16)
def _marks(path: str, _size: int, _changed: int) -> frozenset[bytes]:
    marks: set[bytes] = set()
    tail = b""
    try:
        with open(path, "rb", buffering=0) as file:
            if file.read(4) != b"\x7fELF":
                return frozenset()
            while chunk := file.read(_CHUNK):
                border = tail + chunk[:_OVERLAP]
                marks |= {mark for mark in MARKS if mark in chunk or mark in border}
                tail = chunk[-_OVERLAP:]
    except OSError:
        return frozenset()
    return frozenset(marks)
