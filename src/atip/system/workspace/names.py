"""Names that the files of a workspace already contain: packages it depends on, its repository, its images and buckets.

A public name in a question to a service can carry data out. A name that a manifest of the workspace contains reveals nothing
new. Looks at a short list of files, bounded; follows no links out of the workspace, and executes nothing.
"""

from __future__ import annotations

import os

MANIFESTS = (
    "package.json", "pyproject.toml", "requirements.txt", "requirements-dev.txt", "Cargo.toml", "go.mod", "Gemfile", "composer.json",
    "Dockerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml", "Chart.yaml", "main.tf", "backend.tf",
    "samconfig.toml", "serverless.yml", ".git/config",
)  # fmt: skip
MAX_BYTES = 256 * 1024
MAX_NAME = 80
_IN_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


class WorkspaceNames:
    """Names that the manifests of one workspace hold. Files are read on the first question."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._texts: list[str] | None = None

    def names(self, name: str) -> bool:
        """Whether a manifest holds this very name, as a whole word."""
        if not name or len(name) > MAX_NAME or not os.path.isabs(self._cwd):
            return False
        if self._texts is None:
            self._texts = [
                text for text in (_text(self._cwd, manifest) for manifest in MANIFESTS) if text
            ]
        return any(_holds(text, name) for text in self._texts)

    def has_any(self, files: tuple[str, ...]) -> bool:
        """Whether one of these files lies in the workspace, or in a folder above it, but for the home."""
        folder, home = self._cwd, os.path.expanduser("~")
        if not os.path.isabs(folder):
            return True
        while folder not in ("/", home):
            if any(os.path.lexists(os.path.join(folder, path)) for path in files):
                return True
            folder = os.path.dirname(folder)
        return False


def _text(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    try:
        inside = os.path.realpath(path).startswith(os.path.realpath(folder) + "/")
        if not inside or not os.path.isfile(path):
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return ""


def _holds(text: str, name: str) -> bool:
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if before not in _IN_NAME and after not in _IN_NAME:
            return True
        at = text.find(name, at + 1)
    return False
