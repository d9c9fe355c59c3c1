"""The one-line summary of a tool: its sources in order, each checked by `inference.summary`.

override, native, shim, adapter → our list by name → curated summary → NAME line of the manual → framework → summary of a curated
group → package → own part of a page of several programs → page of the file behind a link → completion → head of a script → help →
a name that says it (`fasta_to_fastq`; that of a link before the package) → what that page says of all its programs → docstring →
launcher → "Part of PACKAGE".

Our list comes first because it describes one name, which an entry for several names cannot. The first three come from the user, the
tool itself and a shim for its digest, and are used unchanged.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Protocol

from atip.discovery.files.stubs import alternative_of, site_directories
from atip.discovery.sources.identity import CuratedIdentity
from atip.discovery.summaries.entry_points import entry_module
from atip.discovery.summaries.packages import InstalledPackages
from atip.inference.manual.man import names_program, names_several, read_purpose
from atip.inference.manual.shared_page import find_own_purpose, is_about_group
from atip.inference.script_header import read_docstring, read_header
from atip.inference.summary import first_summary
from atip.knowledge.reading import is_main_name, load
from atip.knowledge.summaries import conversion_summary, family_summary, own_summary
from atip.system.files import read_piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.discovery.files.documents import InstalledTexts
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Tool

    class PackageSummaries(Protocol):
        """The summary in the package of a program; `InstalledPackages` for those of this machine."""

        def summary(self, subject: ProbeSubject) -> str: ...
        def membership(self, subject: ProbeSubject) -> str: ...


_FIRST = ("adapter",)
MAX_SCRIPT = 256_000
_AS_THEY_ARE = ("override", "native", "shim")
_VERSIONED = re.compile(r"[-.]?\d+(?:\.\d+)*\Z")
_TARGET = re.compile(
    r"\A(?:x86_64|i\d86|aarch64|arm(?:v\w+|e[bl]|hf)?|avr\w*|riscv\d*|powerpc\w*|ppc\w*|m68\w*|h8300|z80|mips\w*|sparc\w*|sh\d\w*|hppa\w*|alpha|ia64"
    r"|s390x?|xtensa|msp430|loongarch\w*|nios2|or1k)(?:-\w+-\w+-(?=\w)|-(?:\w+-)?(?=(?:addr2line|ar|as|c\+\+filt|c\+\+|cpp|elfedit|g\+\+|gcc|gcov|gdb"
    r"|gprof|ld|nm|objcopy|objdump|ranlib|readelf|size|strings|strip)\b))"
)
"""The machine that a program of a toolchain makes code for: `avr-as`, `z80-unknown-coff-ld.bfd`."""
_VARIANT = re.compile(
    r"(?:[-.](?:l|s|bin|real|debug|opt|byte|wrapper|wrapped|gtk\d?|qt\d?|x11|nox|tiny|sqlite3?|bdb|mpi|mpich|openmpi|openmp|gold|bfd|perf|bpfcc|posix|win32)|\.(?:py|sh|pl|rb|tcl)"
    r"|[-.](?:x86_64|i\d86|aarch64|arm|riscv64|powerpc64le|s390x|mips64el)-linux-gnu\w*)+\Z"
)
"""A build of a program, or the language of a script: `bowtie-align-s-debug`, `camlp4o.opt`, `gdal_merge.py`, `glxgears.x86_64-linux-gnu`."""


_REPLACED = re.compile(r"(?:is |was )?replaced by ([\w.+-]{2,40})\.?", re.I)
"""All that a page says of a program that has another name today."""


class SummarySources:
    """Summaries of one machine's tools; packages are listed only when a tool needs them."""

    def __init__(self, texts: InstalledTexts, packages: PackageSummaries | None = None) -> None:
        self._texts = texts
        self._packages = packages or InstalledPackages()
        self._identity = CuratedIdentity(texts)

    def is_curated(self, subject: ProbeSubject, answers: Mapping[str, Tool]) -> bool:
        """Whether curated facts under the name of a program are about this program; see `sources.identity`."""
        return self._identity.is_curated(subject, _own_names(subject), answers)

    def find(
        self,
        subject: ProbeSubject,
        descriptions: Mapping[str, str],
        *,
        is_curated: bool | None = None,
    ) -> str:
        """The best summary of a tool; empty when no source has one.

        Args:
            descriptions: what each source of metadata said, by its name.
            is_curated: the answer of the method of that name; None: decide by the manual page alone.
        """
        for source in _AS_THEY_ARE:
            if descriptions.get(source) and descriptions[source] != subject.name:
                return descriptions[source]
        agrees = self.is_curated(subject, {}) if is_curated is None else is_curated
        return first_summary(self._candidates(subject, descriptions, agrees), subject.name)

    def _candidates(
        self, subject: ProbeSubject, descriptions: Mapping[str, str], agrees: bool
    ) -> Iterator[str]:
        yield from (descriptions.get(source, "") for source in _FIRST)
        yield own_summary(subject.name)
        names = list(_names(subject))
        curated = next((entry.description for name in names if (entry := load(name))), "")
        own_names = _own_names(subject)
        # Of several names under one entry, the summary is that of the group: its own page is more specific.
        yield curated if is_main_name(subject.name) and agrees else ""
        if not agrees and not self._identity.has_own_page(subject, own_names):
            # The page of that name is about the other program.
            yield from (descriptions.get(source, "") for source in ("framework", "help"))
        pages = [page for name in own_names if (page := self._manual(name))]
        # The NAME line of several programs may be about the group; the page or the help says more of this one.
        groups = [page for page in pages if self._is_shared(own_names) and is_about_group(page)]
        yield from (page for page in pages if page not in groups)
        # Our list describes one name, an entry perhaps a group.
        yield next(filter(None, map(own_summary, names)), "")
        # The parser of a program speaks of it alone, an entry of several names of all of them.
        yield descriptions.get("framework", "")
        yield curated if agrees else ""
        # What follows may be about a group: `odt2pdf` is one name of `unoconv`.
        is_one_of_several = len(own_names) < len(names)
        yield conversion_summary(subject.name) if is_one_of_several else ""
        yield self._packages.summary(subject)
        others = [page for name in own_names if (page := self._manual(name, of_others=True))]
        if groups or any(is_about_group(page) for page in others):
            yield from self._own_purposes(own_names)
        yield "" if others or groups else descriptions.get("man", "")
        # The page of the file behind a link may be about all programs of that file.
        yield from (self._manual(name) for name in names if name not in own_names)
        yield family_summary(subject.name)
        yield descriptions.get("completion", "")
        script = _script(subject)
        # A script calls itself by the name without what a distribution adds: `syscount`, not `syscount-perf`.
        for name in sorted(names, key=len) if script else ():
            yield from read_header(script, name)
        yield descriptions.get("help", "")
        yield conversion_summary(subject.name)
        # A page that does not name the program is about the programs that it names.
        yield from (*groups, *others)
        yield from read_docstring(_module(subject), subject.name)
        yield self._texts.launcher(subject.name)
        yield descriptions.get("knowledge", "") if agrees else ""
        yield self._packages.membership(subject)

    def _is_shared(self, names: list[str]) -> bool:
        """Whether the page of a program names others too."""
        page = next((page for name in names if (page := self._texts.man(name))), "")
        return page is not None and names_several(page)

    def _own_purposes(self, names: list[str]) -> Iterator[str]:
        """What a page of several programs says of this one."""
        for name in names:
            if page := self._texts.man(name):
                yield from find_own_purpose(page, name)

    def _manual(self, name: str, *, of_others: bool = False) -> str:
        page = self._texts.man(name)
        if page is None or names_program(page, name) == of_others:
            return ""
        purpose = read_purpose(page, name)
        successor = _REPLACED.fullmatch(purpose)
        newer = self._texts.man(successor[1]) if successor else None
        if successor is None or newer is None:
            return purpose
        return f"{read_purpose(newer, successor[1])} (old name of {successor[1]})"


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


def _own_names(subject: ProbeSubject) -> list[str]:
    """The names of a program without those of the file behind a link."""
    return [name for name in _names(subject) if not _is_behind(name, subject)]


def _script(subject: ProbeSubject) -> str:
    """The text of a script; empty for any other program."""
    return "" if subject.stub.interpreter is None else _read(subject.real_path)


def _module(subject: ProbeSubject) -> str:
    """The source of the module that a Python console script starts; empty for a package or any other program."""
    if subject.stub.language != "python":
        return ""
    sites = site_directories(subject.real_path, subject.stub)
    module = subject.stub.module or entry_module(_script(subject), sites)
    if not module:
        return ""
    file = module.replace(".", "/") + ".py"
    return next((text for site in sites if (text := _read(os.path.join(site, file)))), "")


def _read(path: str) -> str:
    try:
        return read_piece(path, 0, MAX_SCRIPT).decode("utf-8", "replace")
    except OSError:
        return ""


def _is_behind(name: str, subject: ProbeSubject) -> bool:
    """Whether a name is that of the file that a link leads to, and of nothing nearer."""
    file = os.path.basename(subject.real_path)
    nearer = (subject.name, _without_suffixes(subject.name), alternative_of(subject.path))
    return name in (file, _without_suffixes(file)) and name not in nearer


def _without_suffixes(name: str) -> str:
    return _VERSIONED.sub("", _VARIANT.sub("", _TARGET.sub("", name)))
