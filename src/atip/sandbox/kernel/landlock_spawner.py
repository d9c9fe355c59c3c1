"""Restricted threads that start programs: children inherit what holds their thread.

Putting a thread under Landlock and a filter costs as much as starting a program, so a thread is kept
for each set of grants and used again. It knows its grants by device and inode: a directory that was
replaced gets a new thread. A few are kept; the least recently used one ends.
"""

from __future__ import annotations

import os
import queue
import threading

from atip.sandbox.bubblewrap import system_view
from atip.sandbox.kernel import syscalls as kernel
from atip.sandbox.kernel.seccomp import SeccompFilter, assemble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.sandbox.bubblewrap.grants import FilePlan

    Grants = tuple[tuple[str, str, int, int], ...]
    Task = tuple[str, Callable[[], int], queue.SimpleQueue[int | OSError]]

KEPT = 4
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_HANDLED = {4: (1 << 15) - 1}
_ALL = (1 << 16) - 1
_TCP = 3
_SCOPES = 3
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store")
_SETTINGS = (*system_view.ESSENTIAL, "localtime", "nsswitch.conf", "passwd", "group")

_LOCK = threading.Lock()
_SPAWNERS: dict[tuple[int, int, Grants], LandlockSpawner] = {}


def spawner_for(abi: int, files: FilePlan) -> LandlockSpawner:
    """The thread that holds exactly these grants, made if there is none."""
    grants: list[tuple[str, str, int, int]] = []
    for mount in files.mounts:
        if mount.kind in ("read", "write"):
            state = os.stat(mount.path)
            grants.append((mount.kind, mount.path, state.st_dev, state.st_ino))
    key = (os.getpid(), abi, tuple(grants))
    with _LOCK:
        spawner = _SPAWNERS.pop(key, None) or LandlockSpawner(abi, tuple(grants))
        _SPAWNERS[key] = spawner  # last in order: most recently used
        while len(_SPAWNERS) > KEPT:
            _SPAWNERS.pop(next(iter(_SPAWNERS))).stop()
    return spawner


class LandlockSpawner:
    """One restricted thread. Only it is restricted; the process around it is not."""

    def __init__(self, abi: int, grants: Grants) -> None:
        self._abi = abi
        self._grants = grants
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._failed: OSError | None = None
        threading.Thread(target=self._work, name="atip-restricted", daemon=True).start()

    def spawn(self, cwd: str, start: Callable[[], int]) -> int:
        """Run `start` in the restricted thread and return its process id.

        Raises:
            OSError: when the restriction or the start failed; nothing runs then.
        """
        answer: queue.SimpleQueue[int | OSError] = queue.SimpleQueue()
        self._tasks.put((cwd, start, answer))
        result = answer.get()
        if isinstance(result, OSError):
            raise result
        return result

    def stop(self) -> None:
        """Let the thread end after what it was given."""
        self._tasks.put(None)

    def _work(self) -> None:
        try:
            self._restrict()
        except OSError as error:
            self._failed = error
        while (task := self._tasks.get()) is not None:
            cwd, start, answer = task
            # SECURITY: a thread that could not be restricted never starts anything.
            if self._failed is not None:
                answer.put(self._failed)
                continue
            try:
                os.chdir(cwd)
                answer.put(start())
            except OSError as error:
                answer.put(error)

    def _restrict(self) -> None:
        kernel.detach_directory_of_thread()
        kernel.set_no_new_privileges()
        handled = _HANDLED.get(self._abi, _ALL)
        scopes = _SCOPES if self._abi >= 6 else 0
        ruleset = kernel.landlock_ruleset(handled, _TCP, scopes, self._abi)
        try:
            self._grant(ruleset, handled)
            kernel.landlock_restrict_thread(ruleset)
        finally:
            os.close(ruleset)
        code = assemble(SeccompFilter(shared_objects=True, sockets=False), os.uname().machine)
        kernel.seccomp_restrict_thread(code)

    def _grant(self, ruleset: int, handled: int) -> None:
        readable = _EXECUTE | _READ_FILE | _READ_DIR
        for path in (*_SYSTEM, *(f"/etc/{name}" for name in _SETTINGS)):
            _allow(ruleset, path, readable)
        for name in system_view.DEVICES:
            _allow(ruleset, f"/dev/{name}", _READ_FILE | _WRITE_FILE)
        for kind, path, _, _ in self._grants:
            _allow(ruleset, path, readable if kind == "read" else handled)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _FILE_RIGHTS
        kernel.landlock_allow_path(ruleset, descriptor, rights)
    finally:
        os.close(descriptor)
