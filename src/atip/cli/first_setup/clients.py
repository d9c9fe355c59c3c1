"""Installed coding agents: detected by their program on the PATH, or by their settings folder."""

from __future__ import annotations

import os
import shutil

from atip.model.value import Value

_PROGRAMS = {
    "claude-code": ("claude",),
    "codex": ("codex",),
    "gemini-cli": ("gemini",),
    "cursor": ("cursor", "cursor-agent"),
    "copilot": ("copilot",),
    "opencode": ("opencode",),
    "kimi": ("kimi",),
}
_FOLDERS = {
    "claude-code": (".claude",),
    "codex": (".codex",),
    "gemini-cli": (".gemini",),
    "cursor": (".cursor",),
    "copilot": (".copilot",),
    "opencode": (".config/opencode",),
    "kimi": (".kimi-code", ".kimi"),
}


class InstalledClient(Value):
    """One coding agent, and how it was found."""

    name: str
    path: str
    """Path of its program, or of its settings folder."""


def find_installed(home: str, path: str) -> list[InstalledClient]:
    """Installed clients, in the order of our table.

    Args:
        path: directories to search, as in `PATH`.
    """
    places = ((name, _place(name, home, path)) for name in _PROGRAMS)
    return [InstalledClient(name=name, path=place) for name, place in places if place]


def _place(name: str, home: str, path: str) -> str:
    programs = (shutil.which(program, path=path) for program in _PROGRAMS[name])
    folders = (os.path.join(home, folder) for folder in _FOLDERS[name])
    installed = [program for program in programs if program]
    return next(iter([*installed, *(folder for folder in folders if os.path.isdir(folder))]), "")
