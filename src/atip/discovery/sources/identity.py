"""Whether a program is the one that the curated entry of its name describes. Pure.

Curated facts are about a program, not about a name: `act` runs GitHub Actions, or compares genomes. One decision serves
the summary and the effects of a program (`source_order.find_metadata`). A program without texts of its own, and an entry
that could fit anything, are not contradicted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.discovery.sources.knowledge_source import is_of_other_system
from atip.discovery.sources.source_order import OF_THE_PROGRAM
from atip.inference.manual.man import read_purpose
from atip.inference.summary import find_summary
from atip.knowledge.reading import is_group, load
from atip.knowledge.summaries import own_summary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.discovery.files.documents import InstalledTexts
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Tool

MAX_PAGE = 400_000
_WORD = re.compile(r"[a-z]{3,}")
_FLAG_OR_WORD = re.compile(r"(?<![\w-])-{0,2}\w[\w-]{1,40}")
_FONT = re.compile(r"\\f(?:\[\w*\]|\(\w\w|\w)")
_COMMON = frozenset(
    [
        "tool", "tools", "program", "programs", "file", "files", "command", "commands", "utility", "line", "with",
        "from", "that", "this", "the", "and", "for", "use", "using", "linux", "unix", "system", "into", "show",
        "run", "set", "get", "manage",
    ]
)  # fmt: skip
_USUAL_FLAGS = frozenset(
    [
        "--help", "--version", "--verbose", "--quiet", "--silent", "--output", "--debug", "--force", "--usage",
        "--color", "--config", "--file", "--input", "-help", "-version",
    ]
)  # fmt: skip
"""Flags that programs of every kind have."""
_STEM = 5
"""Letters by which words are compared: `archive`, `archiving`."""
_ENOUGH = 2
"""Flags or commands that a text and an entry must share where their words differ."""
_SUBSTANCE = 4
"""Flags and commands by which a help text without a purpose can be distinguished."""


class CuratedIdentity:
    """Decides for the programs of one machine; reads manual pages only."""

    def __init__(self, texts: InstalledTexts) -> None:
        self._texts = texts

    def is_curated(
        self, subject: ProbeSubject, names: Sequence[str], answers: Mapping[str, Tool]
    ) -> bool:
        """True unless every text of the program is about something else than the curated entry.

        Args:
            names: under which the program may have an entry or a page, best first.
            answers: what each source of metadata said, by its name.
        """
        entry = next((entry for name in names if (entry := load(name))), None)
        if entry is None:
            return True
        if is_of_other_system(entry):
            return False
        page_name = self._page_name(names)
        page = self._texts.man(page_name) or "" if page_name else ""
        documents = [answers[kind] for kind in OF_THE_PROGRAM if kind in answers]
        if not all(_contradicts(document, entry) for document in documents):
            return True
        is_its_page = bool(page) and (not documents or self._is_beside(page_name, subject))
        if is_its_page and is_about(page, read_purpose(page, page_name), entry):
            return True
        if is_group(subject.name):
            # What an entry says of many programs contradicts none of them; the page of that name may.
            return not (documents and page) or any(_fits(one, page, page_name) for one in documents)
        return not documents and not page

    def has_own_page(self, subject: ProbeSubject, names: Sequence[str]) -> bool:
        """Whether the page under the name of a program lies beside it, and not beside another program of that name."""
        name = self._page_name(names)
        return bool(name) and self._is_beside(name, subject)

    def _page_name(self, names: Sequence[str]) -> str:
        return next((name for name in names if self._texts.has_page(name)), "")

    def _is_beside(self, name: str, subject: ProbeSubject) -> bool:
        """Whether a page lies below the same prefix as the program: `/usr/bin`, `/usr/share/man`."""
        prefix = self._texts.page_prefix(name)
        places = (subject.path, subject.real_path)
        is_usual = prefix.endswith("/usr") and any(
            place.startswith((f"{prefix[:-4]}/bin/", f"{prefix[:-4]}/sbin/")) for place in places
        )
        inside = [
            place.removeprefix(f"{prefix}/") for place in places if place.startswith(f"{prefix}/")
        ]
        return is_usual or any(not place.startswith("local/") for place in inside)


def is_about(page: str, purpose: str, entry: Tool) -> bool:
    """False if a page and an entry share neither a word of the purpose nor flags and commands."""
    if not purpose or _stems(purpose) & _stems(_prose(entry)):
        return True
    names = {name for name in _names(entry) if len(name) > 2}
    if not names:
        return True
    found = _words_of(page) & names
    return len(found) >= min(_ENOUGH, len(names))


def _contradicts(document: Tool, entry: Tool) -> bool:
    """Whether what a program says of itself shares neither a word of the purpose nor flags and commands with an entry.

    Without a purpose, many flags on both sides and none in common contradict; a bare usage line contradicts nothing.
    """
    names, own = set(_names(entry)) - _USUAL_FLAGS, set(_names(document)) - _USUAL_FLAGS
    if names and len(names & own) >= min(_ENOUGH, len(names)):
        return False
    purpose = _purpose(document)
    if purpose:
        return not _stems(purpose) & _stems(_prose(entry))
    return min(len(names), len(own)) >= _SUBSTANCE


def _fits(document: Tool, page: str, name: str) -> bool:
    """Whether what a program says of itself shares a word of the purpose, or flags, with the page of that name."""
    if _stems(_purpose(document)) & _stems(read_purpose(page, name)):
        return True
    return len((set(_names(document)) - _USUAL_FLAGS) & _words_of(page)) >= _ENOUGH


def _words_of(page: str) -> set[str]:
    """Flags and words in the source of a page."""
    return set(_FLAG_OR_WORD.findall(_FONT.sub("", page[:MAX_PAGE]).replace("\\", "")))


def _purpose(document: Tool) -> str:
    return find_summary(document.description, document.name)


def _prose(entry: Tool) -> str:
    intents = entry.own.get("intents")
    phrases = (
        [phrase for some in intents.values() for phrase in some]
        if isinstance(intents, dict)
        else []
    )
    return " ".join([entry.description, own_summary(entry.name), *phrases])


def _names(tool: Tool) -> Iterator[str]:
    """Flags of an entry or of a document, and commands."""
    options = (*(tool.options or ()), *(tool.global_options or ()))
    yield from (flag for option in options for flag in option.flags)
    yield from (name for name in tool.commands or () if name)


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.lower()) if word not in _COMMON}
