"""Check whether anything changed since the last scan, with almost no imports.

The file of a scan (`discovery/path-scan-<hash>.json`) has three parts, a line each for the first two: the
fingerprint of all directory entries, the summary as JSON, and the summary as text. When the fingerprint still
holds, one of the two is printed unchanged.
"""

from __future__ import annotations

import os

from atip.discovery.files.listing import DirectoryListing
from atip.discovery.files.safety import path_entries, why_unsafe_directory
from atip.system.digests import sha256_hex
from atip.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = f"atip-scan-1 {__version__}"
"""Another release may understand more of the same files: it scans again."""
_MAX_BYTES = 4_000_000


def scan_key(directories: Sequence[str], salt: str) -> str:
    """Key of the memory of one scan: its directories and lists."""
    return sha256_hex("\0".join([*directories, salt]).encode("utf-8", "surrogateescape"))[:16]


def salt_of(only: Sequence[str], learn: bool, lists: Sequence[Sequence[str]]) -> str:
    """Options besides the directories that determine the result of a scan: names, sources, the user's lists."""
    return "\n".join([*only, "learn" if learn else "", *(",".join(names) for names in lists)])


def memory_path(cache: str, key: str) -> str:
    return os.path.join(cache, "discovery", f"path-scan-{key}.json")


def load_remembered(path: str) -> tuple[str, str, str] | None:
    """(fingerprint, JSON, text) of the last scan, or None."""
    try:
        with open(path, encoding="utf-8") as file:
            version, fingerprint, document, text = file.read(_MAX_BYTES).split("\n", 3)
    except (OSError, ValueError):
        return None
    return (fingerprint, document, text) if version == VERSION else None


def find_unchanged(
    paths: Sequence[str], only: Sequence[str], learn: bool, cache: str
) -> tuple[str, str] | None:
    """(JSON, text) of the last scan with the same options if nothing has changed since; else None.

    Only for users without settings: those are read by the scan itself.
    """
    entries = [os.path.abspath(path) for path in paths] or path_entries(os.environ.get("PATH", ""))
    chosen: list[str] = []
    seen: set[tuple[int, int]] = set()
    for entry in entries:
        if not os.path.isabs(entry) or not os.path.isdir(entry):
            continue
        status = os.stat(entry)
        if (status.st_dev, status.st_ino) in seen or why_unsafe_directory(
            entry, is_explicit=bool(paths)
        ):
            continue
        seen.add((status.st_dev, status.st_ino))
        chosen.append(entry)
    key = scan_key(chosen, salt_of(only, learn, ((), (), ())))
    remembered = load_remembered(memory_path(cache, key))
    if remembered is None or remembered[0] != DirectoryListing(chosen).fingerprint:
        return None
    return remembered[1], remembered[2]
