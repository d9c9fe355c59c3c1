"""Journal: what each confined line changed in a workspace, for a week; `atip undo` reads it.

    with journal.watch(run="…", line="make"):     # before: a snapshot; after: what differs from it
        …

Records and copies lie beside the user's other records, which no confined run sees, mode 0700. The snapshot is on the disk before the line
begins: of a line whose host was killed, what differs when the journal is next used counts as its change. Nothing is evicted: where there
is no space, the line's changes are not kept and the run reports it.
"""

from __future__ import annotations

import contextlib
import os
import time

from atip.errors import AtipError, NotFoundError
from atip.execution.undo.copies import MAX_TOTAL
from atip.execution.undo.snapshots import (
    LATEST,
    MAX_RECORD,
    SnapshotStore,
    decode_tree,
    encode_tree,
)
from atip.model.reading.plain_json import dumps, loads
from atip.model.value import Value
from atip.system.files import locked, read_bytes, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from atip.execution.undo.tree import TreeEntry

KEEP_S = 7 * 86400.0
FULL = MAX_TOTAL * 9 // 10
_HEX = frozenset("0123456789abcdef")
_RECORD, _BEFORE = ".run.json", ".before.json"


class LineChange(Value):
    """One confined line and what it changed."""

    run: str
    line: str
    time: float
    """Seconds since the epoch."""
    before: Mapping[str, TreeEntry] = {}
    after: Mapping[str, TreeEntry] = {}
    """Only names that differ; one that is missing here was removed, one that is missing in `before` was made."""
    undone: bool = False
    interrupted: bool = False
    """The run was killed: what differed when it was noticed counts as its change."""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(sorted({*self.before, *self.after}))

    def to_json(self) -> dict[str, object]:
        """One row of `undo --list --json`."""
        return {
            "run": self.run,
            "line": self.line,
            "time": self.time,
            "undone": self.undone,
            "interrupted": self.interrupted,
            "made": sorted(self.after.keys() - self.before.keys()),
            "removed": sorted(self.before.keys() - self.after.keys()),
            "changed": sorted(self.before.keys() & self.after.keys()),
        }


class UndoJournal:
    """The journal of one workspace."""

    def __init__(self, data: str, workspace: str) -> None:
        self.snapshots = SnapshotStore(data, workspace)

    @property
    def is_full(self) -> bool:
        """Whether there is no space for another copy; existing copies are never dropped for it."""
        return os.path.isdir(self.snapshots.copies.folder) and self.snapshots.copies.total >= FULL

    @property
    def lock(self) -> locked:
        return locked(os.path.join(self.snapshots.folder, "lock"))

    @contextlib.contextmanager
    def watch(self, *, run: str, line: str, tell: Callable[[str], object]) -> Iterator[None]:
        """Keep what a line changes while it runs.

        Args:
            tell: called with the reason if the changes cannot be kept; the line still runs.
        """
        name = run if 8 <= len(run) <= 32 and _HEX.issuperset(run) else os.urandom(8).hex()
        begun = self._try(tell, lambda: self._begin(name, line))
        try:
            yield
        finally:
            if begun:
                self._try(tell, lambda: self._finish(name))

    def _try(self, tell: Callable[[str], object], step: Callable[[], object]) -> bool:
        try:
            step()
        except (AtipError, OSError) as error:
            tell(str(error))
            return False
        return True

    def _begin(self, run: str, line: str) -> None:
        self.snapshots.make()
        with self.lock:
            self._recover()
            self._expire()
            self.snapshots.snapshot()
            if not os.path.exists(self._path(LATEST)):
                self.snapshots.write_tree(LATEST, {})  # an empty workspace
            os.link(self._path(LATEST), self._path(run + _BEFORE))
            self._write(LineChange(run=run, line=line[:2000], time=time.time()), os.getpid())

    def _finish(self, run: str) -> None:
        with self.lock:
            self._settle(run, interrupted=False)

    def _settle(self, run: str, *, interrupted: bool) -> None:
        before = self.snapshots.read_tree(run + _BEFORE)
        after = self.snapshots.snapshot()
        names = {path for path in {*before, *after} if not alike(before.get(path), after.get(path))}
        change = self._read(run).replace(
            before={path: before[path] for path in names if path in before},
            after={path: after[path] for path in names if path in after},
            interrupted=interrupted,
        )
        self._write(change)
        os.unlink(self._path(run + _BEFORE))
        if not names:
            os.unlink(self._path(run + _RECORD))

    def _recover(self) -> None:
        """Finish the records of runs that were killed."""
        for name in sorted(os.listdir(self.snapshots.folder)):
            if name.endswith(_BEFORE):
                run = name.removesuffix(_BEFORE)
                if not _is_alive(self._holder(run)):
                    self._settle(run, interrupted=True)

    def _expire(self) -> None:
        """Delete what is older than a week."""
        limit = time.time() - KEEP_S
        old = [change.run for change in self._changes() if change.time < limit]
        for run in old:
            os.unlink(self._path(run + _RECORD))
        if old:
            self._sweep()

    def _sweep(self) -> None:
        trees = [self.snapshots.read_tree(LATEST)]
        for name in os.listdir(self.snapshots.folder):
            if name.endswith(_BEFORE):
                trees.append(self.snapshots.read_tree(name))
        for change in self._changes():
            trees += [dict(change.before), dict(change.after)]
        self.snapshots.copies.keep_only(
            entry.content for tree in trees for entry in tree.values() if entry.content
        )

    def changes(self) -> list[LineChange]:
        """Changes made by lines, the oldest first."""
        if not os.path.isdir(self.snapshots.folder):
            return []
        with self.lock:
            self._recover()
            return self._changes()

    def find(self, run: str = "") -> LineChange:
        """A line's changes; without a name the newest that was not undone.

        Raises:
            NotFoundError: `undo.not-found`.
        """
        for change in reversed(self.changes()):
            if (change.run.startswith(run) and run) or (not run and not change.undone):
                return change
        raise NotFoundError(
            "undo.not-found",
            f"no run `{run}` changed files here" if run else "nothing to undo in this workspace",
            hint="`atip undo --list` shows what can be undone in this workspace",
        )

    def forget(self, run: str) -> None:
        """Delete the copies of a line.

        Raises:
            NotFoundError: `undo.not-found`.
        """
        change = self.find(run)
        with self.lock:
            os.unlink(self._path(change.run + _RECORD))
            self._sweep()

    def mark_undone(self, change: LineChange) -> None:
        """Write down that a line was undone."""
        with self.lock:
            self._write(change.replace(undone=True))
            self.snapshots.snapshot()

    # -- files -----------------------------------------------------------------------------------

    def _path(self, name: str) -> str:
        return os.path.join(self.snapshots.folder, name)

    def _changes(self) -> list[LineChange]:
        names = [name for name in os.listdir(self.snapshots.folder) if name.endswith(_RECORD)]
        changes = [self._read(name.removesuffix(_RECORD)) for name in names]
        return sorted(changes, key=lambda each: each.time)

    def _document(self, run: str) -> dict:  # type: ignore[type-arg]
        document: dict = loads(read_bytes(self._path(run + _RECORD), MAX_RECORD).decode())  # type: ignore[type-arg]
        return document

    def _holder(self, run: str) -> str:
        try:
            return str(self._document(run)["holder"])
        except (AtipError, ValueError, KeyError):
            return ""

    def _read(self, run: str) -> LineChange:
        document = self._document(run)
        return LineChange(
            run=run,
            line=document["line"],
            time=document["time"],
            before=decode_tree(document["before"]),
            after=decode_tree(document["after"]),
            undone=document["undone"],
            interrupted=document["interrupted"],
        )

    def _write(self, change: LineChange, holder: int = 0) -> None:
        document = {
            "line": change.line,
            "time": change.time,
            "before": encode_tree(change.before),
            "after": encode_tree(change.after),
            "undone": change.undone,
            "interrupted": change.interrupted,
            "holder": _identity(holder) if holder else "",
        }
        data = dumps(document, ensure_ascii=True).encode()
        write_atomic(self._path(change.run + _RECORD), data, durable=False)


def alike(one: TreeEntry | None, other: TreeEntry | None) -> bool:
    """Whether two states of a name are the same for a person: kind, permissions, target, content."""
    if one is None or other is None:
        return one is other
    return (one.kind, one.mode, one.target, one.content) == (
        other.kind, other.mode, other.target, other.content,
    )  # fmt: skip


def _identity(pid: int) -> str:
    """A process, identified by its number and start time."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return f"{pid}:{file.read().rpartition(')')[2].split()[19]}"
    except (OSError, IndexError):
        return ""


def _is_alive(holder: str) -> bool:
    pid = holder.partition(":")[0]
    return bool(pid) and _identity(int(pid)) == holder
