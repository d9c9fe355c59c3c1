"""Texts that packages install beside their programs: completion scripts and manual pages. Read only.

Files are found by the conventions of the shells and of `man`, never by running them.
"""

from __future__ import annotations

import os

from atip.errors import AtipError
from atip.system.archives import read_compressed
from atip.system.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_TEXT = 2_000_000
BASH = ("share/bash-completion/completions", "etc/bash_completion.d")
ZSH = (
    "share/zsh/site-functions",
    "share/zsh/vendor-completions",
    "share/zsh/functions/Completion/Unix",
)
FISH = ("share/fish/vendor_completions.d", "share/fish/completions")
SECTIONS = ("1", "8", "6", "1p", "1ssl", "1perl", "7")
SUFFIXES = (".gz", "", ".xz", ".bz2", ".zst")


class InstalledTexts:
    """What lies below some prefixes (`/usr`, `/usr/local`, `~/.local`)."""

    def __init__(self, prefixes: Sequence[str]) -> None:
        self._prefixes = [prefix for prefix in prefixes if os.path.isdir(prefix)]
        self._man = self._man_pages()

    def completions(self, name: str) -> Iterator[tuple[str, str]]:
        """(shell, text) of every completion script for a name, best first."""
        for shell, folders, file in (
            ("fish", FISH, f"{name}.fish"),
            ("zsh", ZSH, f"_{name}"),
            ("bash", BASH, name),
        ):
            for folder in self._folders(folders):
                text = _read(os.path.join(folder, file))
                if text:
                    yield shell, text

    def man(self, name: str) -> str | None:
        """The source of the manual page of a name, or None."""
        path = self._man.get(name)
        return _read(path) if path else None

    def _folders(self, relative: Sequence[str]) -> Iterator[str]:
        for prefix in self._prefixes:
            for folder in relative:
                if folder.startswith("etc/"):
                    yield f"/{folder}"
                else:
                    yield os.path.join(prefix, folder)

    def _man_pages(self) -> dict[str, str]:
        """name → path, one listing per folder; lower sections win in the order of SECTIONS."""
        found: dict[str, str] = {}
        for section in SECTIONS:
            for prefix in self._prefixes:
                folder = os.path.join(prefix, "share/man", f"man{section[0]}")
                try:
                    entries = os.listdir(folder)
                except OSError:
                    continue
                for entry in entries:
                    stem = _stem(entry, section)
                    if stem:
                        found.setdefault(stem, os.path.join(folder, entry))
        return found


def _stem(entry: str, section: str) -> str | None:
    for suffix in SUFFIXES:
        ending = f".{section}{suffix}"
        if entry.endswith(ending):
            return entry.removesuffix(ending)
    return None


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
        (found for suffix in SUFFIXES if (found := _read(base + suffix, follow=False))), None
    )
