"""`scoop`: a Scoop package on Windows. Planned only, never run: Windows has no sandbox yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.bundles.install.interface import Action, InstallPlan, get_manager, package_of

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    tool = get_manager(site, "scoop", "see scoop.sh; it runs on Windows only")
    argv = (tool, "install", package_of(entry, forbidden="<>!,[]^~="))
    return InstallPlan(method="scoop", actions=(Action(kind="run", argv=argv),))
