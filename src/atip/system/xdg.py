"""The three directories of the XDG rules as plain strings; loads nothing (see `paths.py` for the rest)."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "agent-tools"


def data_folder(env: Mapping[str, str], home: str) -> str:
    return os.path.join(_xdg(env, "XDG_DATA_HOME", home, ".local/share"), FOLDER)


def config_folder(env: Mapping[str, str], home: str) -> str:
    return os.path.join(_xdg(env, "XDG_CONFIG_HOME", home, ".config"), FOLDER)


def cache_folder(env: Mapping[str, str], home: str) -> str:
    """The cache folder; `ATIP_CACHE_DIR` overrides it (§4.6)."""
    return env.get("ATIP_CACHE_DIR") or os.path.join(
        _xdg(env, "XDG_CACHE_HOME", home, ".cache"), FOLDER
    )


def home_folder() -> str:
    return os.environ.get("HOME") or os.path.expanduser("~")


def _xdg(env: Mapping[str, str], variable: str, home: str, default: str) -> str:
    value = env.get(variable, "")
    # The XDG specification: a relative value is invalid and must be ignored.
    return value if os.path.isabs(value) else os.path.join(home, default)
