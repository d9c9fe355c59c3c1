"""The index of a Debian archive: paragraphs → packages, and what a package needs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_FIELDS = frozenset(
    [
        *("Package", "Version", "Architecture", "Depends", "Pre-Depends", "Provides", "Tag"),
        *("Essential", "Filename", "SHA256", "Size", "Description", "Homepage", "Installed-Size"),
        "Section",
    ]
)
_UNREAD = ("doc", "fonts", "libdevel", "localization")
"""Sections that no program needs to print its help."""
COMMAND_LINE = "interface::commandline"
"""Debian's tag for programs with a command line."""


class DebianPackage(Value):
    """The fields of one paragraph that the crawler uses."""

    name: str
    version: str
    architecture: str
    file: str
    sha256: str
    size: int
    installed: int
    """Unpacked size in bytes, from the index."""
    description: str
    homepage: str
    needs: tuple[tuple[str, ...], ...]
    """Alternatives of each dependency."""
    is_essential: bool
    is_command_line: bool
    is_unread: bool
    """Whether programs that need it print their help without it: manuals, fonts, headers."""


class DebianIndex:
    """All packages of the configured archives, the candidate version of each."""

    def __init__(self, packages: Mapping[str, DebianPackage], provided: Mapping[str, str]) -> None:
        self.packages = packages
        self._provided = provided

    def essential(self) -> list[str]:
        return sorted(name for name, package in self.packages.items() if package.is_essential)

    def command_line(self) -> list[str]:
        """Packages that are tagged as programs with a command line, sorted."""
        return sorted(name for name, package in self.packages.items() if package.is_command_line)

    def closure(self, roots: Iterable[str]) -> list[str]:
        """Packages and everything they need, sorted; of alternatives the first that exists."""
        seen: set[str] = set()
        pending = list(roots)
        while pending:
            name = pending.pop()
            if name in seen or name not in self.packages:
                continue
            seen.add(name)
            for alternatives in self.packages[name].needs:
                dependency = self._choose(alternatives)
                if dependency is not None:
                    pending.append(dependency)
        return sorted(seen)

    def _choose(self, alternatives: tuple[str, ...]) -> str | None:
        real = next(
            (alternative for alternative in alternatives if alternative in self.packages), None
        )
        if real is not None:
            return real
        return next(
            (
                self._provided[alternative]
                for alternative in alternatives
                if alternative in self._provided
            ),
            None,
        )


def read_index(text: str) -> DebianIndex:
    """`apt-cache dumpavail` → index. An incomplete paragraph is left out, so a truncated index
    lacks packages but does not misdescribe them."""
    packages: dict[str, DebianPackage] = {}
    provided: dict[str, str] = {}
    for fields in _paragraphs(text):
        package = _package(fields)
        if package is None:
            continue
        packages[package.name] = package
        for name in _names(fields.get("Provides", "")):
            if name not in provided or package.name < provided[name]:
                provided[name] = package.name
    return DebianIndex(packages, provided)


def _paragraphs(text: str) -> Iterator[dict[str, str]]:
    for paragraph in text.split("\n\n"):
        fields: dict[str, str] = {}
        last = ""
        for line in paragraph.split("\n"):
            if line[:1] in (" ", "\t"):
                if last in ("Tag", "Depends", "Provides"):
                    fields[last] += line
                continue
            name, _, value = line.partition(":")
            last = name if name in _FIELDS else ""
            if last:
                fields[last] = value.strip()
        if fields:
            yield fields


def _package(fields: Mapping[str, str]) -> DebianPackage | None:
    digits, size = fields.get("SHA256", ""), fields.get("Size", "")
    if len(digits) != 64 or not size.isdigit() or not fields.get("Package"):
        return None
    needs = [*_needs(fields.get("Pre-Depends", "")), *_needs(fields.get("Depends", ""))]
    installed = fields.get("Installed-Size", "")
    return DebianPackage(
        name=fields["Package"],
        version=fields.get("Version", ""),
        architecture=fields.get("Architecture", ""),
        file=fields.get("Filename", "").rpartition("/")[2],
        sha256=digits.lower(),
        size=int(size),
        installed=int(installed) * 1024 if installed.isdigit() else 0,
        description=fields.get("Description", ""),
        homepage=fields.get("Homepage", ""),
        needs=tuple(needs),
        is_essential=fields.get("Essential") == "yes",
        is_command_line=COMMAND_LINE in fields.get("Tag", ""),
        is_unread=fields.get("Section", "").rpartition("/")[2] in _UNREAD,
    )


def _needs(text: str) -> list[tuple[str, ...]]:
    return [names for clause in text.split(",") if (names := tuple(_names(clause, "|")))]


def _names(text: str, separator: str = ",") -> list[str]:
    """`a (>= 1) | b:any` → a, b."""
    words = [part.split("(")[0].split("[")[0].strip() for part in text.split(separator)]
    return [word.partition(":")[0] for word in words if word]


def upstream(version: str) -> str:
    """`1:2.36-9+deb12u1` → `2.36`: the upstream version, without epoch and Debian revision."""
    upstream_version = version.partition(":")[2] if ":" in version else version
    return upstream_version.rpartition("-")[0] or upstream_version
