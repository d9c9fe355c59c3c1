"""A package laid out so that its programs can run: where they are, and what the sandbox must make visible."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MAX_PROGRAMS = 2_000


class PackagedProgram(Value):
    """One executable of a package."""

    name: str
    path: str
    """Local path, below the folder of the job."""


class Arranged(Value):
    """A package, unpacked and put together with what it needs."""

    programs: tuple[PackagedProgram, ...]
    root: str = ""
    """The folder that stands for `/`; empty: the package uses this machine's own system."""
    visible: tuple[str, ...] = ()
    """Paths visible in the sandbox besides the system."""
    prefixes: tuple[str, ...] = ()
    """Prefixes to search for manual pages and completion scripts (`…/usr`)."""
    environment: Mapping[str, str] = {}


class Bench(Value):
    """Folders and files that a layout works with."""

    folder: str
    """Empty folder for this job; deleted afterwards."""
    cache: str
    """Unpacked packages, shared by the jobs of this machine."""
    blob: Callable[[str], bytes]
    """Digest → bytes; raises FetchError when they are not in the depot."""


def programs_in(folders: Iterable[str], below: str) -> tuple[PackagedProgram, ...]:
    """Executables in some folders, by name; the first of a name counts. Links count if they stay below the folder."""
    programs: dict[str, PackagedProgram] = {}
    limit = os.path.realpath(below) + "/"
    for folder in folders:
        for name in sorted(_names(folder)):
            path = os.path.join(folder, name)
            # SECURITY: a link must not make us read, hash or show a file of this machine.
            if name in programs or not os.path.realpath(path).startswith(limit):
                continue
            if os.path.isfile(path) and os.access(path, os.X_OK):
                programs[name] = PackagedProgram(name=name, path=path)
    return tuple(programs.values())[:MAX_PROGRAMS]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
