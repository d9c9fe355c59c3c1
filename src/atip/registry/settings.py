"""The user's own settings: `config.json`, `registries.json`, `trust.json`. Closed shapes, checked owner.

A setting that cannot be read stops the run (STYLE safety rule 3): a misspelt key must not silently allow.
"""

from __future__ import annotations

import os
import stat

from atip.errors import AtipError, FormatError, NotFoundError
from atip.system.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.system.paths import Places

FILES = {
    "config": "config.json",
    "registries": "registries.json",
    "trust": "trust.json",
    "policy": "policy.json",
}
MAX_SETTINGS = 1_000_000


def has_registries(places: Places) -> bool:
    """Whether any remote registry is configured, without reading how."""
    return bool(os.environ.get("ATIP_REGISTRIES")) or os.path.lexists(
        os.path.join(places.config, FILES["registries"])
    )


def load_settings(places: Places, kind: str) -> dict[str, Any]:
    """One settings file; `{}` when it does not exist.

    Raises:
        FormatError: with all problems.
        AtipError: `settings.unsafe-file` when it is writable by other users.
    """
    return load_settings_file(os.path.join(places.config, FILES[kind]), kind)


def load_settings_file(path: str, kind: str) -> dict[str, Any]:
    """A settings file at any place, judged by its kind."""
    try:
        data = read_bytes(path, MAX_SETTINGS)
    except NotFoundError:
        return {}
    # Most users have no settings: what judges them is loaded only for those who do.
    from atip.model.reading.documents import SHAPES
    from atip.model.reading.reader import read_json
    from atip.model.shapes.check import check_shape

    refuse_foreign(path)
    value = read_json(data)
    problems = [p for p in check_shape(value, SHAPES[kind], "strict") if p.severity == "error"]
    if problems or not isinstance(value, dict):
        first = problems[0]
        raise FormatError(
            first.code,
            f"`{path}`: {first.path}: {first.message}",
            problems=problems,
            hint=first.hint,
        )
    return value


def refuse_foreign(path: str) -> None:
    """SECURITY: refuse a settings file that other users can write."""
    status = os.stat(path)
    if status.st_uid not in (os.geteuid(), 0) or stat.S_IMODE(status.st_mode) & 0o022:
        raise AtipError(
            "settings.unsafe-file", f"`{path}` is writable by other users", hint=f"chmod 600 {path}"
        )
