"""A root reused between jobs: files of several layers as one tree, updated from one set of layers to the next.

Most packages need mostly the same libraries, so a job pays only for what differs from the job before. The result equals
a root made for this job alone: of two layers with the same file the later one wins, the package's own being last. No
maintainer script runs; files that such scripts create and many programs need come from a short list.
"""

from __future__ import annotations

import errno
import glob
import os
import shutil
from typing import TYPE_CHECKING

from atip.crawler.layouts.layers import MERGED, entries, merged_path
from atip.sandbox.bubblewrap.system_view import placeholder_files
from atip.system.scratch import lasting_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    Placed = tuple[str, str]
    """File of the layer, target of a link (empty: a file)."""

_ALTERNATIVES = (
    ("usr/bin/awk", ("usr/bin/mawk", "usr/bin/gawk", "usr/bin/original-awk")),
    ("usr/bin/which", ("usr/bin/which.debianutils",)),
    ("usr/bin/java", ("usr/lib/jvm/*/bin/java",)),
    ("usr/bin/wish", ("usr/bin/wish8.6",)),
    ("usr/bin/tclsh", ("usr/bin/tclsh8.6",)),
    ("usr/bin/php", ("usr/bin/php8.*",)),
    ("usr/bin/lua", ("usr/bin/lua5.*",)),
    ("usr/lib/x86_64-linux-gnu/libblas.so.3", ("usr/lib/*/blas/libblas.so.3",)),
    ("usr/lib/x86_64-linux-gnu/liblapack.so.3", ("usr/lib/*/lapack/liblapack.so.3",)),
)
"""Name → patterns of files; a link to the first match is created. Data."""
PLACEHOLDERS = {path.lstrip("/"): data for path, data in placeholder_files("/tmp").items()}  # noqa: S108 the sandbox's own
MAX_REMEMBERED = 4_000
_LISTED: dict[str, dict[str, Placed]] = {}
_STANDING: list[StandingRoot] = []


def standing_root(parent: str) -> StandingRoot:
    """The root of this process, below a folder of this machine; a new one if the last job left it inconsistent."""
    if not _STANDING or _STANDING[0].is_inconsistent or _STANDING[0].pid != os.getpid():
        for old in _STANDING:
            old.remove()
        _STANDING[:] = [StandingRoot(lasting_folder(parent, "root"))]
    return _STANDING[0]


class StandingRoot:
    """One folder that stands for `/`."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder)
        self.pid = os.getpid()
        self.is_inconsistent = False
        """Whether layers contradicted each other (a link where another has a folder): the next job gets a new root."""
        self._layers: dict[str, dict[str, Placed]] = {}
        """Layer → its files. Stored here because a layer's folder may be removed while it is in use."""
        self._claims: dict[str, list[str]] = {}
        self._owner: dict[str, str] = {}
        self._contested: set[str] = set()
        self._alternatives: list[str] = []
        self._folders: set[str] = {self.folder}
        directories = ("", "usr", "etc", *(f"usr/{entry}" for entry in MERGED[:3]))
        self._fixed_folders = frozenset(
            os.path.normpath(os.path.join(self.folder, name)) for name in directories
        )
        for name in ("usr", "etc", *(f"usr/{entry}" for entry in MERGED[:3])):
            os.makedirs(os.path.join(self.folder, name), mode=0o755)
        for name in MERGED:
            os.symlink(f"usr/{name}", os.path.join(self.folder, name))
        for name, data in PLACEHOLDERS.items():
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(data)

    def show(self, layers: Sequence[str]) -> None:
        """Make the root contain exactly these layers; a later one wins."""
        for path in self._alternatives:
            os.unlink(path)
        listings = {layer: self._layers.get(layer) or _listing(layer) for layer in layers}
        rank = {layer: number for number, layer in enumerate(listings)}
        touched = set(self._contested)
        for layer in [layer for layer in self._layers if layer not in listings]:
            for place in self._layers[layer]:
                self._claims[place].remove(layer)
                touched.add(place)
        for layer in [listing for listing in listings if listing not in self._layers]:
            for place in listings[layer]:
                self._claims.setdefault(place, []).append(layer)
                touched.add(place)
        self._layers = listings
        self._settle(touched, rank)
        self._alternatives = self._choose_alternatives()

    def remove(self) -> None:
        if self.pid == os.getpid():
            shutil.rmtree(self.folder, ignore_errors=True)

    def _settle(self, touched: set[str], rank: dict[str, int]) -> None:
        """Take every path from the highest layer that has it; remove first, then add."""
        coming: list[tuple[str, str]] = []
        for place in sorted(touched, reverse=True):
            claims = self._claims[place]
            winner = max(claims, key=rank.__getitem__) if claims else ""
            (self._contested.add if len(claims) > 1 else self._contested.discard)(place)
            if not claims:
                del self._claims[place]
            if winner != self._owner.get(place, ""):
                self._take_away(place)
                if winner:
                    coming.append((place, winner))
        for place, winner in reversed(coming):
            self._put(place, winner)

    def _take_away(self, place: str) -> None:
        if self._owner.pop(place, "") == "":
            return
        path = os.path.join(self.folder, place)
        os.unlink(path)
        parent = os.path.dirname(path)
        while parent not in self._fixed_folders:
            try:
                os.rmdir(parent)
            except OSError:
                return
            self._folders.discard(parent)
            parent = os.path.dirname(parent)

    def _put(self, place: str, layer: str) -> None:
        path = os.path.join(self.folder, place)
        parent = os.path.dirname(path)
        if parent not in self._folders and not self._make(parent):
            return
        source, link = self._layers[layer][place]
        try:
            if link:
                os.symlink(link, path)
            else:
                _link_or_copy(source, path)
        except FileExistsError:
            self.is_inconsistent = True
            return
        self._owner[place] = layer

    def _make(self, folder: str) -> bool:
        try:
            os.makedirs(folder, mode=0o755, exist_ok=True)
        except OSError:
            self.is_inconsistent = True
            return False
        # SECURITY: nothing is placed through a link: its target could be outside the root.
        if os.path.realpath(folder) != folder:
            self.is_inconsistent = True
            return False
        self._folders.add(folder)
        return True

    def _choose_alternatives(self) -> list[str]:
        links = []
        for name, patterns in _ALTERNATIVES:
            path = os.path.join(self.folder, name)
            if os.path.lexists(path) or not os.path.isdir(os.path.dirname(path)):
                continue
            start = glob.escape(self.folder)
            candidates = [match for p in patterns for match in sorted(glob.glob(f"{start}/{p}"))]
            if candidates:
                os.symlink(os.path.relpath(candidates[0], os.path.dirname(path)), path)
                links.append(path)
        return links


def _listing(layer: str) -> dict[str, Placed]:
    """Place → (file of the layer, target of a link), of one layer; read once."""
    if layer not in _LISTED:
        if len(_LISTED) >= MAX_REMEMBERED:
            _LISTED.clear()
        files: dict[str, Placed] = {}
        for name, entry in entries(layer):
            place = merged_path(name)
            if place not in PLACEHOLDERS:
                link = _target(name, place, os.readlink(entry.path)) if entry.is_symlink() else ""
                files[place] = (entry.path, link)
        _LISTED[layer] = files
    return _LISTED[layer]


def _target(name: str, place: str, link: str) -> str:
    """Target of a link after the move into `/usr`; always relative and inside the root."""
    target = os.path.normpath(os.path.join("/", os.path.dirname(name), link)).lstrip("/")
    return os.path.relpath(merged_path(target), os.path.dirname(place))


def _link_or_copy(source: str, path: str) -> None:
    try:
        os.link(source, path)
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EMLINK):
            raise
        shutil.copy(source, path)
