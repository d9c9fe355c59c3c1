"""Every benchmark: one file each."""

from __future__ import annotations

import pathlib


def names() -> list[str]:
    """`bench_NAME.py` → NAME, sorted."""
    folder = pathlib.Path(__file__).parent
    return sorted(path.stem.removeprefix("bench_") for path in folder.glob("bench_*.py"))
