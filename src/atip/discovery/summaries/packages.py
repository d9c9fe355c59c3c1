"""Descriptions that packages give of themselves: Debian packages, Python distributions, Node packages. Reads files only.

They count for a program only if the package has no other program, or bears the program's name: what a package of
forty programs describes none of them.
"""

from __future__ import annotations

import glob
import os
import re
from typing import TYPE_CHECKING

from atip.discovery.files.stubs import site_directories
from atip.discovery.frameworks.node_package import package_folder, package_of
from atip.errors import AtipError
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.discovery.sources.source_order import ProbeSubject

MAX_FILE = 64_000_000
_PROGRAM = re.compile(r"^(?:/usr(?:/local)?)?/(?:s?bin|games)/([^/\n]+)$", re.M)
_SCRIPTS = re.compile(r"^\[(?:console|gui)_scripts\]\n((?:[^\[\n].*\n?|\n)*)", re.M)
_LIBRARY = re.compile(r"lib|.*-(?:dev|common|data|doc|dbg)\Z")
_GROUP = re.compile(
    r"(?:^|[.;*]\s)((?!This |The |These |It |There |In |Included |Contains |Some )[A-Z][^.:;*\n]{8,100}):\s"
    r"([a-z0-9][\w+-]{1,40}(?:,\s[a-z0-9][\w+-]{1,40}){0,30}(?:,?\sand\s[\w+-]{2,40})?)(?=[.;]|$)",
    re.M,
)
_SUMMARY = re.compile(r"^Summary: (.+)$", re.M)


class InstalledPackages:
    """Package metadata of this machine, each database read once, on first use."""

    def __init__(self, dpkg: str = "/var/lib/dpkg") -> None:
        self._dpkg = dpkg
        self._debian: Mapping[str, str] | None = None
        self._members: Mapping[str, str] | None = None
        self._python: dict[str, Mapping[str, str]] = {}

    def summary(self, subject: ProbeSubject) -> str:
        """The description of a program's package; empty when the package has several programs or is unknown."""
        if subject.stub.language == "node":
            text = _node_summary(subject)
        elif subject.stub.language == "python":
            text = self._python_summary(subject)
        else:
            text = ""
        return text or self._debian_summary(subject)

    def membership(self, subject: ProbeSubject) -> str:
        """`Part of PACKAGE: synopsis`, or empty; for programs without any other description."""
        if self._members is None:
            self._members = read_members(self._dpkg)
        for path in (subject.path, subject.real_path):
            if package := self._members.get(_merged_path(path)):
                return package
        return ""

    def _debian_summary(self, subject: ProbeSubject) -> str:
        if self._debian is None:
            self._debian = read_debian(self._dpkg)
        for path in (subject.path, subject.real_path):
            if summary := self._debian.get(_merged_path(path)):
                return summary
        return ""

    def _python_summary(self, subject: ProbeSubject) -> str:
        for site in site_directories(subject.real_path, subject.stub):
            if site not in self._python:
                self._python[site] = read_distributions(site)
            if summary := self._python[site].get(subject.name):
                return summary
        return ""


def read_debian(folder: str) -> dict[str, str]:
    """path of a program → what its package says of it; of a package of several programs only what names the program."""
    status = _read(os.path.join(folder, "status"))
    synopses, explanations = _read_synopses(status), _read_explanations(status)
    summaries: dict[str, str] = {}
    for listing in glob.iglob(os.path.join(glob.escape(folder), "info", "*.list")):
        package = os.path.basename(listing).removesuffix(".list").partition(":")[0]
        text = _read(listing)
        programs = {match[1]: match[0] for match in _PROGRAM.finditer(text)}
        # What a library is for says nothing of the program beside it.
        is_about_one = not _LIBRARY.match(package)
        for name, path in programs.items():
            said = listed_purpose(explanations.get(package, ""), name)
            if is_about_one and (len(programs) == 1 or name == package):
                said = said or synopses.get(package, "")
            if said:
                summaries[_merged_path(path)] = said
    return summaries


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


def read_members(folder: str) -> dict[str, str]:
    """path of a program → `Part of PACKAGE: its synopsis`."""
    synopses = _read_synopses(_read(os.path.join(folder, "status")))
    members: dict[str, str] = {}
    for listing in glob.iglob(os.path.join(glob.escape(folder), "info", "*.list")):
        package = os.path.basename(listing).removesuffix(".list").partition(":")[0]
        if synopsis := synopses.get(package):
            for match in _PROGRAM.finditer(_read(listing)):
                members[_merged_path(match[0])] = f"Part of {package}: {synopsis}"
    return members


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


def read_distributions(site: str) -> dict[str, str]:
    """name of a console script → summary of its distribution, for distributions of one script."""
    summaries: dict[str, str] = {}
    for folder in glob.iglob(os.path.join(glob.escape(site), "*.dist-info")):
        section = _SCRIPTS.search(_read(os.path.join(folder, "entry_points.txt")))
        scripts = [
            line.partition("=")[0].strip()
            for line in (section[1].split("\n") if section else ())
            if "=" in line
        ]
        package = os.path.basename(folder).partition("-")[0].replace("_", "-").lower()
        for name in scripts:
            if len(scripts) == 1 or name.lower().replace("_", "-") == package:
                summary = _SUMMARY.search(_read(os.path.join(folder, "METADATA")))
                summaries[name] = summary[1].strip() if summary else ""
    return summaries


def _node_summary(subject: ProbeSubject) -> str:
    folder = package_folder(subject)
    package = package_of(folder) if folder else {}
    programs = package.get("bin")
    is_single = not isinstance(programs, dict) or len(programs) == 1
    if is_single or package.get("name") == subject.name:
        return str(package.get("description") or "")
    return ""


def _merged_path(path: str) -> str:
    """`/bin/ls` and `/usr/bin/ls` are one file where `/bin` is a link."""
    return path.removeprefix("/usr")


def _read(path: str) -> str:
    try:
        return read_bytes(path, MAX_FILE).decode("utf-8", "replace") if os.path.isfile(path) else ""
    except AtipError:
        return ""
