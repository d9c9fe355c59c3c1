"""Folders: possible working directories of a line, and which paths are public. Reads no files: the caller resolves links.

A working directory is a workspace only if it is not a home, a folder of secrets or part of the system. Home,
secrets and system paths win over scratch paths: a home below `/tmp` is still a home.
"""

from __future__ import annotations

from itertools import pairwise

from atip.calls.invocation import UNKNOWN_TEXT
from atip.calls.shell.expansion.names import unwrapped
from atip.policy.places.sensitive import ANY_CHAR, ANY_FILE, KEPT_AT_HOME, PUBLIC, is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.calls.shell.line import ShellCommand, ShellLine, ShellWord, TextOrigin

    FollowLinks = Callable[[str], list[str]]
    """Path, with wildcards as a shell writes them → where links in it lead; empty: it holds none."""
    IsListing = Callable[[Sequence[TextOrigin]], bool]

_SHARED = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108  compared with, never written
_TREES = ("/usr/", "/opt/", "/lib/", "/bin/", "/sbin/", "/var/log/", "/tmp/")  # noqa: S108
"""Public folders without secrets anywhere below them."""
_SYSTEM = (
    "/etc", "/proc", "/sys", "/dev", "/run", "/boot", "/var", "/root", "/home", "/usr", "/bin", "/lib", "/sbin",
)  # fmt: skip
_WILD = frozenset((UNKNOWN_TEXT, ANY_FILE, ANY_CHAR))
_CHANGERS = {"env": ("-C", "--chdir"), "sudo": ("-D", "--chdir"), "fd": ("-C", "--base-directory")}
"""Programs that change to a folder before they do their work."""


class Folders:
    """Possible working directories of the commands of one line."""

    def __init__(self, cwd: str, home: str, links: FollowLinks | None = None) -> None:
        self._links = links
        self.home = normal(home)
        self.root = normal(cwd or "/")
        self.is_workspace = is_workspace(self.root, self.home)
        self.places = [self.root]
        """An empty entry is an unknown folder."""

    def follow(self, line: ShellLine, is_listing: IsListing) -> None:
        """Add the folders that the line changes to."""
        for command in line.commands:
            self._move(command, is_listing)

    def _move(self, command: ShellCommand, is_listing: IsListing) -> None:
        argv = unwrapped(command.argv)
        words = command.words[len(command.words) - len(argv) :]
        if not words:
            return
        if words[0].text in ("cd", "pushd"):
            self._change(words[1:], is_listing)
        elif words[0].text == "eval" and not all(_stays(word) for word in words[1:]):
            self.places.append("")
        elif words[0].text in _CHANGERS:
            for before, word in pairwise(words):
                flag, equals, value = word.text.partition("=")
                if before.text in _CHANGERS[words[0].text] and word.is_static:
                    self._enter(word.text)
                elif equals and flag in _CHANGERS[words[0].text]:
                    self._enter(value)

    def _change(self, words: Sequence[ShellWord], is_listing: IsListing) -> None:
        operands = [w for w in words if not w.text.startswith("-") or w.text == "-"]
        if not operands:
            self.places.append(self.home)
            return
        word = operands[0]
        if word.is_static and word.text != "-":
            self._enter(word.text)
        elif not is_listing(word.origins):
            self.places.append("")

    def _enter(self, text: str) -> None:
        self.places += [join(place, text) for place in dict.fromkeys(self.places) if place]
        if len(self.places) > 50:
            self.places = [self.root, ""]

    @property
    def moves(self) -> bool:
        """Whether a plain name may lie somewhere else than in the workspace."""
        return not self.is_workspace or len(self.places) > 1

    def at(self, text: str) -> list[str]:
        """Every path that a text may refer to, by its name and after resolving links."""
        paths = [join(place, text) for place in self.places]
        if self._links is None or UNKNOWN_TEXT in text:
            return paths
        for place in self.places:
            # SECURITY: resolved as written: `link/..` is the parent of the link's target
            unresolved = _as_glob(f"{self.home}{text[1:]}" if text[:1] == "~" else text)
            paths += self._links(unresolved if unresolved[:1] == "/" else f"{place}/{unresolved}")
        return list(dict.fromkeys(paths))

    def may_be_shared(self) -> bool:
        """Whether the line may have moved to a folder in which every user of the machine may write."""
        return any(f"{place}/".startswith(_SHARED) for place in self.places if place != self.root)

    def holds(self, path: str) -> bool:
        """Whether a path lies in the workspace."""
        return self.is_workspace and is_below(path, self.root)

    def is_public(self, path: str, *, recursive: bool = False) -> bool:
        """Whether a path is public; with `recursive` everything below it too."""
        if not path.startswith("/"):
            return False
        if self.holds(path):
            return True
        if _may_meet(path, self.home):
            return False
        return path.startswith(_TREES if recursive else PUBLIC)


def is_workspace(folder: str, home: str) -> bool:
    """Whether a folder may be a project."""
    if folder.startswith(("/home/", "/Users/")) and folder.count("/") == 2:
        return False  # a home directory
    if not folder.startswith("/") or folder == "/" or is_below(home, folder):
        return False
    return (
        folder not in _SYSTEM
        and not _holds_secrets(folder, home)
        and not folder.startswith(("/etc/", "/proc/", "/sys/", "/dev/", "/run/"))
        and not (is_secret(folder) or is_secret(folder + "/"))
    )


def _holds_secrets(folder: str, home: str) -> bool:
    """`~/.config`: programs keep credentials below it."""
    parts = folder.split("/")
    depth = 2 if folder.startswith("/root/") else 3
    homes = [home] if is_below(folder, home) else []
    if folder.startswith(("/home/", "/Users/", "/root/")):
        homes.append("/".join(parts[:depth]))
    return any(
        path.startswith(f"{folder[len(home) + 1 :]}/") for home in homes for path in KEPT_AT_HOME
    )


def _may_meet(path: str, folder: str) -> bool:
    """Whether one may lie below the other; a part with a wildcard may be any name."""
    pairs = zip(path.split("/"), folder.split("/"), strict=False)
    return all(part in (other, "") or not _WILD.isdisjoint(part) for part, other in pairs)


def _as_glob(text: str) -> str:
    """A text in which wildcards are `*` and `?`, and nothing else is one."""
    plain = "".join(f"[{each}]" if each in "*?[" else each for each in text)
    return plain.replace(ANY_FILE, "*").replace(ANY_CHAR, "?")


def _stays(word: ShellWord) -> bool:
    return word.is_static and not any(name in word.text for name in ("cd", "pushd", "popd"))


def is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def join(folder: str, text: str) -> str:
    """An absolute path, or a relative one where the folder is not known."""
    if text.startswith(("/", "~")):
        return normal(text)
    return normal(f"{folder}/{text}") if folder else text


def normal(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)
