"""Where the public data lies that tests use in place and never copy."""

from __future__ import annotations

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def find_shared(name: str) -> pathlib.Path | None:
    """The folder or file `name` of the shared data, or None where there is none."""
    base = pathlib.Path(os.environ.get("ATIP_SHARED") or ROOT.parent / "shared")
    path = base / name
    return path if path.exists() else None


def shared(name: str) -> pathlib.Path:
    """Like `find_shared`, but skips the calling test with one clear line."""
    path = find_shared(name)
    if path is None:
        pytest.skip(f"shared data `{name}` is not here (set ATIP_SHARED)")
    return path
