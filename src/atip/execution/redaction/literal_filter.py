"""A second look at what is about to be shown: known values as raw bytes.

The rules work on text without escape sequences, so that a secret cannot hide between them. But then
`ESC 0` may swallow the first byte of a value that begins with `0`. This filter sees the bytes as they go out.
Marks of earlier redactions are left alone; independent of where the stream is cut.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

_LONGEST_MARK = 64
_MARK_END = b":redacted]"


class LiteralFilter:
    """One stream; idle until escape sequences are seen."""

    def __init__(self, values: Sequence[bytes], mark: bytes) -> None:
        self._values = sorted(set(values), key=len, reverse=True)
        self._compiled: re.Pattern[bytes] | None = None
        self._mark = mark
        self._hold = max([_LONGEST_MARK, *(len(value) for value in self._values)])
        self._pending = b""
        self.count = 0

    def feed(self, data: bytes, *, final: bool) -> bytes:
        """Redacted bytes that can be shown already; the last bytes are held back, because a value may continue after them."""
        if not self._values:
            return data
        data = self._pending + data
        out: list[bytes] = []
        end = 0
        limit = len(data) if final else max(0, len(data) - self._hold)
        for match in self._pattern.finditer(data) if self._may_match(data) else ():
            if match.start() >= limit:
                break
            out.append(data[end : match.start()])
            out.append(match[0] if match[1] else self._mark)
            self.count += not match[1]
            end = match.end()
        cut = max(end, limit)
        out.append(data[end:cut])
        self._pending = data[cut:]
        return b"".join(out)

    def _may_match(self, data: bytes) -> bool:
        """Most data holds no value and no mark, and then no expression is needed: importing `re` costs 3 ms."""
        return _MARK_END in data or any(value in data for value in self._values)

    @property
    def _pattern(self) -> re.Pattern[bytes]:
        if self._compiled is None:
            import re

            alternatives = b"|".join(map(re.escape, self._values))
            self._compiled = re.compile(rb"(\[[a-z0-9-]{1,48}:redacted\])|" + alternatives)
        return self._compiled
