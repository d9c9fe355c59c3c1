"""One pass over a file: its digest, and whether it could answer `--agent` at all.

A program that prints ATIP metadata contains the word `atip` (the key of the document, or the import of
an SDK) and `agent` (the flag). Most of a machine's programs contain neither, and are never executed.
Stubs – console scripts, shell wrappers – are followed to what they start.
"""

from __future__ import annotations

import hashlib
import os

from atip.errors import AtipError
from atip.model.regex import literal_finder
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 1 << 20
_OVERLAP = 16
_FIRST, _SECOND = b"atip", b"agent"
HEAD = 512


class Content(Value):
    """What reading a file once tells."""

    digest: str
    """`sha256:` and hex digits."""
    is_candidate: bool
    """Whether the file holds the marks of a tool that answers."""
    head: bytes = b""
    """The first bytes: `#!` line or magic number."""


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
            with open(path, "rb", buffering=0) as file:
                return self._read(file.fileno())
        except OSError as error:
            raise AtipError("file.unreadable", f"cannot read `{path}`: {error.strerror}") from error

    def _read(self, handle: int) -> Content:
        digest = hashlib.sha256()
        head = tail = b""
        first = second = False
        while True:
            chunk = os.read(handle, _CHUNK)
            if not chunk:
                break
            digest.update(chunk)
            if not head:
                head = chunk[:HEAD]
            first = first or self._first(chunk) or _FIRST in tail + chunk[:_OVERLAP]
            second = second or (first and self._second(chunk)) or _SECOND in tail + chunk[:_OVERLAP]
            tail = chunk[-_OVERLAP:]
        if first and not second:
            second = self._rest(handle)
        return Content(
            digest=f"sha256:{digest.hexdigest()}", is_candidate=first and second, head=head
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
