"""Control groups: one bound on the memory of a whole run, where this user may make a group. v2 and v1.

Limits of the kernel on processes hold for each of them; 512 processes may each use theirs. A group below our own (or beside it, where v2 wants
that) bounds all together. Where none can be made the run goes on with the limits of each process, and says so.
"""

from __future__ import annotations

import contextlib
import functools
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = "/sys/fs/cgroup"
_LIMITS = ("memory.max", "memory.limit_in_bytes")


class MemoryGroup:
    """One group. `hold` a process before it starts others; `close` when all have ended."""

    def __init__(self, path: str) -> None:
        self._path = path

    def hold(self, pid: int) -> bool:
        """Put a process into the group; False: it could not be done, and nothing holds it."""
        return _write(f"{self._path}/cgroup.procs", str(pid))

    def close(self) -> None:
        """Remove the group; the kernel refuses while it has processes."""
        with contextlib.suppress(OSError):
            os.rmdir(self._path)


def make_group(memory_bytes: int) -> MemoryGroup | None:
    """A group with a bound; None: no place for one here."""
    placed = _find(memory_bytes)
    return placed[1] if placed is not None else None


@functools.cache
def find_parent() -> str | None:
    """The folder in which a group with a bound on memory can be made, seen to work once."""
    placed = _find(1 << 40)
    if placed is None:
        return None
    placed[1].close()
    return placed[0]


def _find(memory_bytes: int) -> tuple[str, MemoryGroup] | None:
    """The first folder in which a group can be made, and that group: a trial before it would cost as much."""
    for folder in _candidates():
        group = _make_group(folder, memory_bytes)
        if group is not None:
            return folder, group
    return None


def _candidates() -> Iterator[str]:
    """Our own group first: what bounds us bounds the run too."""
    own = _own_groups()
    if os.path.exists(f"{_ROOT}/cgroup.controllers"):
        path = own.get("", "/").rstrip("/")
        yield f"{_ROOT}{path}"
        yield f"{_ROOT}{os.path.dirname(path) if path else ''}"
    else:
        path = own.get("memory", "/").rstrip("/")
        yield f"{_ROOT}/memory{path}"
        if not os.path.isdir(f"{_ROOT}/memory{path}"):
            yield f"{_ROOT}/memory"  # a container, whose own group is the root that it sees


def _own_groups() -> dict[str, str]:
    """Controller → our group; v2 has an empty name."""
    groups: dict[str, str] = {}
    with contextlib.suppress(OSError), open("/proc/self/cgroup", encoding="utf-8") as listing:
        for line in listing:
            _, names, path = line.rstrip("\n").split(":", 2)
            groups.update(dict.fromkeys(names.split(","), path))
    return groups


def _make_group(parent: str, memory_bytes: int) -> MemoryGroup | None:
    path = f"{parent}/atip-{os.urandom(6).hex()}"
    try:
        os.mkdir(path)
    except OSError:
        return None
    group = MemoryGroup(path)
    bound = any(_write(f"{path}/{name}", str(memory_bytes)) for name in _LIMITS)
    if not bound:
        group.close()
        return None
    _write(f"{path}/memory.swap.max", "0")
    _write(f"{path}/memory.memsw.limit_in_bytes", str(memory_bytes))
    return group


def _write(path: str, text: str) -> bool:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(handle, text.encode())
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
