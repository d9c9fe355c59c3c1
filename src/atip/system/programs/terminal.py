"""The user's terminal while keys go to a program with a terminal of its own."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def typed_keys(handle: int) -> Iterator[int]:
    """Keys one by one, unechoed and without signals: the program's own terminal echoes and interrupts. -1: not a terminal."""
    import termios

    try:
        before = termios.tcgetattr(handle)
    except (OSError, ValueError, termios.error):
        yield -1
        return
    raw = before.copy()
    raw[0] = before[0] & ~(termios.ICRNL | termios.IXON)
    raw[3] = before[3] & ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
    termios.tcsetattr(handle, termios.TCSADRAIN, raw)
    try:
        yield handle
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
