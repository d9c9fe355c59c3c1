"""A terminal of a given size: what a program writes to it, as a person would see it, keys pressed on the way."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
import typing

if typing.TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STYLES = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")


class Screen(typing.NamedTuple):
    """What was written, and how the program ended."""

    raw: str
    code: int
    seconds: float

    @property
    def lines(self) -> list[str]:
        """Lines without styles; of a line that was written over, what was there last."""
        plain = STYLES.sub("", self.raw)
        return [line.rpartition("\r")[2] for line in plain.replace("\r\n", "\n").split("\n")]


def on_terminal(
    argv: Sequence[str],
    *,
    columns: int,
    env: Mapping[str, str],
    cwd: str,
    limit_s: float = 120,
    press_after: tuple[str, bytes] | None = None,
) -> Screen:
    """Run a program on a terminal of its own.

    Args:
        press_after: keys that are pressed once this text was seen; the seconds count from there.
    """
    start = time.monotonic()
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.chdir(cwd)
        os.execve(argv[0], list(argv), dict(env))
    seen = b""
    while time.monotonic() - start < limit_s:
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            part = os.read(fd, 65_536)
        except OSError:  # the program has closed its side
            break
        if not part:
            break
        seen += part
        if press_after and press_after[0].encode() in seen:
            os.write(fd, press_after[1])
            start, press_after = time.monotonic(), None
    else:
        os.kill(pid, 9)
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return Screen(seen.decode(errors="replace"), os.waitstatus_to_exitcode(status), time.monotonic() - start)  # fmt: skip
