"""The index of an RPM repository: `repomd.xml` and `primary.xml` → packages, and what a package needs. Pure."""

from __future__ import annotations

import io
import re
from itertools import zip_longest
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from atip.errors import FetchError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_REPO = "{http://linux.duke.edu/metadata/repo}"
_COMMON = "{http://linux.duke.edu/metadata/common}"
_RPM = "{http://linux.duke.edu/metadata/rpm}"
DIGESTS = {"sha256": 64, "sha512": 128}
_PROGRAMS = ("/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/")


class IndexFile(Value):
    """Path of the list of packages, with its digest and size."""

    path: str
    digest: str
    size: int


class RpmPackage(Value):
    """The fields of one `package` element that the crawler uses."""

    name: str
    version: str
    release: str
    epoch: str
    architecture: str
    path: str
    digest: str
    size: int
    installed: int
    """Unpacked size in bytes, from the index."""
    description: str
    homepage: str
    needs: tuple[str, ...]
    provides: tuple[str, ...]
    """Names, and paths of files that the index lists."""

    @property
    def has_program(self) -> bool:
        return any(path.startswith(_PROGRAMS) for path in self.provides)


class RpmIndex:
    """The newest version of each package of a repository."""

    def __init__(self, packages: Iterable[RpmPackage]) -> None:
        self.packages: dict[str, RpmPackage] = {}
        for package in packages:
            current = self.packages.get(package.name)
            if current is None or _order(current) < _order(package):
                self.packages[package.name] = package
        self._providers: dict[str, str] = {}
        for name in sorted(self.packages):
            for what in self.packages[name].provides:
                self._providers.setdefault(what, name)

    def with_programs(self) -> list[str]:
        """Packages that hold a program, sorted."""
        return sorted(name for name, package in self.packages.items() if package.has_program)

    def closure(self, roots: Iterable[str]) -> list[str]:
        """Packages and everything they need, sorted; what the repository does not provide is left out."""
        seen: set[str] = set()
        pending = list(roots)
        while pending:
            requirement = pending.pop()
            name = (
                requirement
                if requirement in self.packages
                else self._providers.get(requirement, "")
            )
            if name and name not in seen:
                seen.add(name)
                pending += self.packages[name].needs
        return sorted(seen)


def read_repomd(data: bytes) -> IndexFile:
    """Read the entry of the list of packages.

    Raises:
        FetchError: `crawl.index`.
    """
    for entry in _root(data).iter(f"{_REPO}data"):
        if entry.get("type") == "primary":
            place, checksum = entry.find(f"{_REPO}location"), entry.find(f"{_REPO}checksum")
            return IndexFile(
                path=_path(place.get("href", "") if place is not None else ""),
                digest=_digest(checksum),
                size=_number(entry.findtext(f"{_REPO}size", "")),
            )
    raise FetchError("crawl.index", "`repomd.xml` has no entry `primary`")


def read_primary(data: bytes, architectures: Iterable[str]) -> RpmIndex:
    """Read the packages for these architectures.

    Raises:
        FetchError: `crawl.index`.
    """
    accepted = frozenset(architectures)
    _refuse_entities(data)
    packages: list[RpmPackage] = []
    try:
        for _event, element in ElementTree.iterparse(io.BytesIO(data)):  # noqa: S314
            if element.tag == f"{_COMMON}package":
                if element.findtext(f"{_COMMON}arch", "") in accepted:
                    packages.append(_package(element))
                element.clear()
    except ElementTree.ParseError as error:
        raise FetchError("crawl.index", f"the list of packages is not XML: {error}") from error
    return RpmIndex(packages)


def _package(element: ElementTree.Element) -> RpmPackage:
    version, size = element.find(f"{_COMMON}version"), element.find(f"{_COMMON}size")
    place = element.find(f"{_COMMON}location")
    version_fields: Mapping[str, str] = version.attrib if version is not None else {}
    sizes: Mapping[str, str] = size.attrib if size is not None else {}
    files = [file.text or "" for file in element.iter(f"{_COMMON}file")]
    return RpmPackage(
        name=element.findtext(f"{_COMMON}name", ""),
        version=version_fields.get("ver", ""),
        release=version_fields.get("rel", ""),
        epoch=version_fields.get("epoch", "0"),
        architecture=element.findtext(f"{_COMMON}arch", ""),
        path=_path(place.get("href", "") if place is not None else ""),
        digest=_digest(element.find(f"{_COMMON}checksum")),
        size=_number(sizes.get("package", "")),
        installed=_number(sizes.get("installed", "0")),
        description=element.findtext(f"{_COMMON}summary", ""),
        homepage=element.findtext(f"{_COMMON}url", ""),
        needs=_entries(element, "requires"),
        provides=(*_entries(element, "provides"), *files),
    )


def _entries(element: ElementTree.Element, kind: str) -> tuple[str, ...]:
    """Names of a list; conditions in brackets and features of rpm itself are not packages."""
    names = [
        entry.get("name", "")
        for group in element.iter(f"{_RPM}{kind}")
        for entry in group.iter(f"{_RPM}entry")
    ]
    return tuple(name for name in names if name and name[0] != "(" and name[:7] != "rpmlib(")


def _root(data: bytes) -> ElementTree.Element:
    _refuse_entities(data)
    try:
        return ElementTree.fromstring(data)  # noqa: S314
    except ElementTree.ParseError as error:
        raise FetchError("crawl.index", f"the index is not XML: {error}") from error


def _refuse_entities(data: bytes) -> None:
    # SECURITY: an index has no document type; without one there are no entities to expand.
    if b"<!DOCTYPE" in data:
        raise FetchError("crawl.index", "the index declares a document type")


def _digest(element: ElementTree.Element | None) -> str:
    kind = element.get("type", "") if element is not None else ""
    digits = (element.text or "").strip().lower() if element is not None else ""
    if DIGESTS.get(kind) != len(digits) or re.search("[^0-9a-f]", digits):
        raise FetchError("crawl.no-digest", "the index has no SHA-256 or SHA-512 for a file")
    return f"{kind}:{digits}"


def _path(text: str) -> str:
    """SECURITY: the path of a file inside the repository, never of another host."""
    if not re.fullmatch(r"[A-Za-z0-9._+~^@%-]+(/[A-Za-z0-9._+~^@%-]+)*", text) or ".." in text:
        raise FetchError("crawl.index", f"`{text[:80]}` is not a file of the repository")
    return text


def _number(text: str) -> int:
    if not text.isdigit() or len(text) > 15:
        raise FetchError("crawl.index", f"`{text[:40]}` is not a size")
    return int(text)


def _order(package: RpmPackage) -> tuple[_Part, _Part, _Part]:
    return _Part(package.epoch), _Part(package.version), _Part(package.release)


class _Part:
    """One part of a version in the order of rpm: numbers by value and above letters, `~` before everything, `^` after the end."""

    def __init__(self, text: str) -> None:
        self._pieces = re.findall(r"[0-9]+|[A-Za-z]+|[~^]", text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Part) and self._keys() == other._keys()

    def __hash__(self) -> int:
        return hash(tuple(self._pieces))

    def __lt__(self, other: _Part) -> bool:
        for ours, theirs in zip_longest(self._keys(), other._keys(), fillvalue=(1, 0, "")):
            if ours != theirs:
                return ours < theirs
        return False

    def _keys(self) -> list[tuple[int, int, str]]:
        kinds = {"~": 0, "^": 2}
        return [
            (kinds[piece], 0, "")
            if piece in kinds
            else (4, int(piece), "")
            if piece.isdigit()
            else (3, 0, piece)
            for piece in self._pieces
        ]
