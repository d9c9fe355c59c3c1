"""GET and HEAD of loopback by curl: a literal address, options of a short list, never a port of our own. Pure."""

from __future__ import annotations

from atip.model.text.regex import LazyRegex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_URL = LazyRegex(
    r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\])(?::([0-9]{1,5}))?(?:/[A-Za-z0-9._~/?=&%:,+-]{0,160})?"
)
_STARTS = ("http://", "https://", "localhost", "127.0.0.1", "[::1]")
_FLAGS = frozenset(
    """--silent --show-error --fail --include --head --verbose --compressed --insecure --http1.0 --http1.1 --http2 --ipv4 --ipv6
    --no-progress-meter --fail-with-body --no-buffer --progress-bar --globoff -#""".split()  # noqa: SIM905
)
_SHORT = frozenset("sSfiIvk46Ng0")
_VALUES = {
    "-m": r"[0-9]{1,4}(?:\.[0-9]+)?", "--max-time": r"[0-9]{1,4}(?:\.[0-9]+)?", "--connect-timeout": r"[0-9]{1,4}(?:\.[0-9]+)?",
    "-X": "GET|HEAD", "--request": "GET|HEAD", "--retry": "[0-9]{1,2}", "--retry-delay": "[0-9]{1,2}",
    "-w": r"(?:[A-Za-z0-9_ :,.()/=-]|\\[nrt]|%\{(?:http_code|response_code|time_[a-z]+|size_[a-z]+|content_type|num_[a-z]+|errormsg|exitcode)\})*",
}  # fmt: skip
_VALUES |= {"--write-out": _VALUES["-w"]}
_OWN_PORTS = frozenset({"8600", "8765"})
"""SECURITY: ports of our own servers in our examples; these also require a token."""


def reads_loopback(words: Sequence[str]) -> bool:
    """Whether curl with these words sends one GET or HEAD to this machine and prints the answer."""
    urls, expected = 0, ""
    for word in words:
        if expected:
            if not _fits(expected, word):
                return False
            expected = ""
            continue
        if word in _VALUES:
            expected = word
        elif word[:2] == "-X" and word[2:] in ("GET", "HEAD"):
            continue
        elif word.startswith(_STARTS):
            if not _is_allowed_url(word):
                return False
            urls += 1
        elif word not in _FLAGS and not _is_short(word):
            return False
    return urls == 1 and not expected


def _is_short(word: str) -> bool:
    """Single letters of the list, alone or together."""
    return word[:1] == "-" and len(word) > 1 and _SHORT.issuperset(word[1:])


def _fits(flag: str, value: str) -> bool:
    return LazyRegex(_VALUES[flag]).fullmatch(value) is not None


def _is_allowed_url(word: str) -> bool:
    match = _URL.fullmatch(word)
    return match is not None and (match[1] or "") not in _OWN_PORTS
