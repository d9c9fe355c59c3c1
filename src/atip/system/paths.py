"""Places: where this user's data, configuration and cache lie (ATIP 0.6 §4.2, 0.1 §3.3; XDG rules)."""

from __future__ import annotations

import os

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "agent-tools"
SYSTEM = ("/usr/share/agent-tools", "/usr/local/share/agent-tools")
PROJECT = ".agent-tools"


class Places(Value):
    """All directories the store may touch. Nothing is created by naming it."""

    data: str
    config: str
    cache: str
    home: str
    system: tuple[str, ...] = SYSTEM
    project: str | None = None
    """`.agent-tools` of the project we are in, if there is one."""


def find_places(
    env: Mapping[str, str] | None = None, *, home: str | None = None, cwd: str | None = None
) -> Places:
    """Places for an environment. `home` puts everything below another home directory and makes the
    XDG variables of the environment not count."""
    if env is None:
        env = os.environ
    if home is not None:
        env = {}
    base = home or os.environ.get("HOME") or os.path.expanduser("~")
    cache = env.get("ATIP_CACHE_DIR") or os.path.join(
        _xdg(env, "XDG_CACHE_HOME", base, ".cache"), FOLDER
    )
    return Places(
        data=os.path.join(_xdg(env, "XDG_DATA_HOME", base, ".local/share"), FOLDER),
        config=os.path.join(_xdg(env, "XDG_CONFIG_HOME", base, ".config"), FOLDER),
        cache=cache,
        home=base,
        project=find_project(cwd or os.getcwd(), base),
    )


def _xdg(env: Mapping[str, str], variable: str, home: str, default: str) -> str:
    value = env.get(variable, "")
    # The XDG specification: a relative value is invalid and must be ignored.
    return value if os.path.isabs(value) else os.path.join(home, default)


def find_project(cwd: str, home: str) -> str | None:
    """The nearest `.agent-tools` at or above `cwd`, not above the home directory."""
    folder = cwd
    while True:
        candidate = os.path.join(folder, PROJECT)
        if os.path.isdir(candidate):
            return candidate
        parent = os.path.dirname(folder)
        if parent == folder or folder == home:
            return None
        folder = parent
