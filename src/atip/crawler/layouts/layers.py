"""Layers: packages of a system, unpacked once each into a folder named by the digest of the package. Nothing is installed."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from atip.system.archives.unpack import unpack
from atip.system.files import locked, make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atip.crawler.packages import PackageFile

    Blob = Callable[[str], bytes]
    """Digest → bytes."""

MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
"""Folders of `/` that are links into `/usr` on current systems."""
_UNREAD = (
    *("usr/share/doc/", "usr/share/locale/", "usr/share/icons/", "usr/share/help/", "usr/include/"),
    *("usr/share/info/", "usr/share/lintian/", "usr/share/pixmaps/", "usr/share/sounds/", "boot/"),
    *("usr/src/", "usr/lib/debug/", "usr/share/gnome/", "usr/share/themes/", "usr/share/fonts/"),
    *("usr/share/gtk-doc/", "usr/share/backgrounds/", "var/", "usr/share/games/", "dev/", "run/"),
)
"""Files that no program needs to print its help."""
_PAGES = "usr/share/man/"


def is_needed(name: str) -> bool:
    """Whether a file of a package is worth keeping: programs, libraries, manual pages, completions, settings."""
    if name.startswith(_PAGES):
        return name.startswith("man", len(_PAGES))
    return not name.startswith(_UNREAD) and not name.endswith((".a", ".h", ".la"))


def load_layer(artifact: PackageFile, cache: str, blob: Blob) -> str:
    """The folder of an unpacked package, unpacked now if it was not before.

    Raises:
        FormatError: `archive.*`, `format.*`: nothing was written.
    """
    folder = os.path.join(cache, artifact.digest.partition(":")[2])
    if os.path.isdir(folder):
        return folder
    make_private(cache)
    with locked(f"{folder}.lock"):  # workers begin with the same base
        if not os.path.isdir(folder):
            _unpack(blob(artifact.digest), folder)
    return folder


def _unpack(data: bytes, folder: str) -> None:
    temporary = f"{folder}.new"
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        unpack(data, temporary, unix=True, keep=is_needed)
        os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def drop_layer(digest: str, cache: str) -> None:
    """Remove an unpacked package; it is unpacked again when needed."""
    folder = os.path.join(cache, digest.partition(":")[2])
    trash = f"{folder}.old"  # renamed first: a layer is complete or absent
    shutil.rmtree(trash, ignore_errors=True)
    try:
        os.rename(folder, trash)
        os.unlink(f"{folder}.lock")
    except OSError:
        return
    shutil.rmtree(trash, ignore_errors=True)


def entries(layer: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """(name, entry) of every file and link of a layer, sorted."""
    folders = [""]
    while folders:
        parent = folders.pop()
        with os.scandir(os.path.join(layer, parent)) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                name = f"{parent}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name + "/")
                else:
                    yield name, entry


def merged_path(name: str) -> str:
    """The path of a file in a root whose `/bin` and `/lib` are links into `/usr`."""
    top = name.partition("/")[0]
    return f"usr/{name}" if top in MERGED else name
