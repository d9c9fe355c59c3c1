"""Outer mounts: those that bubblewrap cannot make, in a mount namespace of their own.

(1) A private mount namespace (with a user namespace if we are not root); (2) for a preview, overlays over the writable
paths, and a package over `/usr`; (3) each granted path mounted onto itself, with root's files shown as the sandbox user's where the caller is root.
Root does this in a thread (`owners`). Any other caller needs a process of its own for it, and only for previews:
`python3 -I -S FILE CONFIG PROGRAM ARGUMENT…` takes these steps and (4) becomes PROGRAM (bubblewrap).
"""

from __future__ import annotations

import _ctypes
import marshal
import os
import sys
from _struct import pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NEWNS, _NEWUSER = 0x20000, 0x10000000
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_CLONE_TREE = 1 | os.O_CLOEXEC  # OPEN_TREE_CLONE
_EMPTY_PATH = 0x1000
_MOVE_EMPTY_PATH = 4
_NOSUID, _NODEV, _IDMAP = 2, 4, 0x100000
_PRIVATE = 0x4000 | 0x40000  # MS_REC | MS_PRIVATE
_BIND = 0x1000
_READ_ONLY = 1
_DETACH = 2
_NEVER_SHOWN = ("/sys", "/dev/pts", "/dev/shm", "/dev/mqueue", "/dev/hugepages")  # noqa: S108  left out


class _Int(_ctypes._SimpleCData):  # type: ignore[type-arg]
    _type_ = "i"


class _Number(_ctypes._SimpleCData):  # type: ignore[type-arg]
    """An argument of the width of a register; a plain integer would be handed over as an `int`."""

    _type_ = "L"


class _Call(_ctypes.CFuncPtr):
    """A function of the C library that leaves the number of its error behind; integers and bytes are passed as they are."""

    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = _Int


class Kernel:
    """The calls we need, with errors as exceptions. By `_ctypes`: what `ctypes` adds to it costs 1 ms of every start."""

    def __init__(self) -> None:
        libc = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        self._unshare, self._mount, self._umount, self._syscall = (
            _Call(_ctypes.dlsym(libc, name)) for name in ("unshare", "mount", "umount2", "syscall")
        )

    def unshare(self, flags: int) -> None:
        self._check(self._unshare(flags), "unshare")

    def mount(self, source: str, target: str, kind: str, flags: int, data: str) -> None:
        encoded = [os.fsencode(part) for part in (source, target, kind)]
        result = self._mount(*encoded, _Number(flags), os.fsencode(data))
        self._check(result, f"mount {target}")

    def detach(self, path: str) -> None:
        """Leave a mount and all below out of this view, if there is one."""
        self._umount(os.fsencode(path), _DETACH)

    def remount_self(self, path: str, attributes: int, user_namespace: int) -> None:
        """Mount `path` onto itself with more restrictive attributes."""
        self.place(self.cloned(path, attributes, user_namespace), path)

    def cloned(self, path: str, attributes: int, user_namespace: int) -> int:
        """A mount of `path` with more restrictive attributes, not yet placed anywhere."""
        tree = self._call(path, _OPEN_TREE, -100, os.fsencode(path), _CLONE_TREE)
        if user_namespace >= 0:
            attributes |= _IDMAP
        mount_attributes = pack("<QQQQ", attributes, 0, 0, max(0, user_namespace))
        self._call(
            path,
            _MOUNT_SETATTR,
            tree,
            b"",
            _EMPTY_PATH,
            mount_attributes,
            _Number(len(mount_attributes)),
        )
        return tree

    def place(self, tree: int, path: str) -> None:
        """Put a cloned mount over `path`."""
        self._call(path, _MOVE_MOUNT, tree, b"", -100, os.fsencode(path), _MOVE_EMPTY_PATH)
        os.close(tree)

    def _call(self, what: str, number: int, *arguments: int | bytes | _Number) -> int:
        return self._check(self._syscall(number, *arguments), what)

    def _check(self, result: int, what: str) -> int:
        if result < 0:
            raise OSError(_ctypes.get_errno(), os.strerror(_ctypes.get_errno()), what)
        return result


def write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as target:
        target.write(text)


def enter_namespaces(kernel: Kernel) -> None:
    """(1) Private mounts; a user namespace gives the right to them."""
    uid, gid = os.getuid(), os.getgid()
    if uid == 0:
        kernel.unshare(_NEWNS)
    else:
        kernel.unshare(_NEWNS | _NEWUSER)
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", f"{uid} {uid} 1")
        write("/proc/self/gid_map", f"{gid} {gid} 1")
    kernel.mount("none", "/", "", _PRIVATE, "")


def shorten_view(kernel: Kernel, mounts: Iterable[str]) -> None:
    """Leave out what no sandbox shows: bubblewrap reads the table of all mounts once for each mount it makes. Only
    root may; elsewhere, and where there is no such mount, the table stays as it is."""
    for path in _NEVER_SHOWN:
        if not any(f"{granted}/".startswith(f"{path}/") for granted in mounts):
            kernel.detach(path)


def lay_over(kernel: Kernel, overlays: Iterable[tuple[str, str, bool]], namespace: int) -> None:
    """For a preview: changes go to a stage of the caller's, the real files stay below as they are."""
    for path, stage, is_folder in overlays:
        if namespace >= 0:
            kernel.remount_self(path, 0, namespace)
        if not is_folder:
            kernel.mount(f"{stage}/file", path, "", _BIND, "")
            continue
        layers = f"lowerdir={escaped(path)},upperdir={escaped(stage)}/upper,workdir={escaped(stage)}/work"
        # a renamed folder is copied, a changed mode too: what is staged can be read without this mount
        options = "redirect_dir=nofollow,metacopy=off,index=off"
        own = ",userxattr" if namespace < 0 else ""
        kernel.mount("overlay", path, "overlay", 0, f"{layers},{options}{own}")
        if os.statvfs(path).f_flag & 1:
            raise OSError(30, "the stage cannot hold an overlay", stage)  # EROFS


def lay_package(kernel: Kernel, layer: str) -> None:
    """Files of a package over those of the system, as if it were installed; nothing can be written there."""
    if layer:
        lower = f"lowerdir={escaped(layer)}:/usr"
        kernel.mount("overlay", "/usr", "overlay", _READ_ONLY, lower)


def escaped(path: str) -> str:
    """A path as part of mount options."""
    return "".join(f"\\{letter}" if letter in "\\:," else letter for letter in path)


def prepare(
    overlays: Iterable[tuple[str, str, bool]],
    mounts: Iterable[str],
    namespace: int,
    layer: str = "",
) -> None:
    """Steps 1 to 3; `namespace` maps the owners of files, -1: they stay as they are."""
    kernel = Kernel()
    enter_namespaces(kernel)
    shorten_view(kernel, mounts)
    lay_package(kernel, layer)
    lay_over(kernel, overlays, namespace)  # (2)
    laid = {path for path, _, _ in overlays}
    cloned_trees = []
    for path in mounts:  # (3)
        # Cloned before any is placed: below a mount whose owners are mapped nothing can be mapped again.
        cloned_trees.append(
            (path, kernel.cloned(path, _NOSUID | _NODEV, -1 if path in laid else namespace))
        )
    for path, tree in sorted(cloned_trees, key=lambda pair: pair[0].count("/")):
        kernel.place(tree, path)


def main(arguments: list[str]) -> None:
    """Prepare, then become bubblewrap."""
    data = b""
    config = int(arguments[0])
    while more := os.read(config, 65536):
        data += more
    os.close(config)
    try:
        overlays, mounts, layer = marshal.loads(data)  # noqa: S302  from our own host process
        prepare(overlays, mounts, -1, layer)
    except OSError as problem:
        sys.stderr.write(f"outer: {problem}\n")
        os._exit(125)
    os.execve(arguments[1], arguments[1:], {})  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
