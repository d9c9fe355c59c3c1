"""Authoring: facts about a program for its first CLI.md – its package, and how it prints its version.

Reads the records of package managers (dpkg, pip, npm, cargo); runs nothing. Guesses for other managers are
marked `experimental: true`. Implements AIP-29 "Authoring with SKILL.md" 1, 2, 4, 7.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from atip.codecs.climd.manifest import VersionCheck
from atip.errors import AtipError, FormatError
from atip.system.files import make_private, write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DPKG = "/var/lib/dpkg/info"
PROPOSED = ("brew", "dnf", "pacman")
VERSION_WORDS = (("--version",), ("version",), ("-version",), ("-V",))
_VERSION = re.compile(r"(?<![\w.])v?(\d{1,6}\.\d{1,6}(?:\.\d{1,6})*[^\s,();\"']*)")
_CRATE = re.compile(r'^"(\S+) \S+ \([^)]*\)" = \[(.*)\]', re.M)
MAX_LISTS = 20_000


def find_install(path: str, *, home: str = "") -> list[dict[str, Any]]:
    """Install entries for a program: those that package records prove, then proposals for other systems."""
    name = os.path.basename(path)
    proven = [
        entry
        for entry in (_dpkg(path), _npm(path), _pip(path), _cargo(path, home))
        if entry is not None
    ]
    package = str(proven[0]["package"]) if proven else name
    program = re.split(r"[=<>@\[]", package.lstrip("@"))[0].rpartition("/")[2] or name
    proposals = [
        {"method": method, "package": program, "experimental": True}
        for method in PROPOSED
        if all(entry["method"] != method for entry in proven)
    ]
    return [*proven, *proposals]


def _dpkg(path: str) -> dict[str, Any] | None:
    """The Debian package that owns a file, by the lists that dpkg keeps."""
    paths = {path.encode(), os.path.realpath(path).encode()}
    paths |= {path[4:] for path in paths if path.startswith(b"/usr/")}
    try:
        names = sorted(os.listdir(DPKG))[:MAX_LISTS]
    except OSError:
        return None
    for name in names:
        if not name.endswith(".list"):
            continue
        try:
            with open(os.path.join(DPKG, name), "rb") as file:
                lines = file.read(20_000_000)
        except OSError:
            continue
        if any(path + b"\n" in lines and paths & set(lines.split(b"\n")) for path in paths):
            return {"method": "apt", "package": name[:-5].partition(":")[0]}
    return None


def _npm(path: str) -> dict[str, Any] | None:
    _, marker, rest = os.path.realpath(path).rpartition("/node_modules/")
    if not marker:
        return None
    parts = rest.split("/")
    package = "/".join(parts[:2]) if parts[0].startswith("@") else parts[0]
    return {"method": "npm", "package": package, "global": True}


def _pip(path: str) -> dict[str, Any] | None:
    """The distribution whose RECORD names the script."""
    name = os.path.basename(path)
    root = os.path.dirname(os.path.dirname(os.path.realpath(path)))
    for folder in _site_packages(root):
        for entry in sorted(os.listdir(folder)):
            record = os.path.join(folder, entry, "RECORD")
            if not entry.endswith(".dist-info") or not os.path.isfile(record):
                continue
            with open(record, encoding="utf-8", errors="replace") as file:
                if f"/bin/{name}," in file.read(2_000_000):
                    return {"method": "pip", "package": entry.split("-", 1)[0].replace("_", "-")}
    return None


def _site_packages(root: str) -> list[str]:
    library = os.path.join(root, "lib")
    if not os.path.isdir(library) or root in ("/", "/usr"):
        return []
    folders = [
        os.path.join(library, name, "site-packages")
        for name in sorted(os.listdir(library))
        if name.startswith("python3")
    ]
    return [folder for folder in folders if os.path.isdir(folder)]


def _cargo(path: str, home: str) -> dict[str, Any] | None:
    folder = os.path.dirname(os.path.dirname(path))
    for record in {os.path.join(folder, ".crates.toml"), os.path.join(home, ".cargo/.crates.toml")}:
        if not os.path.isfile(record):
            continue
        with open(record, encoding="utf-8", errors="replace") as file:
            for crate, programs in _CRATE.findall(file.read(2_000_000)):
                if f'"{os.path.basename(path)}"' in programs:
                    return {"method": "cargo", "package": crate}
    return None


def derive_pattern(output: str) -> tuple[str, str] | None:
    """Pattern that extracts the version from a program's output, and the version; None: no version in it."""
    for line in output.splitlines():
        match = _VERSION.search(line)
        if match is None:
            continue
        before = line[: match.start(1)].lstrip()
        if len(before) > 60 or not before.isascii():
            before = ""
        text = re.sub(r"([\\.+*?()\[\]{}|^$])", r"\\\1", before)
        pattern = f"{text}(\\S+)" if before else r"(\d+\.\d+\S*)"
        return pattern, match.group(1)
    return None


def derived_check(program: str, words: Sequence[str], output: str) -> VersionCheck | None:
    """A version check that works on the given output; None: no version in it."""
    from atip.bundles.versions import judge_version

    derived = derive_pattern(output)
    if derived is None:
        return None
    check = VersionCheck(cmd=" ".join((program, *words)), parse=derived[0], range="*")
    try:
        return check if judge_version(check, output, 0).ok else None
    except FormatError:
        return None


def merge_blocks(blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The union of several observed `sandbox:` blocks."""
    merged: dict[str, Any] = {
        "network": {"egress": []},
        "fs": {"read": [], "write": [], "deny": ["~/.ssh/**", "~/.gnupg/**"]},
        "exec": {"allow": False, "spawn": []},
        "env": {"pass": [], "set": {}},
        "tty": {"required": False},
    }
    for block in blocks:
        for section, content in block.items():
            for key, value in content.items():
                target = merged.setdefault(section, {})
                if isinstance(value, list):
                    target[key] = list(dict.fromkeys([*target.get(key, []), *value]))
                elif isinstance(value, dict):
                    target[key] = {**target.get(key, {}), **value}
                else:
                    target[key] = target.get(key) or value
    return merged


def write_folder(folder: str, files: Mapping[str, str], *, replace: bool = False) -> None:
    """Write the documents of a new bundle.

    Raises:
        AtipError: `bundle.exists`.
    """
    if os.path.lexists(os.path.join(folder, "CLI.md")) and not replace:
        raise AtipError(
            "bundle.exists",
            f"`{folder}` already contains a bundle",
            hint="use `--force` to replace its documents",
        )
    for path, text in files.items():
        target = os.path.join(folder, path)
        make_private(os.path.dirname(target))
        write_atomic(target, text.encode(), mode=0o644)
