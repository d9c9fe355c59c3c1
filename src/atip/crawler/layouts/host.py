"""A program that is installed here (`local:`): asked where it lies. For contributions by hand (§4.10.3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.crawler.layouts.interface import Arranged, PackagedProgram
from atip.discovery.files.executables import Executable
from atip.discovery.visibility import visible_paths
from atip.errors import NotFoundError
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from atip.crawler.layouts.interface import Bench
    from atip.crawler.packages import Package

MAX_PROGRAM = 500_000_000
PREFIXES = ("/usr/local", "/usr")


def arrange(package: Package, bench: Bench) -> Arranged:
    """The program as it is, if it is still what it was when it was found.

    Raises:
        NotFoundError: `crawl.changed`.
    """
    from atip.crawler.depot import has_digest

    path = package.own.locator
    if not has_digest(read_bytes(path, MAX_PROGRAM), package.own.digest):
        raise NotFoundError("crawl.changed", f"`{path}` changed since it was looked at")
    one = Executable(
        name=package.name, path=path, real_path=os.path.realpath(path), key=(0, 0, 0, 0, 0), size=0
    )
    return Arranged(
        programs=(PackagedProgram(name=package.name, path=path),),
        visible=tuple(visible_paths([one])),
        prefixes=PREFIXES,
    )
