"""The one-line summary of a tool: its sources in order, each checked by `inference.summary`.

override, native, shim, adapter → our list by name → curated summary → NAME line of the manual → framework → package →
page of the file behind a link → completion → help → "Part of PACKAGE". Our list comes first because it describes one name, which an entry for several names cannot.
The first three come from the user, the tool itself and a shim for its digest, and are used unchanged.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Protocol

from atip.discovery.files.stubs import alternative_of
from atip.discovery.summaries.packages import InstalledPackages
from atip.inference.manual.man import read_purpose
from atip.inference.summary import first_summary
from atip.knowledge.reading import is_main_name, load
from atip.knowledge.summaries import SUMMARIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.discovery.files.documents import InstalledTexts
    from atip.discovery.sources.source_order import ProbeSubject

    class PackageSummaries(Protocol):
        """The summary in the package of a program; `InstalledPackages` for those of this machine."""

        def summary(self, subject: ProbeSubject) -> str: ...
        def membership(self, subject: ProbeSubject) -> str: ...


_FIRST = ("adapter",)
_LAST = ("completion", "help", "knowledge")
_AS_THEY_ARE = ("override", "native", "shim")
_VERSIONED = re.compile(r"[-.]?\d+(?:\.\d+)*\Z")
_TARGET = re.compile(r"\A(?:x86_64|i\d86|aarch64|arm\w*|riscv64|powerpc\w*)-[\w]+-[\w]+-")


class SummarySources:
    """Summaries of one machine's tools; packages are listed only when a tool needs them."""

    def __init__(self, texts: InstalledTexts, packages: PackageSummaries | None = None) -> None:
        self._texts = texts
        self._packages = packages or InstalledPackages()

    def find(self, subject: ProbeSubject, descriptions: Mapping[str, str]) -> str:
        """The best summary of a tool; empty when no source has one.

        Args:
            descriptions: what each source of metadata said, by its name.
        """
        for source in _AS_THEY_ARE:
            if descriptions.get(source) and descriptions[source] != subject.name:
                return descriptions[source]
        return first_summary(self._candidates(subject, descriptions), subject.name)

    def _candidates(self, subject: ProbeSubject, descriptions: Mapping[str, str]) -> Iterator[str]:
        yield from (descriptions.get(source, "") for source in _FIRST)
        yield SUMMARIES.get(subject.name) or SUMMARIES.get(_without_suffixes(subject.name), "")
        names = list(_names(subject))
        curated = next((entry.description for name in names if (entry := load(name))), "")
        # Of several names under one entry, the summary is that of the group: its own page is more specific.
        yield curated if is_main_name(subject.name) else ""
        own_names = [name for name in names if not _is_behind(name, subject)]
        yield from (self._manual(name) for name in own_names)
        yield curated
        yield next((SUMMARIES[name] for name in names if name in SUMMARIES), "")
        yield descriptions.get("framework", "")
        yield self._packages.summary(subject)
        yield descriptions.get("man", "")
        # The page of the file behind a link may be about all programs of that file.
        yield from (self._manual(name) for name in names if name not in own_names)
        yield from (descriptions.get(source, "") for source in _LAST)
        yield self._packages.membership(subject)

    def _manual(self, name: str) -> str:
        page = self._texts.man(name)
        return read_purpose(page, name) if page else ""


def _names(subject: ProbeSubject) -> Iterator[str]:
    """Names under which a program may have a manual: its own, the chosen alternative's, its file's, those without version and target machine."""
    file = os.path.basename(subject.real_path)
    seen = set()
    chosen = alternative_of(subject.path)
    for name in (
        subject.name,
        chosen,
        file,
        _without_suffixes(subject.name),
        _without_suffixes(file),
    ):
        if name and name not in seen:
            seen.add(name)
            yield name


def _is_behind(name: str, subject: ProbeSubject) -> bool:
    """Whether a name is that of the file that a link leads to, and of nothing nearer."""
    file = os.path.basename(subject.real_path)
    nearer = (subject.name, _without_suffixes(subject.name), alternative_of(subject.path))
    return name in (file, _without_suffixes(file)) and name not in nearer


def _without_suffixes(name: str) -> str:
    return _VERSIONED.sub("", _TARGET.sub("", name))
