"""Outcome: how a confined run ended, and what really held it."""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.sandbox.network.proxy import Attempt

    OnOutput = Callable[[str, bytes], None]
    """Called with `stdout` or `stderr` and a piece of output, in order, from the waiting thread."""


class Outcome(Value):
    """Result of a confined run, and the protections that applied."""

    exit_code: int
    """The program's own; 128+N if signal N ended it."""
    signal: int | None = None
    timed_out: bool = False
    cancelled: bool = False
    output_truncated: bool = False
    """More was said than `limits.output_bytes`; the rest was read and dropped."""
    duration_s: float = 0.0
    backend: str = ""
    layers: tuple[str, ...] = ()
    """Layers that were active, such as `namespaces`, `seccomp`, `landlock`, `one-shot-exec`."""
    attempts: tuple[Attempt, ...] = ()
    """Tries to reach the network through the proxy, allowed and refused."""
    env_dropped: tuple[str, ...] = ()
    """Variables of `env_pass` that are never handed in."""
    notes: tuple[str, ...] = ()
    """Notes, such as limits that apply per process only."""
