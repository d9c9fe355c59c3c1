"""Overrides: the user's own word on a tool, read from its file when it is used."""

from __future__ import annotations

import os

from atip.errors import FormatError
from atip.model.effects import Effects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.model.tool import Tool
    from atip.system.paths import Places

MAX_OVERRIDE = 4_000_000


def overridden(name: str, path: str, tool: Tool | None, is_trusted: bool) -> Tool:
    """What is known, with the fields of an override in their places.

    Raises:
        FormatError: `override.invalid` or `format.…`: it cannot be read; nothing is known without it.
    """
    from atip.calls.overrides import apply_override
    from atip.model.root import lift

    word = lift(_read_override(name, path))
    known = tool or word.replace(effects=Effects(), commands=None)
    return apply_override(known, word, is_trusted=is_trusted)


def override_stamps(places: Places) -> dict[str, str]:
    """State of every override by name, or by digest (`sha256/…`): what was made from a tool is made again when it changes."""
    from atip.system.files import stamp_of

    found: dict[str, str] = {}
    start = os.path.join(places.config, "overrides")
    for below in ("", "sha256/"):
        try:
            names = os.listdir(os.path.join(start, below))
        except OSError:
            continue
        for name in names:
            stem, dot, ending = name.rpartition(".")
            if dot and ending == "json":
                found[below + stem] = f" {stamp_of(os.path.join(start, below, name))}"
    return found


def _read_override(name: str, path: str) -> Tool:
    from atip.model.reading.decode import decode
    from atip.model.reading.reader import STORE, read_json
    from atip.system.files import read_bytes

    hint = "correct it, or remove it"
    try:
        value = read_json(read_bytes(path, MAX_OVERRIDE), STORE)
        if not isinstance(value, dict):
            raise FormatError("override.invalid", "it is not an object")
        return decode({"atip": {"version": "0.6"}, "version": "", **value, "name": name}).tool
    except FormatError as error:
        # SECURITY: nothing falls back to less; what the user said may be that it destroys.
        told = f"`{path}` cannot be used: {error.message}"
        raise FormatError("override.invalid", told, problems=error.problems, hint=hint) from error
