"""Runs: what was started for one caller, ended together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atip.execution.runner import Runner


class ActiveRuns:
    """Runners that were started for one caller, who may end them from another thread."""

    def __init__(self) -> None:
        self._runners: list[Runner] = []
        self._over = False

    def add(self, runner: Runner) -> None:
        self._runners.append(runner)
        if self._over:
            runner.cancel()

    def cancel(self) -> None:
        """End what runs, and what would start from now on."""
        self._over = True
        for runner in tuple(self._runners):
            runner.cancel()
