"""Undo: the journal of a workspace, and undoing one of its lines."""

from __future__ import annotations

import os

from atip.execution.undo.journal import UndoJournal
from atip.workflows.run.plan import find_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.execution.undo.journal import LineChange
    from atip.workflows.host import Host


def journal_of(host: Host, cwd: str) -> UndoJournal:
    """The journal of the workspace that contains a folder."""
    home = os.path.realpath(host.places.home)
    return UndoJournal(host.places.data, find_workspace(os.path.realpath(cwd), home))


class LineChanges:
    """Changes that confined lines made in one workspace."""

    def __init__(self, host: Host, cwd: str) -> None:
        self._journal = journal_of(host, cwd)

    def list(self) -> list[LineChange]:
        """The oldest first."""
        return self._journal.changes()

    def forget(self, run: str) -> None:
        """Delete the copies of a line; raises NotFoundError `undo.not-found`."""
        self._journal.forget(run)

    def undo(self, run: str = "") -> LineChange:
        """Undo a line; without a name, the newest that is not undone yet.

        Raises:
            NotFoundError: `undo.not-found`.
            ExecutionError: `undo.changed`, `undo.done`, `undo.not-kept`; nothing was touched.
        """
        change = self._journal.find(run)
        from atip.execution.undo.restore import restore

        restore(self._journal, change)
        return change
