"""Version managers: the program behind a shim of pyenv, rbenv, nodenv and their like.

A shim is a script that looks for the manager, which looks for a version, which holds the program. In a sandbox there is
no manager; so the look-up is made here, by the manager's own rules, and the program itself is run. Starts nothing.
"""

from __future__ import annotations

import os

from atip.errors import AtipError
from atip.model.text.regex import late_regex
from atip.system.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KINDS = {
    # variable that names a version: file of a project that does
    "PYENV_VERSION": ".python-version",
    "RBENV_VERSION": ".ruby-version",
    "NODENV_VERSION": ".node-version",
    "GOENV_VERSION": ".go-version",
}
_VERSION = late_regex(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}\Z")
MAX_FILE = 4096


def resolve_shim(path: str, cwd: str, env: Mapping[str, str]) -> str:
    """The program that a shim would start; the path itself if it is not a shim, or nothing is found.

    SECURITY: a project's version file only chooses among the versions that are installed.
    """
    folder, name = os.path.split(os.path.abspath(path))
    root = os.path.dirname(folder)
    if os.path.basename(folder) != "shims" or not os.path.isdir(os.path.join(root, "versions")):
        return path
    for version in _versions(root, cwd, env):
        if version == "system":
            program = _elsewhere(name, folder, env)
        else:
            program = os.path.join(root, "versions", version, "bin", name)
        if program and os.access(program, os.X_OK):
            return os.path.realpath(program)
    return path


def _versions(root: str, cwd: str, env: Mapping[str, str]) -> Iterator[str]:
    """Versions in the order in which they count; only the first place that names any does."""
    manager = os.path.basename(root).strip(".").upper()
    variable = f"{manager}_VERSION"
    texts = [env.get(variable, "").replace(":", "\n")] if variable in KINDS else []
    if variable in KINDS:
        texts += [_text(os.path.join(folder, KINDS[variable])) for folder in _upwards(cwd)]
    texts.append(_text(os.path.join(root, "version")))
    for text in texts:
        names = [word for word in text.split() if _VERSION.match(word)]
        if names:
            yield from names
            return
    yield "system"


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _text(path: str) -> str:
    try:
        return read_bytes(path, MAX_FILE).decode("ascii", "replace")
    except AtipError:
        return ""


def _elsewhere(name: str, without: str, env: Mapping[str, str]) -> str:
    from atip.system.programs.processes import find_program

    folders = [part for part in env.get("PATH", "").split(":") if part.startswith("/")]
    return find_program(name, [folder for folder in folders if folder.rstrip("/") != without]) or ""
