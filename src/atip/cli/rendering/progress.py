"""A progress line on standard error: stage, bar, count, rate. Only on a terminal, never in the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.cli.wrapping import columns
from atip.system.clock import monotonic

if TYPE_CHECKING:
    from atip.cli.context import Context

_EVERY_S = 0.1
_WIDTH = 24
_NARROWEST = 5


class ProgressLine:
    """Call it with (stage, done, total). Erases itself on `close`."""

    def __init__(self, ctx: Context) -> None:
        self._err = ctx.err
        self._shown = ctx.err.isatty() and not ctx.as_json
        self._stage = ""
        self._started = self._drawn = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        if not self._shown:
            return
        moment = monotonic()
        if stage != self._stage:
            self._stage, self._started, self._drawn = stage, moment, 0.0
        if moment - self._drawn < _EVERY_S and done < total:
            return
        self._drawn = moment
        rate = done / max(0.001, moment - self._started)
        left = (total - done) / rate if 0 < done < total else 0
        eta = f"  {left:,.0f} s left" if left >= 1 else ""
        text = f"{done:,}/{total:,}  {rate:,.0f}/s{eta}"
        # a line that is longer than the terminal is wrapped by it, and could not be erased
        room = columns() - len(text) - 12
        width = min(_WIDTH, room) if room >= _NARROWEST else 0
        filled = width * done // max(1, total)
        bar = "█" * filled + "·" * (width - filled) + " " * bool(width)
        self._err.write(f"\r\x1b[K{f'{stage:<9} {bar}{text}'[: columns() - 1]}")
        self._err.flush()

    def close(self) -> None:
        if self._shown and self._stage:
            self._err.write("\r\x1b[K")
            self._err.flush()
