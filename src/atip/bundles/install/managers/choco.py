"""`choco`: a Chocolatey package on Windows. Planned only, never run: Windows has no sandbox yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.bundles.install.interface import Action, InstallPlan, get_manager, package_of

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    tool = get_manager(site, "choco", "see chocolatey.org/install; it runs on Windows only")
    argv = (tool, "install", "--yes", package_of(entry, forbidden="/<>!,[]^~="))
    return InstallPlan(method="choco", actions=(Action(kind="run", argv=argv, needs_root=True),))
