"""Directory entries with a fingerprint of all of them: the whole cost of scanning an unchanged machine."""

from __future__ import annotations

import os

from atip.system.digests import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class DirectoryListing:
    """Directory entries as the system lists them, with a fingerprint of all of them.

    Plain tuples, because this is all that happens when nothing has changed.
    """

    __slots__ = ("fingerprint", "rows", "unreadable")

    def __init__(self, directories: Sequence[str]) -> None:
        self.rows: list[tuple[os.DirEntry[str], os.stat_result | None]] = []
        self.unreadable: list[tuple[str, str]] = []
        lines: list[str] = []
        for folder in directories:
            lines.append(folder)
            try:
                with os.scandir(folder) as entries:
                    ordered = sorted(entries, key=_name)
            except OSError as error:
                self.unreadable.append((folder, error.strerror or "unknown"))
                continue
            for entry in ordered:
                try:
                    status = entry.stat()
                except OSError:
                    self.rows.append((entry, None))
                    continue
                self.rows.append((entry, status))
                # mode, inode, device, links, owner, group, size, and both times to the nanosecond
                lines.append(f"{entry.name}\0{status[:7]}{status.st_mtime_ns} {status.st_ctime_ns}")
        self.fingerprint = sha256_hex("\n".join(lines).encode("utf-8", "surrogateescape"))


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name
