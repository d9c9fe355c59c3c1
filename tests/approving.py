"""A person's yes to a project's API configuration, for tests in which nobody sits at a terminal."""

from __future__ import annotations

import typing

from atip.apis.approval import digest_of
from atip.apis.config import load_config
from atip.system.workspace.approvals import ProjectApprovals

if typing.TYPE_CHECKING:
    import pathlib

    from atip.apis.interface import ApiAccess


def approve(folder: pathlib.Path, home: pathlib.Path) -> None:
    """As `atip api approve` would after the yes."""
    config = load_config(str(folder))
    ProjectApprovals(str(home / ".config/agent-tools")).remember(digest_of(config), str(folder))


def confined_access(folder: pathlib.Path, env: dict[str, str] | None = None) -> ApiAccess:
    """The way out that `atip api` uses for a project: programs run confined. The home lies beside it and has no policy."""
    from atip.toolbox import Toolbox

    home = folder.parent / f"{folder.name}-home"
    home.mkdir(exist_ok=True)
    access = Toolbox(home=str(home)).apis.access
    return access if env is None else access.replace(env=env)
