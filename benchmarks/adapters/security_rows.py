"""Lines of a data set, one JSON value each."""

from __future__ import annotations

import json
import typing

if typing.TYPE_CHECKING:
    import pathlib


def rows(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
