"""A package laid out so that its programs can run: where they are, and what the sandbox must make visible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class PackagedProgram(Value):
    """One executable of a package."""

    name: str
    path: str
    """Local path, below the folder of the job."""


class PackageLayout(Value):
    """A package, unpacked and put together with what it needs."""

    programs: tuple[PackagedProgram, ...]
    root: str = ""
    """The folder that stands for `/`; empty: the package uses this machine's own system."""
    visible: tuple[str, ...] = ()
    """Paths visible in the sandbox besides the system."""
    prefixes: tuple[str, ...] = ()
    """Prefixes to search for manual pages and completion scripts (`…/usr`)."""
    environment: Mapping[str, str] = {}


class LayoutFolders(Value):
    """Folders and files that a layout works with."""

    folder: str
    """Empty folder for this job; deleted afterwards."""
    cache: str
    """Unpacked packages, shared by the jobs of this machine."""
    blob: Callable[[str], bytes]
    """Digest → bytes; raises FetchError when they are not in the depot."""
