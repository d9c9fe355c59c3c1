"""Archives and single files of download pages: executables as shipped, run on this machine's system."""

from __future__ import annotations

import fnmatch
import os
from typing import TYPE_CHECKING

from atip.crawler.layouts.interface import PackagedProgram, PackageLayout
from atip.errors import FormatError
from atip.system.archives.unpack import open_to_sandbox, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.crawler.layouts.interface import LayoutFolders
    from atip.crawler.packages import Package

EXECUTABLE = (b"\x7fELF", b"#!", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""First bytes of executables of Linux, Windows and macOS."""


def arrange(package: Package, folders: LayoutFolders) -> PackageLayout:
    """Unpack, and find the programs: those that match `binary_path`, else all.

    Raises:
        FormatError: `archive.*`, `format.*`, `crawl.no-binary`.
    """
    folder = os.path.join(folders.folder, "files")
    data = folders.blob(package.own.digest)
    if data.startswith(EXECUTABLE):
        os.mkdir(folder)
        path = os.path.join(folder, package.name)
        with open(path, "wb") as file:
            file.write(data)
    else:
        unpack(data, folder)
    open_to_sandbox(folders.folder)
    programs = tuple(_programs(folder, package.binary_path))
    if not programs:
        raise FormatError(
            "crawl.no-binary",
            f"no executable in the package matches `{package.binary_path or '*'}`",
        )
    return PackageLayout(
        programs=programs, visible=(folders.folder,), prefixes=(folder, *_prefixes(folder))
    )


def _programs(folder: str, pattern: str) -> Iterator[PackagedProgram]:
    for parent, names, files in os.walk(folder):
        names.sort()
        for name in sorted(files):
            path = os.path.join(parent, name)
            relative = os.path.relpath(path, folder)
            if os.path.islink(path) or (pattern and not fnmatch.fnmatchcase(relative, pattern)):
                continue
            with open(path, "rb") as file:
                is_program = file.read(4).startswith(EXECUTABLE)
            if is_program:
                os.chmod(path, 0o755)  # noqa: S103
                yield PackagedProgram(name=name.removesuffix(".exe"), path=path)


def _prefixes(folder: str) -> list[str]:
    """Folders that hold a `share`, as a prefix does."""
    return [parent for parent, names, _files in os.walk(folder) if "share" in names]
