"""Whether a pattern for file names reaches a secret: `find -name '.env*'`, `fd -e pem`, `rg -g '.env*'`.

A pattern is tested against examples of secrets. A bare `*` matches everything and does not count: the pattern must be
more specific.
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.errors import FormatError
from atip.model.text.regex import LazyRegex
from atip.policy.places.sensitive import ANY_CHAR, EXAMPLES, is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME_FLAGS = frozenset(
    "-name -iname -path -ipath -wholename -iwholename -lname -ilname -g --glob --iglob --include".split()  # noqa: SIM905
)
_REGEX_FLAGS = frozenset(("-regex", "-iregex"))
_FINDERS = frozenset(("fd", "fdfind"))
_ENDS = ("-x", "-X", "--exec", "--exec-batch", "-exec", "-execdir", "-ok", "-okdir")
_OTHER_VALUES = frozenset(
    "-t --type -d --max-depth --min-depth --exact-depth -S --size -j --threads -c --color --max-results".split()  # noqa: SIM905
)
"""Options of a finder whose values are not names."""
_HIDDEN = LazyRegex(r"-[a-zA-Z]*[Hu]|--hidden|--unrestricted")
_WILD = {UNKNOWN_TEXT, ANY_CHAR, "/", "."}
MAX_PATTERN = 300


def is_secret_pattern(text: str) -> bool:
    """Whether a glob that the program itself expands may match a secret, by more than wildcards."""
    if text[:1] == "!" or not any(char in text for char in "*?["):
        return False
    marks, at = [], 0
    while at < len(text[:MAX_PATTERN]):
        char = text[at]
        end = text.find("]", at + 2) if char == "[" else -1
        marks.append(UNKNOWN_TEXT if char == "*" else ANY_CHAR if char == "?" or end > 0 else char)
        at = end + 1 if end > 0 else at + 1
    if set(marks) <= _WILD:
        return False
    pattern = "".join(marks).removeprefix(UNKNOWN_TEXT * 2 + "/")
    return is_secret(pattern) or is_secret(pattern.lower())


def reaches_secret(name: str, words: Sequence[str]) -> bool:
    """Whether a program that finds files by these words searches for secrets."""
    finder = name in _FINDERS
    hidden = finder and any(_HIDDEN.match(word) for word in words)
    for before, word in zip(("", *words), words, strict=False):
        flag, equals, value = word.partition("=")
        if word in _ENDS:
            break  # what is run for each file
        if finder and before in _OTHER_VALUES:
            continue
        if before in _REGEX_FLAGS:
            if regex_reaches(word, full_path=True):
                return True
        elif finder and before in ("-e", "--extension"):
            if is_secret(f"x.{word}"):
                return True
        elif equals and flag in _NAME_FLAGS:
            if _names_secret(value):
                return True
        elif (word[:1] != "-" or before in _NAME_FLAGS) and (
            _names_secret(word) or (finder and regex_reaches(word, hidden=hidden))
        ):
            return True
    return False


def _names_secret(text: str) -> bool:
    if text[:1] == "!":
        return False  # left out
    return is_secret(text) or is_secret(text.lower()) or is_secret_pattern(text)


def regex_reaches(pattern: str, *, full_path: bool = False, hidden: bool = True) -> bool:
    """Whether a regular expression on names of files matches one that is a secret by itself.

    Args:
        full_path: it must match the whole path (`find -regex`).
        hidden: names that begin with a dot count.
    """
    if len(pattern) > MAX_PATTERN:
        return True
    if not any(char.isalnum() for char in pattern):
        return False
    from atip.model.text.regex import compile_regex

    try:
        compiled = compile_regex(f"(?i)^(?:{pattern})$" if full_path else f"(?i){pattern}")
    except FormatError:
        return True
    for example in EXAMPLES:
        name = example.rpartition("/")[2]
        if not is_secret(name) or (name[:1] == "." and not hidden):
            continue
        if compiled.matches(f"./{name}" if full_path else name):
            return True
    return False
