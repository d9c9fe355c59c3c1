"""Snapshots: a workspace as it is now, with a copy of each file; a file that did not change since the last one is not copied again."""

from __future__ import annotations

import os
import time

from atip.errors import AtipError
from atip.execution.undo.copies import Copies
from atip.execution.undo.tree import FILE, TreeEntry, open_folder, scan_tree
from atip.model.reading.plain_json import dumps, loads
from atip.system.digests import sha256_hex
from atip.system.files import make_private, read_bytes, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_RECORD = 64_000_000
_YOUNG_NS = 100_000_000
"""A file that changed just now may change again within the same tick of the kernel's clock."""
LATEST = "latest.json"


class SnapshotStore:
    """The copies and records of one workspace: `DATA/undo/<digest of its path>/`."""

    def __init__(self, data: str, workspace: str) -> None:
        self.workspace = os.path.realpath(workspace)
        top = os.path.join(data, "undo")
        self.folder = os.path.join(top, sha256_hex(os.fsencode(self.workspace))[:24])
        self.copies = Copies(os.path.join(self.folder, "copies"))

    def make(self) -> None:
        """Create the folders, for their owner alone."""
        for folder in (os.path.dirname(self.folder), self.folder, self.copies.folder):
            make_private(folder)

    def snapshot(self) -> dict[str, TreeEntry]:
        """Copy what changed since the last snapshot, and remember this one as the last.

        Raises:
            TooLarge: it cannot be kept whole; what was kept before is untouched.
        """
        last_tree = self.read_tree(LATEST)
        handle = open_folder(self.workspace)
        try:
            tree = {
                path: self._copy_entry(handle, path, entry, last_tree.get(path))
                for path, entry in scan_tree(self.workspace).items()
            }
        finally:
            os.close(handle)
        entries = {path: entry for path, entry in tree.items() if entry is not None}
        if entries != last_tree:
            self.write_tree(LATEST, entries)
        return entries

    def _copy_entry(
        self, root: int, path: str, entry: TreeEntry, last: TreeEntry | None
    ) -> TreeEntry | None:
        if entry.kind != FILE:
            return entry
        if last is not None and last.stamp == entry.stamp and last.content:
            return entry.replace(content=last.content)
        try:
            content = self.copies.take(root, path, entry.size)
        except PermissionError:
            return entry  # the line cannot read it either; it can remove it, and that is reported
        except OSError:
            return None  # gone, or a link now
        if last is not None and self.copies.equal(last.content, content):
            self.copies.drop(content)
            content = last.content
        young = time.time_ns() - int(entry.stamp.rpartition(".")[2]) < _YOUNG_NS
        return entry.replace(content=content, stamp="" if young else entry.stamp)

    def read_tree(self, name: str) -> dict[str, TreeEntry]:
        """A tree that was written; empty where there is none."""
        try:
            document = loads(read_bytes(os.path.join(self.folder, name), MAX_RECORD).decode())
        except (AtipError, ValueError):
            return {}
        return decode_tree(document)

    def write_tree(self, name: str, tree: Mapping[str, TreeEntry]) -> None:
        data = dumps(encode_tree(tree), ensure_ascii=True).encode()
        write_atomic(os.path.join(self.folder, name), data, durable=False)


def encode_tree(tree: Mapping[str, TreeEntry]) -> dict[str, list[object]]:
    """As JSON, short: a workspace has thousands of names."""
    return {
        path: [node.kind, node.mode, node.target, node.size, node.stamp, node.modified_ns, node.content]
        for path, node in tree.items()
    }  # fmt: skip


def decode_tree(document: Mapping[str, list]) -> dict[str, TreeEntry]:  # type: ignore[type-arg]
    """The inverse of `encode_tree`."""
    names = ("kind", "mode", "target", "size", "stamp", "modified_ns", "content")
    return {
        path: TreeEntry(**dict(zip(names, node, strict=True))) for path, node in document.items()
    }
