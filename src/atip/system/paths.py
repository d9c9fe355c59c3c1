"""Places: where this user's data, configuration and cache lie (ATIP 0.6 §4.2, 0.1 §3.3; XDG rules)."""

from __future__ import annotations

import os

from atip.model.value import Value
from atip.system.xdg import cache_folder, config_folder, data_folder, home_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
    base = home or home_folder()
    return Places(
        data=data_folder(env, base),
        config=config_folder(env, base),
        cache=cache_folder(env, base),
        home=base,
        project=find_project(cwd or os.getcwd(), base),
    )


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
