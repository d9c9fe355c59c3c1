"""Packages of a system (Debian, RPM): a root of their own, from the package and all it depends on."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from atip.crawler.layouts.interface import PackagedProgram, PackageLayout
from atip.crawler.layouts.layers import load_layer, merged_path
from atip.crawler.layouts.standing_root import standing_root
from atip.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.crawler.layouts.interface import LayoutFolders
    from atip.crawler.packages import Package

PROGRAMS = ("usr/bin", "usr/sbin", "usr/games", "usr/local/bin", "bin", "sbin")


def arrange(package: Package, folders: LayoutFolders) -> PackageLayout:
    """Unpack the package and what it needs, and lay them out.

    Raises:
        FormatError: `archive.*`, `format.*` of the package itself. A dependency that cannot be unpacked is left
            out: the program then reports what is missing.
    """
    layer = load_layer(package.own, folders.cache, folders.blob)
    programs = sorted({*_programs(layer)})
    if not programs:
        return PackageLayout(programs=())
    standing = standing_root(f"{folders.cache}-roots")
    standing.show([*_needed_digests(package, folders), layer])
    root = standing.folder
    limit = os.path.realpath(root) + "/"
    return PackageLayout(
        root=root,
        prefixes=(os.path.join(root, "usr"),),
        programs=tuple(
            PackagedProgram(name=os.path.basename(place), path=os.path.join(root, place))
            for place in programs
            # SECURITY: links of the package stay below the root by construction; checked again here.
            if os.path.realpath(os.path.join(root, place)).startswith(limit)
            and os.path.isfile(os.path.join(root, place))
            and os.access(os.path.join(root, place), os.X_OK)
        ),
    )


def _needed_digests(package: Package, folders: LayoutFolders) -> Iterator[str]:
    # Workers that need the same start at different places: each unpacks a part, and nothing is unpacked twice.
    start = os.getpid() * 37 % max(1, len(package.needs))
    layers: dict[str, str] = {}
    for need in (*package.needs[start:], *package.needs[:start]):
        with contextlib.suppress(FormatError):
            layers[need.digest] = load_layer(need, folders.cache, folders.blob)
    yield from (layers[need.digest] for need in package.needs if need.digest in layers)


def _programs(layer: str) -> Iterator[str]:
    """Paths in the root of all files in the folders of programs."""
    for folder in PROGRAMS:
        try:
            names = os.listdir(os.path.join(layer, folder))
        except OSError:
            continue
        yield from (merged_path(f"{folder}/{name}") for name in names)
