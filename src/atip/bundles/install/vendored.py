"""`vendored`: a program that comes with the bundle. It stays where it is; its bytes are pinned."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.bundles.documents.loading import inside
from atip.bundles.install.interface import Action, InstallPlan, refused_plan

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    path = inside(site.folder, entry.path)
    if not os.path.isfile(path):
        return refused_plan("vendored", f"`{entry.path[:120]}` is not in the bundle")
    if not os.access(path, os.X_OK):
        return refused_plan(
            "vendored", f"`{entry.path[:120]}` is not executable", f"chmod +x {path}"
        )
    action = Action(kind="use", path=path)
    return InstallPlan(
        method="vendored", actions=(action,), binaries=(path,), visible=(os.path.dirname(path),)
    )
