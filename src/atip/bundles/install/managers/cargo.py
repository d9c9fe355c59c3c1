"""`cargo`: a Rust program, built into a folder of ours. Building runs code of the package."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.bundles.install.interface import Action, InstallPlan, get_manager, package_of

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    tool = get_manager(
        site, "cargo", "install Rust first, for example with `apt-get install cargo`"
    )
    package = package_of(entry, forbidden="/[],!")
    argv = (tool, "install", "--quiet", "--root", site.prefix, "--", package)
    return InstallPlan(
        method="cargo",
        actions=(Action(kind="run", argv=argv),),
        binaries=(os.path.join(site.prefix, "bin", site.bin),),
        visible=(site.prefix,),
        notes=("building runs code of the package, as you and unconfined",),
    )
