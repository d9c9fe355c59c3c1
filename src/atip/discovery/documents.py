"""Texts that packages install beside their programs: completion scripts and manual pages. Read only.

Files are found by the conventions of the shells and of `man`, never by running them.
"""

from __future__ import annotations

import itertools
import os

from atip.errors import AtipError
from atip.system.archives import read_compressed
from atip.system.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_TEXT = 2_000_000
MAX_CHILDREN = 300
BASH = ("share/bash-completion/completions", "etc/bash_completion.d")
ZSH = (
    "share/zsh/site-functions",
    "share/zsh/vendor-completions",
    "share/zsh/functions/Completion/Unix",
)
FISH = ("share/fish/vendor_completions.d", "share/fish/completions")
SECTIONS = ("1", "8", "6")
SUFFIXES = (".gz", ".xz", ".bz2", ".zst")


class InstalledTexts:
    """What lies below some prefixes (`/usr`, `/usr/local`, `~/.local`). Each folder is listed once."""

    def __init__(self, prefixes: Sequence[str]) -> None:
        self._prefixes = [prefix for prefix in prefixes if os.path.isdir(prefix)]
        self._folders_of_pages: list[PageFolder] | None = None
        self._man: dict[str, str] | None = None
        self._scripts: dict[str, list[tuple[str, str]]] | None = None

    def completions(self, name: str) -> Iterator[tuple[str, str]]:
        """(shell, text) of every completion script for a name, best first."""
        if self._scripts is None:
            self._scripts = self._list_scripts()
        for shell, path in self._scripts.get(name, ()):
            text = _read(path)
            if text:
                yield shell, text

    def man(self, name: str) -> str | None:
        """The source of the manual page of a name, or None."""
        found = (folder.find(name) for folder in self._page_folders())
        path = next((path for path in found if path), None)
        return _read(path) if path else None

    def man_children(self, name: str) -> Iterator[tuple[str, str]]:
        """(subcommand, page) for pages such as `git-commit` of `git`, if no program has that name."""
        if self._man is None:
            self._man = self._list_pages()
        start = f"{name}-"
        found = (page for page in sorted(self._man) if page.startswith(start) and page != start)
        for page in itertools.islice(found, MAX_CHILDREN):
            if not any(
                os.path.exists(f"{prefix}/{folder}/{page}")
                for prefix in ("/usr", *self._prefixes)
                for folder in ("bin", "sbin", "games")
            ):
                text = _read(self._man[page])
                if text:
                    yield page.removeprefix(start), text

    def _list_scripts(self) -> dict[str, list[tuple[str, str]]]:
        """name → [(shell, path)] in the order in which the shells are believed."""
        found: dict[str, list[tuple[str, str]]] = {}
        for shell, folders, start, end in (
            ("fish", FISH, "", ".fish"),
            ("zsh", ZSH, "_", ""),
            ("bash", BASH, "", ""),
        ):
            for folder in self._folders(folders):
                for entry in _names(folder):
                    if entry.startswith(start) and entry.endswith(end):
                        name = entry[len(start) : len(entry) - len(end)]
                        found.setdefault(name, []).append((shell, f"{folder}/{entry}"))
        return found

    def _folders(self, relative: Sequence[str]) -> Iterator[str]:
        for prefix in self._prefixes:
            for folder in relative:
                yield f"/{folder}" if folder.startswith("etc/") else f"{prefix}/{folder}"

    def _page_folders(self) -> list[PageFolder]:
        """In the order in which they are believed: by section, then by prefix."""
        if self._folders_of_pages is None:
            self._folders_of_pages = [
                folder
                for section in SECTIONS
                for prefix in self._prefixes
                if (folder := PageFolder(f"{prefix}/share/man/man{section}", section)).names
            ]
        return self._folders_of_pages

    def _list_pages(self) -> dict[str, str]:
        """name → path of all pages."""
        found: dict[str, str] = {}
        for folder in self._page_folders():
            for entry in folder.names:
                if name := folder.name_of(entry):
                    found.setdefault(name, f"{folder.path}/{entry}")
        return found


class PageFolder:
    """One folder of manual pages. A machine has many thousands of them, so a look-up by name is a look into
    a set; only files with an unusual ending (`openssl.1ssl.gz`) are taken apart."""

    def __init__(self, path: str, section: str) -> None:
        self.path = path
        self.section = section
        self.names = frozenset(_names(path))
        self._endings = tuple(f".{section}{suffix}" for suffix in (*SUFFIXES, ""))
        unusual = [entry for entry in self.names if not entry.endswith(self._endings)]
        self._unusual = {name: entry for entry in unusual if (name := self.name_of(entry))}

    def find(self, name: str) -> str | None:
        """The path of the page of a name."""
        for ending in self._endings:
            if name + ending in self.names:
                return f"{self.path}/{name}{ending}"
        entry = self._unusual.get(name)
        return f"{self.path}/{entry}" if entry else None

    def name_of(self, entry: str) -> str:
        """The name that a file is the page of; empty if it is none."""
        stem = entry
        for suffix in SUFFIXES:
            if stem.endswith(suffix):
                stem = stem.removesuffix(suffix)
                break
        name, _, part = stem.rpartition(".")
        return name if part[:1] == self.section else ""


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _read(path: str, *, follow: bool = True) -> str | None:
    """A text file, compressed or not. `.so other.1` leads to another page, once."""
    try:
        text = read_compressed(read_bytes(path, MAX_TEXT), MAX_TEXT * 2).decode("utf-8", "replace")
    except AtipError:
        return None
    if not text.startswith(".so ") or not follow:
        return text
    words = text.split()
    base = os.path.join(os.path.dirname(os.path.dirname(path)), words[1] if len(words) > 1 else "")
    # SECURITY: a page may name another page, not any file of the machine.
    if os.path.dirname(os.path.dirname(os.path.realpath(base))) != os.path.realpath(
        os.path.dirname(os.path.dirname(path))
    ):
        return None
    return next(
        (found for suffix in ("", *SUFFIXES) if (found := _read(base + suffix, follow=False))), None
    )
