"""`go`: a Go program by its module path, built into a folder of ours."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.bundles.install.interface import Action, InstallPlan, get_manager, package_of

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    tool = get_manager(site, "go", "install Go first, for example with `apt-get install golang-go`")
    package = package_of(entry, forbidden="=<>[],!^~")
    folder = os.path.join(site.prefix, "bin")
    action = Action(kind="run", argv=(tool, "install", package), env=(("GOBIN", folder),))
    return InstallPlan(
        method="go",
        actions=(action,),
        binaries=(os.path.join(folder, site.bin),),
        visible=(site.prefix,),
    )
