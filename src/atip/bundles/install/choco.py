"""`choco`: a Chocolatey package on Windows. Told, not run: nothing runs confined there yet."""

from __future__ import annotations

from atip.bundles.install.interface import Action, Plan, manager, package_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd_manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> Plan:
    tool = manager(site, "choco", "see chocolatey.org/install; it runs on Windows only")
    argv = (tool, "install", "--yes", package_of(entry, forbidden="/<>!,[]^~="))
    return Plan(method="choco", actions=(Action(kind="run", argv=argv, needs_root=True),))
