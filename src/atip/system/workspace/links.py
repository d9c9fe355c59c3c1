"""Links: where the paths of a line really lead, in the current file system.

The judge reads names. A name of the workspace may be a link to a file elsewhere (`link → ~/.ssh/id_rsa`), and `..` behind a link leads to the
parent of its target. Looks, opens nothing; bounded. What a program follows by itself in a folder (`grep -R`) is not looked at.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LOOKED = 2_000
"""Names that are looked at for the patterns of one line."""
_WILD = frozenset("*?[")
_VIRTUAL = ("/proc/", "/sys/", "/dev/")
"""Here a link means something else to each process; they are judged by name."""


class Links:
    """Links in the paths of one line. Call it with an absolute path, or a pattern of paths."""

    def __init__(self, cwd: str, home: str) -> None:
        """
        Args:
            cwd, home: may lie behind links themselves. Paths below them are reported under these names.
        """
        self._roots = [(os.path.realpath(each), each) for each in (cwd, home) if each[:1] == "/"]
        self._left = MAX_LOOKED
        self._folders: dict[str, str] = {}
        self._answers: dict[str, list[str]] = {}

    def __call__(self, path: str) -> list[str]:
        """Targets of the links in a path; empty: no links."""
        if path not in self._answers:
            can_follow = path.startswith("/") and not path.startswith(_VIRTUAL) and "\0" not in path
            self._answers[path] = self._follow(path) if can_follow else []
        return self._answers[path]

    def _follow(self, path: str) -> list[str]:
        targets: dict[str, None] = {}
        for name in self._matches(path):
            real = self._by_known_name(self._real(name))
            if real != self._by_known_name(os.path.normpath(name)):
                targets[real] = None
        return list(targets)

    def _real(self, path: str) -> str:
        """As `realpath`; the folder of many files is followed once."""
        folder, _, name = path.rstrip("/").rpartition("/")
        if name in ("", ".", "..") or os.path.islink(path.rstrip("/")):
            return os.path.realpath(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder or "/")
        return os.path.join(self._folders[folder], name)

    def _by_known_name(self, real: str) -> str:
        for folder, name in self._roots:
            if real == folder or real.startswith(f"{folder.rstrip('/')}/"):
                return os.path.normpath(name + real[len(folder.rstrip("/")) :])
        return os.path.normpath("/" + real.lstrip("/"))

    def _matches(self, path: str) -> Iterator[str]:
        """The path itself where it is a name; the links that it matches, and their folder, where it is a pattern."""
        if not _WILD & set(path):
            yield path
            return
        from fnmatch import fnmatchcase  # brings `re` along; most words hold no wildcard

        before, rest = _split(path)
        pattern, _, below = rest.partition("/")
        yield before
        for name, is_link in self._names(before):
            if not fnmatchcase(name, pattern) or (name[0] == "." and pattern[0] not in ".["):
                continue
            if below and (is_link or os.path.isdir(f"{before}/{name}")):
                yield from self._matches(f"{before}/{name}/{below}")
            elif is_link and not below:
                yield f"{before}/{name}"

    def _names(self, folder: str) -> Iterator[tuple[str, bool]]:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._left -= 1
                    if self._left < 0:
                        return
                    yield entry.name, entry.is_symlink()
        except OSError:
            return


def _split(path: str) -> tuple[str, str]:
    """The folder before the first part with a wildcard, and the rest."""
    parts = path.split("/")
    at = next(index for index, part in enumerate(parts) if _WILD & set(part))
    return "/".join(parts[:at]) or "/", "/".join(parts[at:])
