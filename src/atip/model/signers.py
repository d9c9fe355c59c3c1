"""When a signer, builder or source is one that was configured. Pure; shared by `trust` and `policy`."""

from __future__ import annotations


def matches_signer(value: str, expected: str) -> bool:
    """Equal, or `expected` ends in `/*` or `@*` and `value` begins with what is before the star.

    SECURITY: a star after anything else stands for itself: `https://github.com/cli/cli*` would also be
    `cli-of-another-owner`. Nothing matches an empty value.
    """
    if not value:
        return False
    if expected.endswith(("/*", "@*")) and expected.strip("*/@ "):
        return value.startswith(expected[:-1])
    return value == expected
