"""Packages that only some tests need: skips with one line where one is missing."""

from __future__ import annotations

import importlib
import typing
import warnings

import pytest

if typing.TYPE_CHECKING:
    import types


def package(name: str) -> types.ModuleType:
    """The module, or a skip of the calling test."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError:
        pytest.skip(f"package `{name}` is not installed (dev group)")
