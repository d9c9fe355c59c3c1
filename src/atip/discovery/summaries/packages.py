"""Descriptions that packages give of themselves: Debian packages, Python distributions, Node packages, gems. Reads files only.

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
from atip.discovery.summaries.debian import DebianPackages
from atip.discovery.summaries.gems import gem_summary
from atip.discovery.summaries.text_files import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.discovery.sources.source_order import ProbeSubject

_SCRIPTS = re.compile(r"^\[(?:console|gui)_scripts\]\n((?:[^\[\n].*\n?|\n)*)", re.M)
_SUMMARY = re.compile(r"^Summary: (.+)$", re.M)


class InstalledPackages:
    """Package metadata of this machine, each database read once, on first use."""

    def __init__(self, dpkg: str = "/var/lib/dpkg") -> None:
        self._debian = DebianPackages(dpkg)
        self._python: dict[str, Mapping[str, str]] = {}

    def summary(self, subject: ProbeSubject) -> str:
        """The description of a program's package; empty when the package has several programs or is unknown."""
        if subject.stub.language == "node":
            text = _node_summary(subject)
        elif subject.stub.language == "python":
            text = self._python_summary(subject)
        elif subject.stub.language == "ruby":
            text = gem_summary(read_text(subject.real_path), subject.real_path)
        else:
            text = ""
        return text or next(filter(None, map(self._debian.purpose, _paths(subject))), "")

    def membership(self, subject: ProbeSubject) -> str:
        """`Part of PACKAGE: synopsis`, or empty; for programs without any other description."""
        return next(filter(None, map(self._debian.membership, _paths(subject))), "")

    def _python_summary(self, subject: ProbeSubject) -> str:
        for site in site_directories(subject.real_path, subject.stub):
            if site not in self._python:
                self._python[site] = read_distributions(site)
            if summary := self._python[site].get(subject.name):
                return summary
        return ""


def read_distributions(site: str) -> dict[str, str]:
    """name of a console script → summary of its distribution, for distributions of one script."""
    summaries: dict[str, str] = {}
    for folder in glob.iglob(os.path.join(glob.escape(site), "*.dist-info")):
        section = _SCRIPTS.search(read_text(os.path.join(folder, "entry_points.txt")))
        scripts = [
            line.partition("=")[0].strip()
            for line in (section[1].split("\n") if section else ())
            if "=" in line
        ]
        package = os.path.basename(folder).partition("-")[0].replace("_", "-").lower()
        for name in scripts:
            if len(scripts) == 1 or name.lower().replace("_", "-") == package:
                summary = _SUMMARY.search(read_text(os.path.join(folder, "METADATA")))
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


def _paths(subject: ProbeSubject) -> tuple[str, str]:
    return subject.path, subject.real_path
