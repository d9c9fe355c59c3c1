"""What Debian says of the programs of its packages: read from the files of `dpkg`, once, and only for a program that a package may own."""

from __future__ import annotations

import functools
import glob
import os
import re
from typing import NamedTuple

from atip.discovery.summaries.text_files import read_text

_PROGRAM = re.compile(r"^(?:/usr(?:/local)?)?/(?:s?bin|games)/([^/\n]+)$", re.M)
_LIBRARY = re.compile(r"lib|.*-(?:dev|common|data|doc|dbg)\Z")
_GROUP = re.compile(
    r"(?:^|[.;*]\s)((?!This |The |These |It |There |In |Included |Contains |Some )[A-Z][^.:;*\n]{8,100}):\s"
    r"([a-z0-9][\w+-]{1,40}(?:,\s[a-z0-9][\w+-]{1,40}){0,30}(?:,?\sand\s[\w+-]{2,40})?)(?=[.;]|$)",
    re.M,
)


class Owner(NamedTuple):
    """The package of a program, and how many programs it has."""

    package: str
    programs: int


class DebianPackages:
    """The packages of one machine; a purpose is looked for when it is asked, since most programs never need it."""

    def __init__(self, folder: str = "/var/lib/dpkg") -> None:
        self._folder = folder

    def purpose(self, path: str) -> str:
        """What its package says of a program; of a package of several programs only what names the program."""
        owner = self._owner(path)
        if owner is None:
            return ""
        name = os.path.basename(path)
        if said := listed_purpose(self._explanations.get(owner.package, ""), name):
            return said
        # What a library is for says nothing of the program beside it.
        is_about_one = not _LIBRARY.match(owner.package)
        if is_about_one and (owner.programs == 1 or name == owner.package):
            return self._synopses.get(owner.package, "")
        return ""

    def membership(self, path: str) -> str:
        """`Part of PACKAGE: synopsis`, or empty."""
        owner = self._owner(path)
        synopsis = self._synopses.get(owner.package) if owner is not None else None
        return f"Part of {owner.package}: {synopsis}" if owner is not None and synopsis else ""

    def _owner(self, path: str) -> Owner | None:
        return self._owners.get(_merged_path(path)) if _PROGRAM.match(path) else None

    @functools.cached_property
    def _owners(self) -> dict[str, Owner]:
        owners: dict[str, Owner] = {}
        for listing in glob.iglob(os.path.join(glob.escape(self._folder), "info", "*.list")):
            package = os.path.basename(listing).removesuffix(".list").partition(":")[0]
            programs = list(_PROGRAM.finditer(read_text(listing)))
            owner = Owner(package, len({program[1] for program in programs}))
            for program in programs:
                owners[_merged_path(program[0])] = owner
        return owners

    @functools.cached_property
    def _status(self) -> str:
        return read_text(os.path.join(self._folder, "status"))

    @functools.cached_property
    def _synopses(self) -> dict[str, str]:
        return _read_synopses(self._status)

    @functools.cached_property
    def _explanations(self) -> dict[str, str]:
        return _read_explanations(self._status)


def listed_purpose(text: str, name: str) -> str:
    """Purpose of a program in the explanation of its package: `* NAME: purpose`, or the group that lists it; or empty.

    Debian writes `candump - show traffic`, `* atmtcp, a tool to …`, `* les and bus, service daemons`, `foo (show bars)`, and
    `CAN log file converters: asc2log, log2asc.`
    """
    if name not in text:
        return ""
    own = rf"[`'\"]?{re.escape(name)}[`'\"]?(?:\(\d\w*\))?"
    rest = r"(\S.{3,200}(?:\n {3,}[^*+\u2022\s-].{1,200}){0,2})"
    more = r"(?:(?:,| and|/|,? or) ?[\w.+-]{2,40}){0,4}"
    row = re.search(
        rf"^[ \t]*(?:[*+\u2022o-] ?)?{own}{more}[ \t]*(?::|--?|\u2013|=)[ \t]+{rest}", text, re.M
    ) or re.search(
        rf"^[ \t]*[*+\u2022-] ?{own}(?: and [\w.+-]{{2,40}})?, (?=an? |the |which |[a-z]+s |[A-Z])(?:which )?{rest}",
        text,
        re.M,
    )
    if row is not None:
        return " ".join(row[1].split())
    if inside := re.search(rf"(?<![\w-]){own} \(([a-z][^()\n]{{8,80}})\)", " ".join(text.split())):
        return inside[1]
    for group, names in _GROUP.findall("\n".join(line.strip() for line in text.split("\n"))):
        if name in re.split(r",?\s(?:and\s)?", names):
            return str(group).strip()
    return ""


def _read_synopses(status: str) -> dict[str, str]:
    synopses: dict[str, str] = {}
    package = ""
    for line in status.splitlines():
        if line.startswith("Package: "):
            package = line[9:].strip()
        elif line.startswith("Description: "):
            synopses[package] = line[13:].strip()
    return synopses


def _read_explanations(status: str) -> dict[str, str]:
    """Package → the lines below its synopsis."""
    found: dict[str, list[str]] = {}
    package = ""
    is_inside = False
    for line in status.splitlines():
        if line.startswith("Package: "):
            package = line[9:].strip()
        is_inside = line.startswith("Description: ") or (is_inside and line.startswith(" "))
        if is_inside and line.startswith(" "):
            found.setdefault(package, []).append(line[1:])
    return {name: "\n".join(lines) for name, lines in found.items()}


def _merged_path(path: str) -> str:
    """`/bin/ls` and `/usr/bin/ls` are one file where `/bin` is a link."""
    return path.removeprefix("/usr")
