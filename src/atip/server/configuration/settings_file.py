"""Settings files of other programs: read as their owner reads them, replaced whole, with a copy of the old file beside.

A damaged file is refused, never repaired; a file that changed meanwhile is not written.
"""

from __future__ import annotations

import os
from typing import Any

from atip.discovery.mcp.json_comments import without_comments
from atip.errors import AtipError, FormatError, NotFoundError
from atip.system import files
from atip.system.clock import now_iso

MAX_BYTES = 32_000_000
"""Claude Code keeps its history in the same file."""


def load_text(path: str) -> str | None:
    """The text of a file; None: there is none."""
    try:
        return files.read_bytes(path, MAX_BYTES).decode("utf-8", "strict")
    except NotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise FormatError("config.damaged", f"`{path}` is not UTF-8; it was not changed") from error


def parse_settings(text: str, syntax: str, path: str) -> Any:
    """The document: `json`, `jsonc` (comments are fine) or `toml`; an empty text is an empty object.

    Raises:
        FormatError: `config.damaged`.
    """
    import json
    import tomllib

    if not text.strip():
        return {}
    try:
        if syntax == "toml":
            return tomllib.loads(text)
        plain = without_comments(text) if syntax == "jsonc" else text
        value = json.loads(plain.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise _damage_error(path, text, syntax, str(error)) from error
    if not isinstance(value, dict):
        raise FormatError("config.damaged", f"`{path}` is not a JSON object; it was not changed")
    return value


def _damage_error(path: str, text: str, syntax: str, says: str) -> FormatError:
    """A client that cannot read its settings goes on without them, and so without our entry."""
    if syntax == "json" and _has_comments(text):
        return FormatError(
            "config.damaged",
            f"`{path}` has comments or trailing commas, but its client reads only plain JSON; it was not changed",
            hint="remove them: the client ignores the whole file as it is",
        )
    return FormatError(
        "config.damaged",
        f"`{path}` is damaged; it was not changed: {says[:200]}",
        hint="repair it first; its client cannot read it either",
    )


def _has_comments(text: str) -> bool:
    import json

    try:
        json.loads(without_comments(text).removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return False
    return True


def replace_text(path: str, before: str | None, after: str | None) -> str | None:
    """Write `after` where `before` was read; the path of the copy of the old file, None where there was none.

    Args:
        after: None: the file is removed; its copy stays.

    Raises:
        AtipError: `file.unwritable`, `config.changed`.
    """
    real = os.path.realpath(path)
    if before == after:
        return None
    os.makedirs(os.path.dirname(real), exist_ok=True)
    mode = 0o600
    backup = None
    if before is not None:
        mode = os.stat(real).st_mode & 0o777
        stamp = now_iso().replace(":", "").replace("-", "")
        backup = f"{real}.{stamp}.bak"
        files.write_atomic(backup, before.encode("utf-8", "surrogateescape"), mode=mode)
    if load_text(path) != before:
        raise AtipError(
            "config.changed", f"`{path}` was changed by another program", hint="try again"
        )
    if after is None:
        os.unlink(real)
    else:
        files.write_atomic(real, after.encode("utf-8", "surrogateescape"), mode=mode)
    return backup
