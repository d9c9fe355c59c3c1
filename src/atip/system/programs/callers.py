"""Callers: which program started this process, past shells and wrappers. Read from `/proc`; elsewhere it is unknown."""

from __future__ import annotations

import os

from atip.model.reading.plain_json import loads
from atip.model.value import Value

_WRAPPERS = frozenset(
    ("sh", "bash", "dash", "zsh", "ash", "fish", "timeout", "env", "nice", "setsid", "stdbuf")
)
_INTERPRETERS = ("node", "bun", "deno", "python", "ruby")
MAX_DEPTH = 12
MAX_BYTES = 65536
_PACKAGE_DEPTH = 5


_child = 0
"""The process whose callers are meant; 0: this one."""


def stand_in_for(pid: int) -> None:
    """From now on this process answers for another one, whose callers are looked for instead of its own."""
    global _child  # noqa: PLW0603 - for the rest of this process
    _child = pid


class CallerProgram(Value):
    """A program that started us."""

    path: str
    """The program; of an interpreter, its script."""
    stamp: str
    """Distinguishes this file from one of the same name that was installed later."""
    package: str = ""
    version: str = ""
    words: tuple[str, ...] = ()
    """Command line of its process."""
    pid: int = 0
    program: str = ""
    """Executable of its process: the program itself, or an interpreter."""


def find_caller() -> CallerProgram | None:
    """The nearest program above this one that is not a shell or a wrapper; None where that cannot be seen."""
    pid = _parent(_child) if _child else os.getppid()
    for _ in range(MAX_DEPTH):
        if pid <= 1:
            return None
        try:
            program = os.readlink(f"/proc/{pid}/exe")
            if os.path.basename(program) not in _WRAPPERS:
                words = _words(pid)
                return _describe(_script(pid, program, words)).replace(
                    words=words, pid=pid, program=program
                )
            pid = _parent(pid)
        except (OSError, ValueError, IndexError):
            return None  # another user's process, or one that has ended
    return None


def _parent(pid: int) -> int:
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def _words(pid: int) -> tuple[str, ...]:
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return tuple(map(os.fsdecode, file.read(MAX_BYTES).split(b"\0")[1:]))


def _script(pid: int, program: str, words: tuple[str, ...]) -> str:
    """Path of the script that an interpreter runs; `program` itself where it is not an interpreter."""
    if not os.path.basename(program).startswith(_INTERPRETERS):
        return program
    script = next((word for word in words if not word.startswith("-")), "")
    return os.path.realpath(os.path.join(f"/proc/{pid}/cwd", script)) if script else program


def _describe(path: str) -> CallerProgram:
    package, version = _package_of(path)
    return CallerProgram(path=path, stamp=_stamp(path), package=package, version=version)


def _stamp(path: str) -> str:
    """Package managers set times back: the inode and the change time are more reliable."""
    status = os.stat(path)
    return f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_ctime_ns}"


def _package_of(path: str) -> tuple[str, str]:
    """Name and version of the npm package that holds a file."""
    folder = os.path.dirname(path)
    for _ in range(_PACKAGE_DEPTH):
        try:
            with open(os.path.join(folder, "package.json"), "rb") as file:
                document = loads(file.read(MAX_BYTES).decode())
        except (OSError, ValueError):
            folder = os.path.dirname(folder)
            continue
        if isinstance(document, dict) and document.get("name") and document.get("version"):
            return str(document["name"]), str(document["version"])
        folder = os.path.dirname(folder)
    return "", ""
