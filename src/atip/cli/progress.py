"""A progress line on standard error: stage, bar, count, rate. Only for a person, never in the result."""

from __future__ import annotations

from atip.system.clock import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.cli.context import Context

_EVERY_S = 0.1
_WIDTH = 24


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
        filled = _WIDTH * done // max(1, total)
        rate = done / max(0.001, moment - self._started)
        bar = "█" * filled + "·" * (_WIDTH - filled)
        left = (total - done) / rate if 0 < done < total else 0
        eta = f"  {left:,.0f} s left" if left >= 1 else ""
        self._err.write(f"\r\x1b[K{stage:<9} {bar} {done:,}/{total:,}  {rate:,.0f}/s{eta}")
        self._err.flush()

    def close(self) -> None:
        if self._shown and self._stage:
            self._err.write("\r\x1b[K")
            self._err.flush()
