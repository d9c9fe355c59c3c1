"""CMP tool folders on disk, for tests."""

from __future__ import annotations

import json
import pathlib

from tests.unit.codecs.cmp_examples import jot


def write_tool(
    place: pathlib.Path, folder: str = "jot", documents: dict | None = None, *, holder: str = "cmp"
) -> pathlib.Path:
    """`<place>/<folder>/<holder>/*.json`."""
    here = place / folder / holder
    here.mkdir(parents=True)
    for name, document in (documents or jot()).items():
        (here / f"{name}.json").write_text(json.dumps(document))
    return place / folder


def write_program(tool: pathlib.Path, name: str, text: str) -> pathlib.Path:
    """An executable script in the tool's own `bin/`."""
    path = tool / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path
