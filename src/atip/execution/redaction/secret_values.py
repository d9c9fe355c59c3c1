"""Whether a value is a secret: plausibility of guessed ones, spellings of known ones. Pure.

A guess (`password: …`) is hidden only if it looks made rather than written: a false alarm takes
information away, so words, paths, templates and placeholders stay. A value that was passed
through `env.pass` is not a guess: every spelling of it is hidden.
"""

from __future__ import annotations

import binascii

from atip.model.text.regex import late_regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MARK = b":redacted]"
_MIN_NAMED = 3
_MIN_ANY = 6
_MIN_ENCODED = 8
_PUBLIC = frozenset(
    (
        *(
            "LANG",
            "LANGUAGE",
            "TERM",
            "COLORTERM",
            "TZ",
            "HOME",
            "USER",
            "LOGNAME",
            "PWD",
            "OLDPWD",
        ),
        *("SHELL", "PATH", "TMPDIR", "COLUMNS", "LINES", "EDITOR", "PAGER", "HOSTNAME", "DISPLAY"),
        *("NO_COLOR", "FORCE_COLOR", "CI", "SHLVL", "AGENT", "CMP_AGENT", "DEBUG", "VERBOSE"),
    )
)
_NAMED = (
    *("key", "token", "secret", "passw", "pwd", "auth", "cred", "cookie", "session", "private"),
    "dsn",
)
"""Parts of names that indicate a secret."""
_PLACEHOLDER = late_regex(
    rb"(?i)^\$[\w({]|\$\{|\$\(|\{\{|<[^>]*>?|^%[\w(]|^\[[A-Za-z_ ]+\]$|\*{3}|#{4}|\.\.\.|example|change.?me|your[_-]|"
    rb"placeholder|redacted|dummy|undefined|(.)\1{5}"
)
_REPEATED = late_regex(rb"(.)\1{6}|EXAMPLE$")
_CODE = late_regex(rb"\(|\)$|^[./~]|://|::|^[A-Za-z_]\w{0,23}(?:\.[A-Za-z_0-9]\w{0,23})+$")
_ABOUT = late_regex(
    rb"(?i)(?:id|ids|name|names|length|len|size|file|path|dir|url|uri|source|type|count|limit|max|min|expir\w*|ttl|"
    rb"public|usage|used|version|format|policy|endpoint|host|port|user|results|keying)[\"'`]?[ \t]*(?:=>|:=|=|:)"
)
"""Names that describe a secret without containing it: `tokenId`, `secret_name`, `password_length`."""
_WORD = rb"(?:[A-Z]?[a-z]{1,14}|[A-Z]{1,14}|v?[0-9]{1,4})"
_WORDS = late_regex(_WORD + rb"(?:[-_./: ]" + _WORD + rb")*")


def is_plausible(kind: str, value: bytes, match: bytes) -> bool:
    """Whether what a rule found is worth hiding.

    Args:
        whole: the match with its surroundings, such as the name before the value.
    """
    if kind == "private-key":
        return True
    if kind == "openai-key":
        return _has_digit(value) and value != value.lower() and not _REPEATED.search(value)
    if kind not in _GUESSED_KINDS:
        return not _REPEATED.search(value)
    if MARK in value or _PLACEHOLDER.search(value):
        return False
    if kind == "url-password":
        return True
    if kind == "command-password":
        return not value.isalpha()
    if kind == "netrc-password":
        return not value.isalpha() or match[:7].lower() in (b"machine", b"default")
    if kind == "netrc-line":
        return _has_digit(value) and not value.isdigit() and not _CODE.search(value)
    if kind == "secret-value":
        return _is_assigned_secret(value, match)
    return _is_random(value, min_length=8)


_GUESSED_KINDS = frozenset(
    [
        *("url-password", "command-password", "secret-value", "authorization", "cookie"),
        *("netrc-password", "netrc-line"),
    ]
)


def _is_assigned_secret(value: bytes, match: bytes) -> bool:
    if _ABOUT.search(match[: len(match) - len(value)]):
        return False
    if match[:4].lower().startswith((b"pass", b"pwd")):
        return _has_digit(value) and not value.isdigit() and not _CODE.search(value)
    return _is_random(value, min_length=10)


def _is_random(value: bytes, *, min_length: int) -> bool:
    """Mixed, varied and not made of words."""
    if len(value) < min_length or value.isdigit() or _CODE.search(value):
        return False
    if _WORDS.fullmatch(value):
        return False
    cased = value != value.lower() and value != value.upper()
    mixed = _has_digit(value) or (cased and len(value) >= 16)
    return mixed and entropy(value) >= 2.5


def _has_digit(value: bytes) -> bool:
    return any(48 <= byte <= 57 for byte in value)


def entropy(value: bytes) -> float:
    """Bits per byte, by the value's own frequencies."""
    import math

    size = len(value)
    counts = (value.count(byte) for byte in set(value))
    return -sum(n / size * math.log2(n / size) for n in counts) if size else 0.0


def passed_values(names: Iterable[str], env: Mapping[str, str]) -> tuple[bytes, ...]:
    """Every spelling of the values that a run is handed, longest first.

    Variables whose names do not indicate a secret (`LANG`, `HOME`) are left out, and so are values so short
    that hiding them would only blot out the text: below 3 bytes, or 6 where the name says nothing.
    """
    spellings: set[bytes] = set()
    for name in names:
        value = env.get(name, "")
        least = _MIN_NAMED if _is_named(name) else _MIN_ANY
        if name in _PUBLIC or name.startswith("LC_"):
            continue
        for line in value.encode("utf-8", "surrogateescape").splitlines():
            if len(line.strip()) >= least:
                spellings |= _spellings(line.strip())
    return tuple(sorted(spellings, key=lambda one: (-len(one), one)))


def named_values(env: Mapping[str, str]) -> tuple[bytes, ...]:
    """Like `passed_values`, for variables whose name indicates a secret."""
    return passed_values([name for name in env if _is_named(name)], env)


def _is_named(name: str) -> bool:
    lowered = name.lower()
    return any(part in lowered for part in _NAMED)


def _spellings(value: bytes) -> set[bytes]:
    """The value itself, in JSON, in a URL, in hexadecimal, and in base64 at any alignment."""
    spellings = {value, value.replace(b"\\", b"\\\\").replace(b'"', b'\\"'), _quote(value, b"")}
    spellings.add(_quote(value, b"/"))
    if len(value) >= _MIN_ENCODED:
        spellings |= {value.hex().encode(), value.hex().upper().encode()}
        for shift in range(3):
            # Bytes before the value shift its base64; only characters made of it alone are searched.
            encoded = binascii.b2a_base64(b"\0" * shift + value, newline=False)
            start = (0, 2, 3)[shift]
            end = (shift + len(value)) // 3 * 4
            core = encoded[start:end]
            if len(core) >= _MIN_ENCODED:
                spellings |= {core, core.replace(b"+", b"-").replace(b"/", b"_")}
        spellings |= _wrap_lines(value) | _wrap_lines(value + b"\n")
    return spellings


def _wrap_lines(value: bytes) -> set[bytes]:
    """The lines in which `base64` and `xxd -p` print it; a short last one would be found anywhere."""
    import base64

    lines = [
        *base64.encodebytes(value).split(),
        *(value.hex().encode()[at : at + 60] for at in range(0, 2 * len(value), 60)),
    ]
    return {line.rstrip(b"=") for line in lines if len(line) >= 2 * _MIN_ENCODED}


def _quote(value: bytes, safe: bytes) -> bytes:
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-~" + safe
    return b"".join(bytes([b]) if b in plain else b"%%%02X" % b for b in value)
