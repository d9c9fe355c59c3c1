"""A module of ours that runs in a process of its own, beside this one, and ends with it."""

from __future__ import annotations

import contextlib
import select
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

END_S = 60.0
"""For the work under way when it is to end."""


@contextlib.contextmanager
def running_beside(module: str, *arguments: str) -> Iterator[int]:
    """Run `python -m MODULE` while the block runs; yields its process id. It ends however this process does: its input is
    a pipe with one holder."""
    import subprocess

    command = [sys.executable, "-m", module, *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def is_to_end(wait_s: float) -> bool:
    """In the process beside: whether it has to end within this time."""
    return bool(select.select([sys.stdin], [], [], wait_s)[0])
