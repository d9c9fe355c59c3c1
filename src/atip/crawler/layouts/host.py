"""An installed program (`local:`), run in place. For contributions by hand (§4.10.3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.crawler.layouts.interface import PackagedProgram, PackageLayout
from atip.discovery.files.executables import Executable
from atip.discovery.visibility import visible_paths
from atip.errors import NotFoundError
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from atip.crawler.layouts.interface import LayoutFolders
    from atip.crawler.packages import Package

MAX_PROGRAM = 500_000_000
PREFIXES = ("/usr/local", "/usr")


def arrange(package: Package, folders: LayoutFolders) -> PackageLayout:
    """Use the program in place, if its digest has not changed since discovery.

    Raises:
        NotFoundError: `crawl.changed`.
    """
    from atip.crawler.depot import has_digest

    path = package.own.locator
    if not has_digest(read_bytes(path, MAX_PROGRAM), package.own.digest):
        raise NotFoundError(
            "crawl.changed", f"`{path}` changed since it was discovered: run the crawl again"
        )
    program = Executable(
        name=package.name, path=path, real_path=os.path.realpath(path), key=(0, 0, 0, 0, 0), size=0
    )
    return PackageLayout(
        programs=(PackagedProgram(name=package.name, path=path),),
        visible=tuple(visible_paths([program])),
        prefixes=PREFIXES,
    )
