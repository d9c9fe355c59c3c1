"""Safe flags: names that do not change effects in any tool we know of. Data.

Used only for flags that no table knows. Short on purpose: a name is here if it means presentation or
verbosity everywhere. `-v`, `-q` and `-h` are not: they mean other things in too many tools.
"""

from __future__ import annotations

SAFE = frozenset(
    {
        "--ascii", "--color", "--colors", "--colour", "--column", "--columns", "--debug", "--format",
        "--header", "--headers", "--human-readable", "--json", "--limit", "--no-banner", "--no-color",
        "--no-colors", "--no-colour", "--no-header", "--no-headers", "--no-pager", "--no-progress",
        "--no-trunc", "--no-truncate", "--oneline", "--page-size", "--plain", "--pretty", "--progress",
        "--quiet", "--raw-output", "--reverse", "--short", "--silent", "--sort", "--sort-by", "--table",
        "--timestamps", "--verbose", "--verbosity", "--wide", "--width", "--yaml",
    }
)  # fmt: skip


def is_safe_flag(flag: str) -> bool:
    """Whether an unknown flag only changes presentation."""
    return flag in SAFE
