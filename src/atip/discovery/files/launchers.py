"""Texts by which desktops and service managers name programs: `Comment=` of `.desktop` files, `Description=` of units. Read only."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from atip.errors import AtipError
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_FILE = 100_000
DESKTOP = "share/applications"
UNITS = ("lib/systemd/system", "lib/systemd/user")
_GROUP = re.compile(r"^\[(?!Desktop Entry\])[^\]\n]*\]", re.M)
_STARTER = re.compile(r"\A(?:(?:/usr)?/bin/)?(?:env(?: [A-Z_]+=\S*)*|sudo|pkexec|gksu|nice|exec) ")
_SEPARATORS = re.compile(r"[-_.]")
_FLAGS = re.compile(r"\A(?:\s+(?:-\S+|%\w|\"%\w\"))*\s*\Z")


def read_launchers(prefixes: Iterable[str]) -> dict[str, str]:
    """name of a program → what its desktop entry or its unit says of it.

    A line with operands starts one task of the program (`foo --mail`, `sh -c …`), which is not what the program does.
    """
    comments: dict[str, str] = {}
    for prefix in prefixes:
        for _, text in _texts(os.path.join(prefix, DESKTOP), ".desktop"):
            entry = _GROUP.split(text, maxsplit=1)[0]
            comment = _field(entry, "Comment") or _field(entry, "GenericName")
            if name := _program(_field(entry, "Exec")):
                comments.setdefault(name, comment)
        for folder in UNITS:
            for unit, text in _texts(os.path.join(prefix, folder), ".service"):
                name = _program(_field(text, "ExecStart").lstrip("-@:+!"))
                # `debug-shell` starts bash: only a unit of the program's own name is about the program.
                parts = (*_SEPARATORS.split(unit), unit[: len(name)])
                if name and (name.startswith(unit) or {name, name.rstrip("0123456789")} & {*parts}):
                    comments.setdefault(name, _field(text, "Description"))
    return comments


def _program(line: str) -> str:
    """The program that a line starts, if it gives it flags only."""
    line = _STARTER.sub("", line)
    program, space, rest = line.partition(" ")
    return os.path.basename(program.strip('"')) if _FLAGS.match(space + rest) else ""


def _field(text: str, key: str) -> str:
    match = re.search(rf"^{key}[ \t]*=[ \t]*(.+)$", text, re.M)
    return match[1].strip() if match else ""


def _texts(folder: str, ending: str) -> Iterator[tuple[str, str]]:
    """(name without ending, text) of the files of a folder."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        # An instance of a template (`getty@.service`) is one task among many.
        if name.endswith(ending) and "@" not in name:
            try:
                data = read_bytes(os.path.join(folder, name), MAX_FILE)
            except AtipError:
                continue
            yield name.removesuffix(ending), data.decode("utf-8", "replace")
