"""A source that runs programs, with a cache: each program runs once, later answers come from the cache."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.discovery.findings.memory import FindingsMemory
    from atip.discovery.sources.source_order import MetadataSource, ProbeSubject
    from atip.model.tool import Tool


class ScanStopped(Exception):
    """The scan was interrupted; what was not answered yet stays unasked."""


class StopSignal:
    """Ends the questions of a scan from another thread, within the answer that is under way."""

    def __init__(self, close: Callable[[], None] = lambda: None) -> None:
        """
        Args:
            close: stops running probes.
        """
        self._close = close
        self._event = threading.Event()

    def stop(self) -> None:
        self._event.set()
        self._close()

    def check(self) -> None:
        """
        Raises:
            ScanStopped: after `stop`.
        """
        if self._event.is_set():
            raise ScanStopped


class RememberedSource:
    """One executing source and what it said before."""

    executes = False
    """Asking this one runs a program only if `may_execute` and nothing fresh is remembered."""

    def __init__(
        self,
        memory: FindingsMemory,
        *,
        name: str,
        source_kind: str,
        source: MetadataSource | None = None,
        refresh: bool = False,
        signal: StopSignal | None = None,
    ) -> None:
        """
        Args:
            source: runs the program; None where programs may not be run.
            refresh: probe again what is cached.
        """
        self.source_kind = source_kind
        self._memory = memory
        self._name = name
        self._source = source
        self._refresh = refresh
        self._signal = signal or StopSignal()
        self.probed: set[str] = set()
        """Paths of the programs that were run."""

    def ask(self, subject: ProbeSubject) -> Tool | None:
        remembered = self._memory.get(subject, self._name)
        if self._source is None:
            return remembered.tool if remembered else None
        if remembered is not None and remembered.is_fresh and not self._refresh:
            return remembered.tool
        self._signal.check()
        self.probed.add(subject.path)
        tool = self._source.ask(subject)
        self._signal.check()  # an answer that was cut short is not one
        if tool is None and remembered is not None and remembered.tool is not None:
            return remembered.tool  # it answered once; a busy machine does not make it unknown
        self._memory.put(subject, self._name, tool)
        return tool
