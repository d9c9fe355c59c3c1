"""Overrides: metadata that the user wrote for a tool, read from its file on use."""

from __future__ import annotations

import os

from atip.errors import FormatError
from atip.model.effects import Effects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.model.tool import Tool
    from atip.system.paths import Places

MAX_OVERRIDE = 4_000_000


def apply_override(name: str, path: str, tool: Tool | None, is_trusted: bool) -> Tool:
    """Apply the fields of an override file to a tool.

    Raises:
        FormatError: `override.invalid` or `format.…`: it cannot be read; there is no fallback without it.
    """
    from atip.calls.overrides import apply_override
    from atip.model.root import lift

    override = lift(_read_override(name, path))
    base = tool or override.replace(effects=Effects(), commands=None)
    return apply_override(base, override, is_trusted=is_trusted)


def override_stamps(places: Places) -> dict[str, str]:
    """Stamp of every override file, by name or by digest (`sha256/…`): caches of a tool are rebuilt when it changes."""
    from atip.system.files import stamp_of

    stamps: dict[str, str] = {}
    start = os.path.join(places.config, "overrides")
    for subfolder in ("", "sha256/"):
        try:
            names = os.listdir(os.path.join(start, subfolder))
        except OSError:
            continue
        for name in names:
            stem, dot, ending = name.rpartition(".")
            if dot and ending == "json":
                stamps[subfolder + stem] = f" {stamp_of(os.path.join(start, subfolder, name))}"
    return stamps


def _read_override(name: str, path: str) -> Tool:
    from atip.model.reading.decode import decode
    from atip.model.reading.reader import STORE, read_json
    from atip.system.files import read_bytes

    hint = "correct the file, or remove it"
    try:
        value = read_json(read_bytes(path, MAX_OVERRIDE), STORE)
        if not isinstance(value, dict):
            raise FormatError("override.invalid", "it is not a JSON object")
        return decode({"atip": {"version": "0.6"}, "version": "", **value, "name": name}).tool
    except FormatError as error:
        # SECURITY: no fallback without the override; it may say that the tool destroys data.
        message = f"`{path}` cannot be used: {error.message}"
        raise FormatError(
            "override.invalid", message, problems=error.problems, hint=hint
        ) from error
