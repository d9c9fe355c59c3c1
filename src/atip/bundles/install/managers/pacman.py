"""`pacman`: an Arch package. Needs root, so a person confirms the very command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.bundles.install.interface import Action, InstallPlan, as_root, manager, package_of

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    tool = manager(site, "pacman", "this is for Arch Linux; the bundle may name other ways")
    package = package_of(entry, forbidden="<>!,[]^")
    argv = (tool, "--sync", "--noconfirm", "--needed", "--", package)
    action = Action(kind="run", argv=as_root(argv, site), needs_root=True)
    note = "packages may run scripts of their own as root while they are installed"
    return InstallPlan(method="pacman", actions=(action,), notes=(note,))
