"""`scoop`: a Scoop package on Windows. Told, not run: nothing runs confined there yet."""

from __future__ import annotations

from atip.bundles.install.interface import Action, Plan, manager, package_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd_manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> Plan:
    tool = manager(site, "scoop", "see scoop.sh; it runs on Windows only")
    argv = (tool, "install", package_of(entry, forbidden="<>!,[]^~="))
    return Plan(method="scoop", actions=(Action(kind="run", argv=argv),))
