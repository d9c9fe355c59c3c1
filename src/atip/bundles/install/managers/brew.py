"""`brew`: a Homebrew formula, on macOS and Linux, without root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.bundles.install.interface import (
    Action,
    InstallPlan,
    get_manager,
    package_of,
    refused_plan,
)

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    tool = get_manager(site, "brew", "see brew.sh for how to get Homebrew")
    if site.is_root:
        return refused_plan(
            "brew", "Homebrew refuses to run as root", "install as an ordinary user"
        )
    argv = (tool, "install", "--", package_of(entry, forbidden="=<>!,[]^~"))
    environment = (("HOMEBREW_NO_AUTO_UPDATE", "1"), ("HOMEBREW_NO_ANALYTICS", "1"))
    return InstallPlan(method="brew", actions=(Action(kind="run", argv=argv, env=environment),))
