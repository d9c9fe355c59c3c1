"""Texts that packages install beside their programs: completion scripts, manual pages, launchers. Read only.

Files are found by the conventions of the shells and of `man`, never by running them.
"""

from __future__ import annotations

import bisect
import os
from typing import TYPE_CHECKING

from atip.discovery.files.launchers import read_launchers
from atip.errors import AtipError
from atip.system.archives.compression import read_compressed
from atip.system.files import read_bytes, stamp_of

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
    """Documents below some prefixes (`/usr`, `/usr/local`, `~/.local`). Each folder is listed once."""

    def __init__(self, prefixes: Sequence[str], *, root: str = "") -> None:
        """
        Args:
            root: the folder that stands for `/`; empty: this machine's own.
        """
        self._root = root
        self._prefixes = [prefix for prefix in prefixes if os.path.isdir(prefix)]
        self._folders_of_pages: list[PageFolder] | None = None
        self._man: dict[str, str] | None = None
        self._man_names: list[str] = []
        self._scripts: dict[str, list[tuple[str, str]]] | None = None
        self._launchers: dict[str, str] | None = None

    def completions(self, name: str) -> Iterator[tuple[str, str]]:
        """(shell, text) of every completion script for a name, best first."""
        if self._scripts is None:
            self._scripts = self._list_scripts()
        for shell, path in self._scripts.get(name, ()):
            text = _read(path)
            if text:
                yield shell, text

    def fingerprint_completions(self, name: str) -> str:
        """Changes when a script for a name is added, removed or written."""
        if self._scripts is None:
            self._scripts = self._list_scripts()
        scripts = self._scripts.get(name, ())
        return " ".join(f"{path} {stamp_of(path)}" for _, path in scripts)

    def fingerprint_pages(self, name: str) -> str:
        """Changes when the page of a name, or one of a command of it, is added, removed or written."""
        paths = [self._page(name), *self._child_pages(name).values()]
        return " ".join(f"{path} {stamp_of(path)}" for path in paths if path)

    def has_page(self, name: str) -> bool:
        """Whether a name has a manual page; reads none."""
        return self._page(name) is not None

    def page_prefix(self, name: str) -> str:
        """The prefix that has the page of a name, such as `/usr`; empty without a page."""
        path = self._page(name) or ""
        return path.partition("/share/man/")[0]

    def man(self, name: str) -> str | None:
        """The source of the manual page of a name, or None."""
        path = self._page(name)
        return _read(path) if path else None

    def launcher(self, name: str) -> str:
        """Description in the desktop entry or unit that starts a program, or empty. The first call reads them all."""
        if self._launchers is None:
            self._launchers = read_launchers((*self._prefixes, f"{self._root}/"))
        return self._launchers.get(name, "")

    def man_children(self, name: str) -> Iterator[tuple[str, str]]:
        """(subcommand, page) for pages such as `git-commit` of `git`, if no program has that name."""
        for page, path in self._child_pages(name).items():
            text = _read(path)
            if text:
                yield page.removeprefix(f"{name}-"), text

    def _page(self, name: str) -> str | None:
        pages = (folder.find(name) for folder in self._page_folders())
        return next((path for path in pages if path), None)

    def _child_pages(self, name: str) -> dict[str, str]:
        """page → path of all pages of commands of a name."""
        if self._man is None:
            self._man = self._list_pages()
            self._man_names = sorted(self._man)
        first = bisect.bisect_right(self._man_names, f"{name}-")
        pages: dict[str, str] = {}
        for page in self._man_names[first : first + MAX_CHILDREN]:
            if not page.startswith(f"{name}-"):
                break
            if not self._is_program(page):
                pages[page] = self._man[page]
        return pages

    def _is_program(self, name: str) -> bool:
        return any(
            os.path.exists(f"{prefix}/{folder}/{name}")
            for prefix in (f"{self._root}/usr", *self._prefixes)
            for folder in ("bin", "sbin", "games")
        )

    def _list_scripts(self) -> dict[str, list[tuple[str, str]]]:
        """name → [(shell, path)] in the order in which the shells are believed."""
        scripts: dict[str, list[tuple[str, str]]] = {}
        for shell, folders, start, end in (
            ("fish", FISH, "", ".fish"),
            ("zsh", ZSH, "_", ""),
            ("bash", BASH, "", ""),
        ):
            for folder in self._folders(folders):
                for entry in _names(folder):
                    if entry.startswith(start) and entry.endswith(end):
                        name = entry[len(start) : len(entry) - len(end)]
                        scripts.setdefault(name, []).append((shell, f"{folder}/{entry}"))
        return scripts

    def _folders(self, relative: Sequence[str]) -> Iterator[str]:
        for prefix in self._prefixes:
            for folder in relative:
                yield (
                    f"{self._root}/{folder}" if folder.startswith("etc/") else f"{prefix}/{folder}"
                )

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
        pages: dict[str, str] = {}
        for folder in self._page_folders():
            for entry in folder.names:
                if name := folder.name_of(entry):
                    pages.setdefault(name, f"{folder.path}/{entry}")
        return pages


def system_texts(home: str) -> InstalledTexts:
    """The texts of the usual prefixes and of one user."""
    return InstalledTexts(["/usr/local", "/usr", "/opt/homebrew", os.path.join(home, ".local")])


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
        (content for suffix in ("", *SUFFIXES) if (content := _read(base + suffix, follow=False))),
        None,
    )
