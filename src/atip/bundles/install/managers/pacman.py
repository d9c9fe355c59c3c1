"""`pacman`: an Arch package. Needs root, so the user confirms the exact command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.bundles.install.interface import Action, InstallPlan, as_root, get_manager, package_of

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    tool = get_manager(site, "pacman", "pacman is for Arch Linux; see the bundle's other methods")
    package = package_of(entry, forbidden="<>!,[]^")
    argv = (tool, "--sync", "--noconfirm", "--needed", "--", package)
    action = Action(kind="run", argv=as_root(argv, site), needs_root=True)
    note = "packages may run their own scripts as root during the install"
    return InstallPlan(method="pacman", actions=(action,), notes=(note,))
