"""Programs: the part of the system view that decides what a confined program can start.

With a spawn list the usual program directories are covered, and only the listed ones shown in them.
Libraries stay visible, and a few packages keep programs among them: known folders are covered too.
An interpreter on the list can still do in its own process whatever it likes.
"""

from __future__ import annotations

import os

from atip.errors import SandboxError
from atip.sandbox.verified import find_interpreter
from atip.system.programs.processes import find_program

DIRECTORIES = (
    *("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"),
    *("/usr/games", "/usr/local/games"),
)
HIDDEN = ("/usr/libexec", "/usr/lib/git-core", "/usr/lib/jvm", "/usr/lib/node_modules", "/opt")
"""Programs outside the program directories; shown again for the tools that own them."""
_FIRST_LINE = 256
"""Bytes that the kernel reads of a script to find its interpreter."""
OWNERS = {
    "git": ("/usr/lib/git-core", "/usr/libexec/git-core"),
    "java": ("/usr/lib/jvm",),
    "node": ("/usr/lib/node_modules",),
    "npm": ("/usr/lib/node_modules",),
}


def spawn_arguments(names: tuple[str, ...], program: str, root: str = "") -> list[str]:
    """Arguments for bubblewrap that leave `names` and `program` as the only programs.

    Args:
        root: folder that stands for `/` of the system that is shown; empty: this host's.

    Raises:
        SandboxError: `sandbox.spawn-script` for a script whose interpreter is not on the list.
    """
    places = [root + directory for directory in DIRECTORIES]
    programs = {name: path for name in names if (path := find_program(name, places))}
    for path in programs.values():
        _check_interpreter(path, names, root)
    trees = {
        tree for name in (*programs, os.path.basename(program)) for tree in OWNERS.get(name, ())
    }
    arguments: list[str] = []
    for directory in (*DIRECTORIES, *HIDDEN):
        if _is_folder(root + directory) and directory not in trees:
            arguments += ["--perms", "0755", "--tmpfs", directory]
    for tree in sorted(trees):
        if os.path.isdir(root + tree):
            arguments += ["--ro-bind", root + tree, tree]
    for path in programs.values():
        arguments += [
            "--ro-bind",
            os.path.realpath(path),
            os.path.realpath(os.path.dirname(path))[len(root) :] + "/" + os.path.basename(path),
        ]
    return arguments


def seal_arguments(root: str = "") -> list[str]:
    """Arguments for bubblewrap that make the covered directories read-only; must come last."""
    arguments: list[str] = []
    for directory in (*DIRECTORIES, *HIDDEN):
        if _is_folder(root + directory):
            arguments += ["--remount-ro", directory]
    return arguments


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _check_interpreter(path: str, names: tuple[str, ...], root: str) -> None:
    with open(path, "rb") as file:
        head = file.read(_FIRST_LINE)
    interpreter = find_interpreter(head, path, root)
    if interpreter and os.path.basename(interpreter[0]) not in names:
        raise SandboxError(
            "sandbox.spawn-script",
            f"`{path}` is a script for `{interpreter[0]}`, which is not on the spawn list",
            hint="list the interpreter too; it allows any code",
        )
