"""The read-only system that every sandbox shows: programs, libraries and harmless settings.

Returns arguments for bubblewrap. `/etc` is not shown as a whole: only entries that programs need
to start, and made-up ones where the real file says who uses this machine.
"""

from __future__ import annotations

import functools
import os
import stat
import sys

from atip.errors import SandboxError
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TOP = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
TREES = ("/usr", "/opt", "/nix/store", "/gnu/store", "/snap")
ESSENTIAL = ("ld.so.cache", "ssl", "pki", "crypto-policies", "alternatives")
"""Below `/etc`, for every sandbox. Each mount costs start-up time, so probes get no more."""
SETTINGS = (
    *("ld.so.conf", "ld.so.conf.d", "localtime", "timezone", "locale.alias", "ca-certificates"),
    *("mime.types", "magic", "fonts", "terminfo", "inputrc", "protocols", "services"),
    *("perl", "python3", "os-release", "debian_version", "lsb-release", "gai.conf", "nodejs"),
    *("manpath.config", "man_db.conf", "groff", "vim", "emacs", "ImageMagick-6"),
)
"""Below `/etc`, for real work; what does not exist is left out."""
_COPIED = 1 << 14
"""Up to this size a file is copied, not mounted."""

DEVICES = ("null", "zero", "full", "random", "urandom")
"""No terminal among them: a probe has none, and a run that needs one gets its own."""

HOST = "/run/host"
"""Folder of this host's own programs inside a sandbox that shows another system."""

USER = "probe"
UID = 65534
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def placeholder_files(home: str) -> dict[str, bytes]:
    """Files that say nothing of this machine and its users."""
    user = f"{USER}:x:{UID}:{UID}:{USER}:{home}:/bin/sh\n"
    return {
        "/etc/passwd": f"root:x:0:0:root:/:/bin/false\n{user}".encode(),
        "/etc/group": f"root:x:0:\n{USER}:x:{UID}:\n".encode(),
        "/etc/hosts": b"127.0.0.1 localhost\n::1 localhost\n",
        "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files dns\n",
        "/etc/resolv.conf": b"",
        "/etc/machine-id": b"0" * 32 + b"\n",
    }


_NEVER = ("/", "/proc", "/sys", "/dev", "/run", "/var", "/home", "/root", "/tmp", "/etc")  # noqa: S108


class Interpreter(Value):
    """A Python for our own code inside; `tree` must be made visible when not empty."""

    program: str
    tree: str = ""


def find_interpreter() -> Interpreter:
    """The system's Python if it is of our own version (bytecode fits and nothing of a user's
    home need be shown), else the one we run on, with its library."""
    system = os.path.realpath("/usr/bin/python3")
    ours = f"python3.{sys.version_info.minor}"
    if os.path.basename(system) == ours and os.access(system, os.X_OK):
        return Interpreter(program=system)
    own = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
    tree = os.path.realpath(sys.base_prefix)
    return Interpreter(program=own, tree="" if _inside(tree, "/usr") else tree)


def system_arguments(*, settings: tuple[str, ...] = ()) -> list[str]:
    """Binds and links of the system directories, as they are on this host."""
    # Looking costs more than a tenth of a start: again only when a name there came, went or was replaced.
    state = tuple(os.stat(folder).st_mtime_ns for folder in ("/", "/etc", "/usr"))
    return list(_system_arguments(settings, state))


@functools.lru_cache(maxsize=4)
def _system_arguments(settings: tuple[str, ...], _state: tuple[int, ...]) -> tuple[str, ...]:
    arguments: list[str] = []
    # Parents that bubblewrap would otherwise make for root alone.
    for path in ("/etc", "/var", "/run", "/home", "/dev"):
        arguments += ["--perms", "0755", "--dir", path]
    for path in TOP:
        if os.path.islink(path):
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            arguments += ["--ro-bind", path, path]
    for path in TREES:
        if os.path.isdir(path):
            for parent in parents(path):
                arguments += ["--perms", "0755", "--dir", parent]
            arguments += ["--ro-bind", path, path]
    for name in (*ESSENTIAL, *_java(), *settings):
        path = f"/etc/{name}"
        if not os.path.exists(path):
            continue
        real = os.path.realpath(path)
        # A link costs nothing; each mount 0.15 ms, because bubblewrap reads the table of all mounts after it.
        is_shown = any(_inside(real, tree) for tree in TREES)
        arguments += ["--symlink" if is_shown else "--ro-bind", real, path]
    return tuple(arguments)


def open_settings() -> dict[str, int]:
    """Descriptors of the small files among SETTINGS, to be copied into a sandbox for a quarter of the cost of a mount. The
    caller closes them."""
    descriptors: dict[str, int] = {}
    for name in SETTINGS:
        path = f"/etc/{name}"
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            continue  # missing, or a link
        status = os.fstat(handle)
        # SECURITY: a copy is readable by all users, so the file itself must be
        is_open = stat.S_ISREG(status.st_mode) and status.st_mode & stat.S_IROTH
        if is_open and status.st_size <= _COPIED:
            descriptors[path] = handle
        else:
            os.close(handle)
    return descriptors


def _java() -> list[str]:
    """Java refuses to start without its settings, which the packages keep below `/etc`."""
    return [name for name in os.listdir("/etc") if name.startswith("java")]


def root_arguments(root: str) -> list[str]:
    """Another system than this host's: `usr`, `etc` and `opt` of a folder that stands for `/`, with the host's own
    programs aside (HOST), for the supervisor alone.

    Raises:
        SandboxError: `sandbox.visible`.
    """
    real = _check_path(root)
    arguments: list[str] = []
    for path in ("/etc", "/var", "/run", "/home", "/dev", HOST):
        arguments += ["--perms", "0755", "--dir", path]
    for path in TOP:
        if os.path.isdir(f"{real}/usr{path}"):
            arguments += ["--symlink", f"usr{path}", path]
    for name in ("usr", "etc", "opt"):
        if os.path.isdir(f"{real}/{name}"):
            arguments += ["--ro-bind", f"{real}/{name}", f"/{name}"]
    return [*arguments, *_host_arguments()]


def host_mounts() -> tuple[str, ...]:
    """Mount points of this host's programs and libraries inside a sandbox that shows another system."""
    own = ("/usr", *(path for path in TOP if not os.path.islink(path)))
    return tuple(HOST + path for path in own if os.path.isdir(path))


def _host_arguments() -> list[str]:
    mounts = host_mounts()
    return [part for path in mounts for part in ("--ro-bind", path[len(HOST) :], path)]


NEVER_OF_IMAGE = ("/proc", "/sys", "/dev", "/run", "/tmp", "/home", "/root")  # noqa: S108
"""Mounts of every sandbox, regardless of the system it shows."""


def image_arguments(root: str, covered: Sequence[str]) -> list[str]:
    """All of another system as it lies in a folder that stands for `/`, with this host's own programs aside (HOST) until
    the inner launcher takes them away.

    Args:
        covered: where something else will be mounted. What lies above that is shown entry by entry, since no folder
            can be made in a mount that is read-only.

    Raises:
        SandboxError: `sandbox.visible`.
    """
    real = _check_path(root)
    arguments: list[str] = []
    for path in ("/var", "/run", "/home", "/dev", HOST):
        arguments += ["--perms", "0755", "--dir", path]
    pending = [""]
    while pending:
        above = pending.pop()
        for entry in sorted(os.scandir(f"{real}{above}/"), key=lambda one: one.name):
            path = f"{above}/{entry.name}"
            if path in NEVER_OF_IMAGE or path in covered:
                continue
            if entry.is_symlink():
                arguments += ["--symlink", os.readlink(entry.path), path]
            elif entry.is_dir() and any(one.startswith(f"{path}/") for one in covered):
                arguments += ["--perms", "0755", "--dir", path]
                pending.append(path)
            else:
                arguments += ["--ro-bind", entry.path, path]
    return [*arguments, *_host_arguments()]


def host_start(program: str) -> list[str]:
    """Command that starts a program of this host where its libraries lie below HOST: by its own loader, named in full.

    Raises:
        SandboxError: `sandbox.interpreter` when the host's loader is not found.
    """
    import glob

    loaders = [*glob.glob("/lib64/ld-linux-*.so.*"), *glob.glob("/lib/ld-linux-*.so.*")]
    if not loaders:
        raise SandboxError("sandbox.interpreter", "the dynamic loader of this host was not found")
    folders = [*glob.glob("/usr/lib/*-linux-gnu*"), *glob.glob("/lib/*-linux-gnu*")]
    folders += ["/usr/lib64", "/usr/lib", "/usr/local/lib"]
    real = dict.fromkeys(os.path.realpath(folder) for folder in folders if os.path.isdir(folder))
    libraries = ":".join(HOST + one for one in real)
    inside = HOST + program if _inside(program, "/usr") else program
    return [HOST + os.path.realpath(loaders[0]), "--library-path", libraries, inside]


def device_arguments() -> list[str]:
    """A few harmless devices, and the usual names of a process's own descriptors."""
    arguments: list[str] = []
    for name in DEVICES:
        arguments += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        arguments += ["--symlink", f"/proc/self/{target}", f"/dev/{name}"]
    return arguments


def visible_arguments(paths: tuple[str, ...]) -> list[str]:
    """Read-only binds of files and directories outside the system.

    Each is shown under the given name and under its real one, with parents anyone may pass.

    Raises:
        SandboxError: `sandbox.visible` for a path that is missing, relative, or would show the
            user's home or a kernel file system.
    """
    binds: dict[str, str] = {}
    for path in paths:
        real = _check_path(path)
        for name in (os.path.normpath(path), real):
            if not any(_inside(name, tree) for tree in (*TOP, *TREES)):
                binds[name] = real
    arguments: list[str] = []
    created: set[str] = set()
    for name in sorted(binds):
        for parent in parents(name):
            if parent not in created and parent not in binds:
                created.add(parent)
                arguments += ["--perms", "0755", "--dir", parent]
        if not any(_inside(os.path.dirname(name), other) for other in binds):
            arguments += ["--ro-bind", binds[name], name]
    return arguments


def _check_path(path: str) -> str:
    real = os.path.realpath(path)
    homes = {os.path.realpath(os.path.expanduser("~")), os.path.expanduser("~")}
    if not os.path.isabs(path) or "\0" in path or not os.path.exists(real):
        raise SandboxError("sandbox.visible", f"`{path}` is not an existing absolute path")
    # SECURITY: an empty home and no kernel interfaces are the promise of a probe.
    for name in (os.path.normpath(path), real):
        if name in _NEVER or name in homes or _inside(name, "/proc") or _inside(name, "/sys"):
            raise SandboxError(
                "sandbox.visible",
                f"`{path}` must not be visible to a probe: it is a home or kernel folder",
            )
    return real


def parent_arguments(path: str) -> list[str]:
    """Make the directories above `path`, for anyone to pass."""
    return [part for parent in parents(path) for part in ("--perms", "0755", "--dir", parent)]


def parents(path: str) -> list[str]:
    """The directories above `path`, outermost first, without the root."""
    parts = path.strip("/").split("/")[:-1]
    return ["/" + "/".join(parts[: count + 1]) for count in range(len(parts))]


def _inside(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")
