"""`vendored`: a program that comes with the bundle. It stays where it is; its bytes are pinned."""

from __future__ import annotations

import os

from atip.bundles.install.interface import Action, Plan, refused
from atip.bundles.loading import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd_manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> Plan:
    path = inside(site.folder, entry.path)
    if not os.path.isfile(path):
        return refused("vendored", f"`{entry.path[:120]}` is not in the bundle")
    if not os.access(path, os.X_OK):
        return refused("vendored", f"`{entry.path[:120]}` is not executable", f"chmod +x {path}")
    action = Action(kind="use", path=path)
    return Plan(
        method="vendored", actions=(action,), binaries=(path,), visible=(os.path.dirname(path),)
    )
