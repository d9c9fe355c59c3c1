"""`curl`: an installer script, fetched by its hash and run confined to a folder of ours. Without a hash: declined."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.bundles.install.download import fetch_action
from atip.bundles.install.interface import Action, InstallPlan

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry

PLACES = ("bin", ".local/bin", "usr/local/bin", "")
"""Folders in which installers put programs, relative to their home directory."""


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    fetch = fetch_action(entry)
    return InstallPlan(
        method="curl",
        actions=(fetch, Action(kind="script", sha256=fetch.sha256)),
        binaries=tuple(os.path.join(site.prefix, place, site.bin) for place in PLACES),
        visible=(site.prefix,),
        notes=(
            "the script sees an empty home and may reach only the hosts of the bundle's sandbox",
        ),
    )
