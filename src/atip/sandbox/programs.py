"""Programs: the part of the system view that decides what a confined program can start.

With a spawn list the usual program directories are covered, and only the listed ones shown in them.
Libraries stay visible, and a few packages keep programs among them: known folders are covered too.
An interpreter on the list can still do in its own process whatever it likes.
"""

from __future__ import annotations

import os

from atip.errors import SandboxError
from atip.sandbox.verified import find_interpreter
from atip.system.processes import find_program

DIRECTORIES = (
    *("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"),
    *("/usr/games", "/usr/local/games"),
)
HIDDEN = ("/usr/libexec", "/usr/lib/git-core", "/usr/lib/jvm", "/usr/lib/node_modules", "/opt")
"""Programs outside the program directories; shown again for the tools that own them."""
OWNERS = {
    "git": ("/usr/lib/git-core", "/usr/libexec/git-core"),
    "java": ("/usr/lib/jvm",),
    "node": ("/usr/lib/node_modules",),
    "npm": ("/usr/lib/node_modules",),
}


def spawn_arguments(names: tuple[str, ...], program: str) -> list[str]:
    """Arguments for bubblewrap that leave `names` and `program` as the only programs.

    Raises:
        SandboxError: `sandbox.spawn-script` for a script whose interpreter is not on the list.
    """
    found = {name: path for name in names if (path := find_program(name, DIRECTORIES))}
    for path in found.values():
        _check_interpreter(path, names)
    kept = {tree for name in (*found, os.path.basename(program)) for tree in OWNERS.get(name, ())}
    arguments: list[str] = []
    for directory in (*DIRECTORIES, *HIDDEN):
        if os.path.isdir(directory) and not os.path.islink(directory) and directory not in kept:
            arguments += ["--perms", "0755", "--tmpfs", directory]
    for tree in sorted(kept):
        if os.path.isdir(tree):
            arguments += ["--ro-bind", tree, tree]
    for path in found.values():
        arguments += [
            "--ro-bind",
            os.path.realpath(path),
            os.path.realpath(os.path.dirname(path)) + "/" + os.path.basename(path),
        ]
    return arguments


def seal_arguments() -> list[str]:
    """To come last: nothing can be added to the covered directories."""
    arguments: list[str] = []
    for directory in (*DIRECTORIES, *HIDDEN):
        if os.path.isdir(directory) and not os.path.islink(directory):
            arguments += ["--remount-ro", directory]
    return arguments


def _check_interpreter(path: str, names: tuple[str, ...]) -> None:
    with open(path, "rb") as opened:
        head = opened.read(256)
    interpreter = find_interpreter(head, path)
    if interpreter and os.path.basename(interpreter[0]) not in names:
        raise SandboxError(
            "sandbox.spawn-script",
            f"`{path}` is a script for `{interpreter[0]}`, which is not on the spawn list",
            hint="list the interpreter too: it means any code",
        )
