"""Vital paths, never meant to be lost through an agent: roots, homes, disks, boot loader, our own settings. Data.

Paths are absolute and normalized (`Paths.resolve`); a wildcard is `ANY_FILE`. Lexical: reads no files.
"""

from __future__ import annotations

from atip.model.text.regex import LazyRegex
from atip.policy.places.sensitive import ANY_FILE

SYSTEM = frozenset(
    """/ /bin /boot /dev /efi /etc /home /lib /lib32 /lib64 /opt /proc /root /sbin /srv /sys /usr /usr/bin /usr/lib /usr/sbin
    /usr/local /var /var/lib /var/log /mnt /media /System /Library /Applications /Users /Volumes /private /nix /nix/store""".split()  # noqa: SIM905
)
_HOME = LazyRegex(r"^/(?:home|Users)/[^/]+$")
_DEVICE = LazyRegex(
    r"^/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk\d|md\d|md/|dm-|mapper/|disk/|mtd|zd\d)"
)
_BOOT = LazyRegex(r"^/(?:boot|efi)(?:/|$)|^/System/Volumes/Preboot")
_OWN = LazyRegex(
    r"^(?:/etc/agent-tools|HOME/\.(?:config|cache|local/share|local/state)/agent-tools)(?:/|$)"
    r"|^/run/user/\d+/agent-tools(?:/|$)|/\.agent-tools(?:/|$)"
)


def is_device(path: str) -> bool:
    """Whether a path names a disk, or a part of one."""
    return path.startswith("/dev/") and _DEVICE.search(path) is not None


def is_boot(path: str) -> bool:
    """Whether writing there can prevent the machine from booting."""
    return path.startswith(("/boot", "/efi", "/System/")) and _BOOT.search(path) is not None


def is_own(path: str, home: str) -> bool:
    """Whether a path belongs to our policy, approvals, audit or store."""
    if "agent-tools" not in path:
        return False
    inside = path.startswith(home.rstrip("/") + "/")
    relative = "HOME" + path[len(home.rstrip("/")) :] if inside else path
    return _OWN.search(relative) is not None


def is_system(path: str) -> bool:
    """The root, a folder of the system, or everything in one."""
    return _bare(path) in SYSTEM


def what_is_lost(path: str, *, root: str, home: str) -> str:
    """Description of what removing a path would lose; empty: nothing vital."""
    bare = _bare(path)
    if bare == "/":
        return "the whole system"
    if bare in SYSTEM:
        return f"`{bare}` of the system"
    if bare == home or (bare.startswith(("/home/", "/Users/")) and _HOME.match(bare)):
        return "a whole home folder"
    if path == root:
        return "the whole workspace with its history"
    if root.startswith(bare + "/"):
        return "the folder that holds the workspace"
    return "the history of the repository" if bare == f"{root}/.git" else ""


def _bare(path: str) -> str:
    """`/etc/*` is all of `/etc`."""
    ending = f"/{ANY_FILE}"
    return (path[: -len(ending)] or "/") if path.endswith(ending) else path
