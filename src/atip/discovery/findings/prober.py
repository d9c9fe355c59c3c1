"""The sandbox of a scan, opened for the first probe: most scans of a known machine probe nothing."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from atip.discovery.findings.source import ScanStopped
from atip.discovery.frameworks.python_program import SDK
from atip.discovery.visibility import visible_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.discovery.files.executables import Executable
    from atip.discovery.sources.native import ProbeAnswer


class LazyProber:
    """Runs programs, confined, for several threads; see `sandbox.probes.probe.ProbeSandbox`."""

    def __init__(
        self, executables: Sequence[Executable], open_prober: Callable[[Sequence[str]], Any]
    ) -> None:
        """
        Args:
            found: programs that may be run; they and what they need are shown inside.
        """
        self._programs = executables
        self._open_prober = open_prober
        self._lock = threading.Lock()
        self._prober: Any = None
        self._is_closed = False

    def run(self, argv: Sequence[str], *, wall_s: float | None = None) -> ProbeAnswer:
        """One question.

        Raises:
            ScanStopped: after `close`.
            SandboxError: when this host cannot confine; nothing was run.
        """
        prober = self._open()
        answer: ProbeAnswer = prober.run(argv, wall_s=wall_s)
        if self._is_closed:
            raise ScanStopped
        return answer

    def close(self) -> None:
        """End the sandbox and what runs inside; what waits for an answer raises `ScanStopped`."""
        with self._lock:
            self._is_closed = True
            if self._prober is not None:
                self._prober.close()

    def _open(self) -> Any:
        with self._lock:
            if self._is_closed:
                raise ScanStopped
            if self._prober is None:
                self._prober = self._open_prober([*visible_paths(self._programs), SDK])
            return self._prober
