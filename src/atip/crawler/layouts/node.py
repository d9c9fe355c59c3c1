"""npm packages: `node_modules` as resolved in the lock file, unpacked by us. No package script runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.crawler.layouts.interface import PackagedProgram, PackageLayout
from atip.errors import FormatError
from atip.model.reading.plain_json import loads
from atip.system.archives.unpack import open_to_sandbox, unpack
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.crawler.layouts.interface import LayoutFolders
    from atip.crawler.packages import Package, PackageFile


def arrange(package: Package, folders: LayoutFolders) -> PackageLayout:
    """Unpack the package and its dependencies to their places.

    Raises:
        FormatError: `archive.*`, `format.*`, `crawl.no-entry-points`, `crawl.place`.
    """
    for need in (package.own, *package.needs):
        _unpack(need, folders)
    open_to_sandbox(folders.folder)
    home = os.path.join(folders.folder, package.own.name)
    programs = [
        PackagedProgram(name=name, path=path)
        for name, place in sorted(read_bins(home).items())
        if (path := _inside(home, place)) is not None
    ]
    if not programs:
        raise FormatError("crawl.no-entry-points", "the package declares no `bin`")
    for program in programs:
        os.chmod(program.path, 0o755)  # noqa: S103
    return PackageLayout(programs=tuple(programs), visible=(folders.folder,), prefixes=(home,))


def _unpack(package_file: PackageFile, folders: LayoutFolders) -> None:
    parts = package_file.name.split("/")
    # SECURITY: the path comes from a lock file that depends on a registry's answers.
    if parts[0] != "node_modules" or ".." in parts or os.path.isabs(package_file.name):
        raise FormatError(
            "crawl.place", f"`{package_file.name[:80]}` is not a path below `node_modules`"
        )
    place = os.path.join(folders.folder, package_file.name)
    folder = os.path.join(folders.folder, "unpacked")
    members = unpack(folders.blob(package_file.digest), folder)
    tops = {member.name.partition("/")[0] for member in members}
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if len(tops) != 1:
        raise FormatError("crawl.place", "the package has more than one top-level folder")
    nested = os.path.join(place, "node_modules")
    source = os.path.join(folder, tops.pop())
    if os.path.isdir(place):  # made for a package inside it
        os.rename(nested, os.path.join(source, "node_modules"))
        os.rmdir(place)
    os.rename(source, place)
    os.rmdir(folder)


def read_bins(home: str) -> Mapping[str, str]:
    """Name → file, from `package.json`."""
    document = loads(read_bytes(os.path.join(home, "package.json"), 2_000_000).decode())
    if not isinstance(document, dict):
        return {}
    bins = document.get("bin")
    if isinstance(bins, str):
        return {str(document.get("name", "")).rpartition("/")[2]: bins}
    if not isinstance(bins, dict):
        return {}
    return {name: place for name, place in bins.items() if isinstance(place, str)}


def _inside(home: str, place: str) -> str | None:
    """The file of a `bin` entry, or None when it is outside the package."""
    path = os.path.realpath(os.path.join(home, place))
    candidates = [file for file in (path, f"{path}.js") if os.path.isfile(file)]
    return next(
        (
            candidate
            for candidate in candidates
            if candidate.startswith(os.path.realpath(home) + "/")
        ),
        None,
    )
