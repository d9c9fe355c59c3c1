"""Versions and npm-style ranges: the one user of `node-semver`.

Programs print versions that are not semantic versions (`5.1.6-0+deb12u1`, `n6.0`, `2.40`): the leading numbers are used.
Implements AIP-29 `version_check.range`; RESOLUTIONS P14, P15.
"""

from __future__ import annotations

import re

from atip.errors import FormatError

MAX_TEXT = 256
_EXACT = re.compile(
    r"v?(\d{1,15}\.\d{1,15}\.\d{1,15}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)(?:\+[0-9A-Za-z.-]+)?\Z"
)
_LEADING = re.compile(r"(?<![0-9.])(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?")
_PRERELEASE = re.compile(r"-?(alpha|beta|rc|pre|dev|a|b|nightly|snapshot)[.-]?(\d{0,9})", re.I)


def coerce_version(text: str) -> str | None:
    """The semantic version that a text begins with or holds; None if there is no number in it.

    Only suffixes that commonly mean a pre-release (`rc1`, `-beta.2`) stay one: `-0+deb12u1` and
    `-1ubuntu2` are packaging, and npm would let no range match them.
    """
    text = text.strip()[:MAX_TEXT]
    exact = _EXACT.match(text)
    if exact is not None:
        core, _, suffix = exact.group(1).partition("-")
        return exact.group(1) if suffix and _PRERELEASE.match(suffix) else core
    match = _LEADING.search(text)
    if match is None:
        return None
    core = ".".join(str(int(part or 0)) for part in match.groups())
    early = _PRERELEASE.match(text, match.end())
    if early is None:
        return core
    word = early.group(1).lower()
    return f"{core}-{word}.{int(early.group(2))}" if early.group(2) else f"{core}-{word}"


def check_range(text: str) -> None:
    """Refuse text that is not an npm range.

    Raises:
        FormatError: `version.range`.
    """
    import nodesemver

    if len(text) > MAX_TEXT:
        raise FormatError("version.range", f"the range has more than {MAX_TEXT} characters")
    try:
        nodesemver.make_range(text, loose=True)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
        # the library has uncaught cases on malformed input
        raise FormatError("version.range", f"`{text[:60]}` is not an npm-style range") from error


def in_range(version: str, text: str) -> bool:
    """Whether a version, as `coerce_version` gives it, lies in a range.

    Raises:
        FormatError: `version.range`.
    """
    import nodesemver

    check_range(text)
    return bool(nodesemver.satisfies(version, text, loose=True))


def major_of(version: str) -> int:
    """The first number of a version; 0 where there is none."""
    coerced = coerce_version(version)
    return int(coerced.split(".", 1)[0]) if coerced else 0
