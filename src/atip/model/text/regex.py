"""Regular expressions: those of documents on a linear-time engine only, our own compiled when they are first used.

The one user of RE2. Patterns that documents bring (`version_check.parse`, CMP `re:`, ATIP `pattern`) are
short, and what RE2 cannot do (look-around, back-references) is refused with a message, never handed
to a backtracking engine: `(a+)+$` on 27 characters took 18 s there.
"""

from __future__ import annotations

from atip.errors import FormatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any, AnyStr

MAX_PATTERN = 512
MAX_SUBJECT = 1_000_000


class Regex:
    """A compiled pattern. Searches at most MAX_SUBJECT characters, in linear time."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str, compiled: Any) -> None:
        self.source = source
        self._compiled = compiled

    def search(self, text: str) -> dict[str | int, str | None] | None:
        """Groups of the first match by number and by name (0 is the whole), or None."""
        match = self._compiled.search(text[:MAX_SUBJECT])
        if match is None:
            return None
        groups: dict[str | int, str | None] = {0: match.group(0)}
        groups.update(enumerate(match.groups(), 1))
        groups.update(match.groupdict())
        return groups

    def matches(self, text: str) -> bool:
        """Whether the pattern occurs anywhere in the text."""
        return self._compiled.search(text[:MAX_SUBJECT]) is not None

    def covers(self, text: str) -> bool:
        """Whether the pattern matches the whole text."""
        return len(text) <= MAX_SUBJECT and self._compiled.fullmatch(text) is not None


class LazyRegex:
    """An expression of our own. `import re` costs a third of starting Python, and compiling up to 4 ms; most calls of `guard`
    need none of it."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self._compiled: re.Pattern[str] | None = None

    def _get(self) -> re.Pattern[str]:
        if self._compiled is None:
            import re

            self._compiled = re.compile(self.source)
        return self._compiled

    def search(self, text: str) -> re.Match[str] | None:
        return self._get().search(text)

    def match(self, text: str) -> re.Match[str] | None:
        return self._get().match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self._get().fullmatch(text)

    def findall(self, text: str) -> list[str]:
        return self._get().findall(text)

    def split(self, text: str) -> list[str]:
        return [part or "" for part in self._get().split(text)]


class _LateRegex:
    """See `late_regex`."""

    def __init__(self, source: str | bytes) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        import re

        attribute = getattr(re.compile(self._source), name)
        setattr(self, name, attribute)
        return attribute


def late_regex(source: AnyStr) -> re.Pattern[AnyStr]:
    """An expression of our own that is compiled when it is first used; flags are written into it (`(?i)`)."""
    late: Any = _LateRegex(source)
    pattern: re.Pattern[AnyStr] = late
    return pattern


def compile_regex(source: str, *, ignore_case: bool = False) -> Regex:
    """ECMAScript or Python syntax → Regex.

    Raises:
        FormatError: `regex.too-long`, `regex.unsupported` (say what), `regex.syntax`.
    """
    if len(source) > MAX_PATTERN:
        raise FormatError(
            "regex.too-long", f"pattern has {len(source)} characters, the limit is {MAX_PATTERN}"
        )
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 4 << 20
    options.case_sensitive = not ignore_case
    try:
        return Regex(source, re2.compile(_translate(source), options=options))
    except re2.error as error:
        raise _refusal(source, str(error)) from error


def literal_finder(needle: bytes) -> Callable[[bytes], bool]:
    """A function that tells whether bytes contain `needle`, several times faster than `in`."""
    import re2

    compiled = re2.compile(needle)
    return lambda data: compiled.search(data) is not None


def _translate(source: str) -> str:
    """`(?<name>…)` of ECMAScript → `(?P<name>…)`; everything else is common to both."""
    return (
        source.replace("(?<=", "(?\0=")
        .replace("(?<!", "(?\0!")
        .replace("(?<", "(?P<")
        .replace("\0", "<")
    )


def _refusal(source: str, message: str) -> FormatError:
    for construct, name in (
        ("(?=", "look-ahead"),
        ("(?!", "look-ahead"),
        ("(?<=", "look-behind"),
        ("(?<!", "look-behind"),
        ("(?>", "atomic groups"),
        ("\\1", "back-references"),
        ("\\2", "back-references"),
        ("\\k<", "back-references"),
        ("(?P=", "back-references"),
        ("[^]", "the empty negated class"),
        ("\\u", "\\u escapes"),
        ("\\c", "\\c escapes"),
    ):
        if construct in source:
            return FormatError(
                "regex.unsupported",
                f"{name} are not supported: they cannot be matched in linear time",
                hint="rewrite the pattern without them",
            )
    return FormatError("regex.syntax", f"not a valid pattern: {message}")
