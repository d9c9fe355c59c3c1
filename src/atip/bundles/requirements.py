"""Requirements of a bundle – system, architecture, disk space, memory – and what this machine has.

Implements AIP-29 `requires`; RESOLUTIONS P8 (requirements belong to the bundle; a method has its own), P23.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from atip.model.value import Value

if TYPE_CHECKING:
    from atip.codecs.climd.manifest import Requires

_SYSTEMS = {"linux": "linux", "darwin": "darwin", "win32": "windows", "cygwin": "windows"}
_ARCHITECTURES = {
    "x86_64": "x64",
    "amd64": "x64",
    "aarch64": "arm64",
    "arm64": "arm64",
    "i386": "x86",
    "i686": "x86",
    "armv7l": "arm",
    "armv6l": "arm",
}
METHOD_SYSTEMS: dict[str, tuple[str, ...]] = {
    "apt": ("linux",),
    "dnf": ("linux",),
    "pacman": ("linux",),
    "brew": ("darwin", "linux"),
    "choco": ("windows",),
    "scoop": ("windows",),
    "curl": ("darwin", "linux"),
}
"""Methods that exist on some systems only; all others are everywhere."""


class HostMachine(Value):
    """The machine's properties that requirements test. Zero: unknown, which meets no requirement."""

    os: str
    arch: str
    disk_mb: int = 0
    memory_mb: int = 0


def find_host(folder: str) -> HostMachine:
    """This machine; the space is that of the file system of `folder`."""
    while folder and not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    space = os.statvfs(folder or "/")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    machine = os.uname().machine.lower()
    return HostMachine(
        os=_SYSTEMS.get(sys.platform, sys.platform),
        arch=_ARCHITECTURES.get(machine, machine),
        disk_mb=space.f_bavail * space.f_frsize // 1_000_000,
        memory_mb=memory // 1_000_000,
    )


def unmet(requires: Requires, host: HostMachine) -> list[str]:
    """List the requirements that the machine does not meet."""
    reasons = []
    if requires.os and host.os not in requires.os:
        reasons.append(f"needs {' or '.join(requires.os)}, this is {host.os}")
    if requires.arch and host.arch not in requires.arch:
        reasons.append(f"needs {' or '.join(requires.arch)}, this is {host.arch}")
    if requires.min_disk_mb > host.disk_mb:
        reasons.append(f"needs {requires.min_disk_mb} MB of disk space, {host.disk_mb} MB are free")
    if requires.min_memory_mb > host.memory_mb:
        reasons.append(
            f"needs {requires.min_memory_mb} MB of memory, the machine has {host.memory_mb} MB"
        )
    return reasons


def why_not_here(method: str, host: HostMachine) -> str | None:
    """Why a method cannot work on this system; None if it can."""
    systems = METHOD_SYSTEMS.get(method)
    if systems is not None and host.os not in systems:
        return f"`{method}` is for {' and '.join(systems)}, this is {host.os}"
    return None
