"""Names of platforms: ours (`linux-amd64`, ATIP 0.6 §4.4) and those of the ecosystems. Pure."""

from __future__ import annotations

DEBIAN = {
    "amd64": "linux-amd64",
    "arm64": "linux-arm64",
    "armhf": "linux-arm",
    "i386": "linux-386",
    "ppc64el": "linux-ppc64le",
    "riscv64": "linux-riscv64",
    "s390x": "linux-s390x",
}
RPM = {
    "x86_64": "linux-amd64",
    "aarch64": "linux-arm64",
    "i686": "linux-386",
    "ppc64le": "linux-ppc64le",
}
ANY = "any"
"""Scripts that run wherever their interpreter does."""


def debian_platform(architecture: str) -> str:
    """`amd64` → `linux-amd64`; packages for every architecture hold scripts."""
    return ANY if architecture == "all" else DEBIAN.get(architecture, f"linux-{architecture}")


def rpm_platform(architecture: str) -> str:
    """`x86_64` → `linux-amd64`; `noarch` → `any`."""
    return ANY if architecture == "noarch" else RPM.get(architecture, f"linux-{architecture}")


def shim_platform(system: str, machine: str) -> str | None:
    """The platform of a program of this machine as a shim writes it; None: §4.5 has no name for it."""
    name = host_platform(system, machine)
    return name if name.partition("-")[2] in ("amd64", "arm64", "arm", "386") else None


def host_platform(system: str, machine: str) -> str:
    """Names of `uname` → our name."""
    machines = {"x86_64": "amd64", "aarch64": "arm64", "i686": "386"}
    return f"{system.lower()}-{machines.get(machine, machine)}"
