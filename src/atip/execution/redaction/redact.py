"""Redaction: secrets out of a stream of output, before anything is cut, kept or shown. Pure.

    redactor = Redactor(passed_values(confinement.env_pass, env))
    shown = redactor.feed(piece) + redactor.finish()

A secret becomes `[kind:redacted]`. The result does not depend on how the output was cut into pieces, doing it
twice changes nothing, and the time is linear. Escape sequences and invisible characters inside a
secret do not hide it; outside of one they pass through (cleaning is the presenter's work).

How: output is read as text and *noise* (escapes, invisible bytes). Rules look at the text alone. A piece of text is
decided when no further byte can change what matches there: at the end of a line, or `window` bytes
later in a line without end, or at the end of a private key. Implements ATIP 0.6 §11.3.
"""

from __future__ import annotations

import collections
import functools

from atip.execution.redaction import secret_rules
from atip.execution.redaction.literal_filter import LiteralFilter
from atip.execution.redaction.secret_values import MARK, is_plausible
from atip.model.text.regex import late_regex, literal_finder
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

    Span = tuple[int, int, int]
    """Start, end, number of the rule."""
    Hit = tuple[int, int, int, bool]
    """Where a match begins; start and end of its secret; whether it is one. The search goes on at the
    end of a secret, and at its start if it is none."""
    Finder = Callable[[bytes, bytes, int], Iterator[Hit]]

_MAX_NOISE = 600
_SHORT = 4096
"""Up to here a text is searched for each anchor: making one search of them all costs more."""
_LOOK_BACK = 64
_NOISE = late_regex(
    rb"(?:\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b[\]PX^_][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\)"
    rb"|\x1b[ -/]{0,4}[0-Z\\^-~]|[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]"
    rb"|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa9]|\xef\xbb\xbf|\xc2\xad)++"
)
_PLAIN = bytes({*range(0x20, 0x7F), *range(0x09, 0x0E), *range(0x80, 0x100)} - {0xC2, 0xE2, 0xEF})
"""Bytes with which no noise begins: most output consists of them, and is not searched for any."""
_NOISE_HEAD = late_regex(
    rb"(?:\x1b(?:\[[0-?]{0,64}[ -/]{0,8}|[\]PX^_][^\x07\x1b\n]{0,512}\x1b?|[ -/]{0,4})?|\xe2(?:[\x80\x81])?|\xef\xbb?|\xc2)\Z"
)
_KEY_HEAD = b"-----BEGIN"
_KEY_END = late_regex(rb"-----END[^-\n]{0,60}-----")


class RedactedText(Value):
    """One whole text without its secrets."""

    data: bytes
    counts: tuple[tuple[str, int], ...] = ()
    """Kind → how many, in the order of the rule table."""


def redact(data: bytes, secrets: Sequence[bytes] = ()) -> RedactedText:
    """A whole text at once."""
    redactor = Redactor(secrets)
    out = redactor.feed(data) + redactor.finish()
    return RedactedText(data=out, counts=redactor.counts)


def redact_text(text: str, secrets: Sequence[bytes] = ()) -> str:
    """Like `redact`, for text such as an error message or an argument."""
    raw = text.encode("utf-8", "surrogatepass")
    return redact(raw, secrets).data.decode("utf-8", "surrogatepass")


class Redactor:
    """One stream. `feed` pieces, then `finish` once; each returns what is decided by then."""

    def __init__(self, secrets: Sequence[bytes] = ()) -> None:
        """
        Args:
            known: values to hide wherever they stand, see `secret_values.passed_values`.
        """
        values, self._finders, self._kinds = _rules(tuple(secrets))
        self._window = max([secret_rules.MAX_MATCH, *(len(value) + 64 for value in values)])
        self._literals = LiteralFilter(values, b"[" + secret_rules.PASSED.encode() + b":redacted]")
        self._raw = b""
        self._text = b""
        self._base = 0
        """Place of `_text[0]` in all text."""
        self._past = 0
        """Bytes of `_text` that are written already and kept for rules that look back."""
        self._noise: collections.deque[tuple[int, bytes]] = collections.deque()
        self._resume = [0] * len(self._finders)
        self._pending: list[Span] = []
        self._hidden_until = 0
        self._counts: dict[str, int] = {}

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Number of redactions so far, by kind."""
        kinds = secret_rules.KINDS
        return tuple((kind, self._counts[kind]) for kind in kinds if kind in self._counts)

    def feed(self, data: bytes) -> bytes:
        """Take a piece; return what is decided."""
        self._take(data, final=False)
        cut = self._find_stable_end()
        return self._filter_literals(
            self._emit(cut, final=False) if cut > self._past else b"", final=False
        )

    def finish(self) -> bytes:
        """The end of the stream: everything is decided."""
        self._take(b"", final=True)
        return self._filter_literals(self._emit(len(self._text), final=True), final=True)

    def _filter_literals(self, data: bytes, *, final: bool) -> bytes:
        """SECURITY: known values once more, as raw bytes; see `literal_filter.py`."""
        before = self._literals.count
        out = self._literals.feed(data, final=final)
        if self._literals.count > before:
            kind = secret_rules.PASSED
            self._counts[kind] = self._counts.get(kind, 0) + self._literals.count - before
        return out

    def _take(self, data: bytes, *, final: bool) -> None:
        """Split raw bytes into text and noise; keep back what may be the beginning of noise."""
        raw = self._raw + data
        self._raw = b""
        if not raw.translate(None, _PLAIN):
            self._text += raw
            return
        if not final and (head := _NOISE_HEAD.search(raw, max(0, len(raw) - _MAX_NOISE))):
            self._raw = raw[head.start() :]
            raw = raw[: head.start()]
        parts = [self._text]
        last = 0
        place = self._base + len(self._text)
        for noise in _NOISE.finditer(raw):
            parts.append(raw[last : noise.start()])
            place += noise.start() - last
            self._noise.append((place, noise.group()))
            last = noise.end()
        parts.append(raw[last:])
        self._text = b"".join(parts)

    def _find_stable_end(self) -> int:
        """Up to where in `_text` nothing that is still to come can change a match."""
        text = self._text
        cut = text.rfind(b"\n") + 1
        if len(text) - max(cut, self._past) > 2 * self._window:
            cut = len(text) - self._window
        # A head that is itself cut off lies in the last line, or in the last window of a long one.
        opened = text.rfind(_KEY_HEAD, max(0, len(text) - secret_rules.MAX_KEY_BLOCK - 300))
        if opened >= 0 and not _KEY_END.search(text, opened):
            cut = min(cut, opened)
        return cut

    def _emit(self, cut: int, *, final: bool) -> bytes:
        out = self._write(self._base + cut, self._spans(cut), final=final)
        keep = max(0, cut - _LOOK_BACK)
        self._base += keep
        self._text = self._text[keep:]
        self._past = cut - keep
        return out

    def _spans(self, cut: int) -> list[Span]:
        """Secrets whose match begins before `cut`, in places of all text, by start."""
        text, base = self._text, self._base
        lowered = text.lower()
        spans = self._pending
        for number in self._worth_trying(text, lowered):
            finder = self._finders[number]
            begin = max(self._past, self._resume[number] - base)
            for match_start, start, end, is_secret in finder(text, lowered, begin):
                if match_start >= cut:
                    break
                self._resume[number] = base + (end if is_secret else start)
                if is_secret:
                    spans.append((base + start, base + end, number))
        spans.sort()
        self._pending = [span for span in spans if span[0] >= base + cut]
        return spans[: len(spans) - len(self._pending)]

    def _worth_trying(self, text: bytes, lowered: bytes) -> Iterator[int]:
        issued, guessed = _make_finders() if len(text) > _SHORT else (_has_issued, _has_guessed)
        first = len(self._finders) - len(_ROWS)
        yield from range(first)
        if issued(text):
            yield from range(first, first + _FIRST_GUESS)
        if guessed(lowered):
            yield from range(first + _FIRST_GUESS, len(self._finders))

    def _write(self, cut: int, spans: list[Span], *, final: bool) -> bytes:
        """Everything up to `cut`, with one mark for each run of overlapping secrets."""
        parts: list[bytes] = []
        position = self._base + self._past
        for start, end, number in spans:
            if start >= self._hidden_until:
                self._show(max(position, self._hidden_until), start, parts, inclusive=True)
                kind = self._kinds[number]
                self._counts[kind] = self._counts.get(kind, 0) + 1
                parts.append(b"[" + kind.encode() + MARK)
            self._hidden_until = max(self._hidden_until, end)
        self._show(max(position, self._hidden_until), cut, parts, inclusive=final)
        return b"".join(parts)

    def _show(self, start: int, end: int, parts: list[bytes], *, inclusive: bool) -> None:
        """Text without secrets, with its noise; noise before `start` was inside a secret."""
        noise, text, base = self._noise, self._text, self._base
        while noise and noise[0][0] < start:
            noise.popleft()
        limit = end + 1 if inclusive else end
        while noise and noise[0][0] < limit:
            place, data = noise.popleft()
            parts += (text[start - base : place - base], data)
            start = place
        parts.append(text[start - base : max(start, end) - base])


_ROWS = (secret_rules.KEY_BLOCK, *secret_rules.ISSUED, *secret_rules.GUESSED)
_FIRST_GUESS = len(_ROWS) - len(secret_rules.GUESSED)


@functools.cache
def _finders() -> tuple[Finder, ...]:
    return tuple(
        _rule_finder(kind, anchors, pattern, any_case=number >= _FIRST_GUESS)
        for number, (kind, anchors, pattern) in enumerate(_ROWS)
    )


@functools.lru_cache(maxsize=4)
def _rules(secrets: tuple[bytes, ...]) -> tuple[list[bytes], list[Finder], list[str]]:
    """The values to look for; finders and kinds of all rules. Kept, because each text of a record is redacted by itself."""
    # Line by line: a match across lines could not be decided at the end of one.
    lines = [line for secret in secrets for line in _without_noise(secret).split(b"\n") if line]
    values = list(dict.fromkeys(line for line in lines if len(line) >= 3 or line in secrets))
    finders = [*(_literal_finder(value) for value in values), *_finders()]
    return values, finders, [*(secret_rules.PASSED for _ in values), *(row[0] for row in _ROWS)]


_EXACT = tuple(anchor for row in _ROWS[:_FIRST_GUESS] for anchor in row[1])
_FOLDED = tuple(anchor for row in _ROWS[_FIRST_GUESS:] for anchor in row[1])


def _has_issued(text: bytes) -> bool:
    return _has_any(_EXACT, text)


def _has_guessed(lowered: bytes) -> bool:
    return _has_any(_FOLDED, lowered)


def _has_any(anchors: tuple[bytes, ...], text: bytes) -> bool:
    for anchor in anchors:  # noqa: SIM110  half the time of `any` with a generator, for every text of a record
        if anchor in text:
            return True
    return False


@functools.cache
def _make_finders() -> tuple[Callable[[bytes], bool], Callable[[bytes], bool]]:
    """Whether any rule of either table can match in a text at all, by one fast search each."""
    import re

    return (
        literal_finder(b"|".join(map(re.escape, _EXACT))),
        literal_finder(b"|".join(map(re.escape, _FOLDED))),
    )


@functools.cache
def _marks() -> re.Pattern[bytes]:
    """Marks of ours, exactly; what only looks like one protects nothing."""
    import re

    kinds = "|".join(re.escape(kind) for kind in secret_rules.KINDS)
    return re.compile(rb"\[(?:" + kinds.encode() + rb")" + re.escape(MARK))


def _without_noise(value: bytes) -> bytes:
    return _NOISE.sub(b"", value) if value.translate(None, _PLAIN) else value


def _rule_finder(kind: str, anchors: Sequence[bytes], pattern: bytes, *, any_case: bool) -> Finder:
    # Compiled where an anchor is seen: most runs see none, and all patterns together cost more than a start.
    compiled = late_regex(pattern)

    def find(text: bytes, lowered: bytes, begin: int) -> Iterator[Hit]:
        position = begin
        for place, back in _places(lowered if any_case else text, anchors, begin):
            for at in range(max(position, place - back), place + 1):
                if match := compiled.match(text, at):
                    start, end = match.span(match.lastindex or 0)
                    secret = is_plausible(kind, text[start:end], match.group())
                    yield at, start, end, secret
                    position = end if secret else start
                    if secret or start > place:
                        break

    return find


def _places(text: bytes, anchors: Sequence[bytes], begin: int) -> Iterator[tuple[int, int]]:
    """Positions of anchors, in order, each with the number of bytes before it at which a match may begin."""
    ahead = [(text.find(anchor, begin), anchor) for anchor in anchors]
    ahead = [(place, anchor) for place, anchor in ahead if place >= 0]
    while ahead:
        place, anchor = min(ahead)
        yield place, secret_rules.BACK.get(anchor, 0)
        ahead.remove((place, anchor))
        following = text.find(anchor, place + 1)
        if following >= 0:
            ahead.append((following, anchor))


def _literal_finder(value: bytes) -> Finder:
    def find(text: bytes, lowered: bytes, begin: int) -> Iterator[Hit]:
        position = text.find(value, begin)
        while position >= 0:
            mark = _mark_around(text, position, position + len(value))
            yield position, position if mark is None else mark, position + len(value), mark is None
            position = text.find(value, position + len(value) if mark is None else mark)

    return find


def _mark_around(text: bytes, start: int, end: int) -> int | None:
    """The end of the mark that holds `[start, end)`: a value such as `token` is part of marks."""
    if MARK not in text[max(0, start - 40) : end + 40]:
        return None
    for mark in _marks().finditer(text, max(0, start - 40), end + 40):
        if mark.start() <= start and end <= mark.end():
            return mark.end()
    return None
