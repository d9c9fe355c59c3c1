"""One pass over a file: its digest, and whether it could answer `--agent` at all.

A program that prints ATIP metadata contains the word `atip` (the key of the document, or the import of
an SDK) and `agent` (the flag). Most of a machine's programs contain neither, and are never executed.
Stubs – console scripts, shell wrappers – are followed to what they start.
"""

from __future__ import annotations

import os

from atip.errors import AtipError
from atip.model.text.regex import literal_finder
from atip.model.value import Value
from atip.system.digests import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 1 << 20
_OVERLAP = 16
_SMALL = 1 << 15
_FIRST, _SECOND = b"atip", b"agent"
HEAD = 512
SCRIPT = 1 << 16


class Content(Value):
    """Result of reading a file once."""

    digest: str
    """`sha256:` and hex digits."""
    is_candidate: bool
    """Whether the file holds the marks of a tool that answers."""
    head: bytes = b""
    """The first bytes: `#!` line or magic number."""
    script: bytes = b""
    """The beginning of a script; empty for anything else."""


class ContentReader:
    """Reads files; holds the compiled search so that many files share it."""

    def __init__(self) -> None:
        self._first: Callable[[bytes], bool] = literal_finder(_FIRST)
        self._second: Callable[[bytes], bool] = literal_finder(_SECOND)

    def read(self, path: str) -> Content:
        """Hash and search in one pass.

        Raises:
            AtipError: `file.unreadable`.
        """
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                chunk = os.read(handle, _CHUNK)
                if len(chunk) < _SMALL:  # far from a whole chunk: that was all
                    return _judge_small(chunk)
                return self._read(handle, chunk)
            finally:
                os.close(handle)
        except OSError as error:
            raise AtipError("file.unreadable", f"cannot read `{path}`: {error.strerror}") from error

    def _read(self, handle: int, chunk: bytes) -> Content:
        import hashlib

        digest = hashlib.sha256()
        head, script = chunk[:HEAD], _script(chunk)
        tail = b""
        first = second = False
        while chunk:
            digest.update(chunk)
            first = first or self._first(chunk) or _FIRST in tail + chunk[:_OVERLAP]
            second = second or (first and self._second(chunk)) or _SECOND in tail + chunk[:_OVERLAP]
            tail = chunk[-_OVERLAP:]
            chunk = os.read(handle, _CHUNK)
        if first and not second:
            second = self._rest(handle)
        return Content(
            digest=f"sha256:{digest.hexdigest()}",
            is_candidate=first and second,
            head=head,
            script=script,
        )

    def _rest(self, handle: int) -> bool:
        """`agent` may stand before the place where `atip` was found: look again from the start."""
        os.lseek(handle, 0, os.SEEK_SET)
        tail = b""
        while chunk := os.read(handle, _CHUNK):
            if self._second(chunk) or _SECOND in tail + chunk[:_OVERLAP]:
                return True
            tail = chunk[-_OVERLAP:]
        return False

    def holds_marks(self, path: str) -> bool:
        """Whether another file (a module that a stub starts) holds the marks; false if unreadable."""
        try:
            return self.read(path).is_candidate
        except AtipError:
            return False


def _judge_small(data: bytes) -> Content:
    """A whole small file, for which plain search is faster than the compiled one."""
    return Content(
        digest=f"sha256:{sha256_hex(data)}",
        is_candidate=_FIRST in data and _SECOND in data,
        head=data[:HEAD],
        script=_script(data),
    )


def _script(data: bytes) -> bytes:
    return data[:SCRIPT] if data.startswith(b"#!") else b""
