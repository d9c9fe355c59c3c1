"""`npm`: a Node package, into a folder of ours; scripts of packages do not run.

`global: true` puts programs where a global install would, below our folder, so that no root is needed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.bundles.install.interface import Action, InstallPlan, get_manager, package_of

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    tool = get_manager(site, "npm", "install Node.js first, for example with `apt-get install npm`")
    package = package_of(entry, forbidden="[],!")
    argv = [tool, "install", "--prefix", site.prefix, "--no-audit", "--no-fund", "--ignore-scripts"]
    if entry.globally:
        argv.append("--global")
        binary = os.path.join(site.prefix, "bin", site.bin)
    else:
        binary = os.path.join(site.prefix, "node_modules", ".bin", site.bin)
    action = Action(kind="run", argv=(*argv, "--", package))
    note = "install scripts of packages are not run"
    return InstallPlan(
        method="npm", actions=(action,), binaries=(binary,), visible=(site.prefix,), notes=(note,)
    )
