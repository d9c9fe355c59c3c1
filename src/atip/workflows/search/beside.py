"""The search index, built beside a long scan by a process of its own: on another processor, from what the scan has stored so far.

    python -m atip.workflows.search.beside     # builds until its standard input is closed

The scan needs a processor for itself; building the index of a whole machine takes half a minute. What is stored after the last round
is left to the scan. The process ends with the scan, however that ends: its input is a pipe that nobody else holds.
"""

from __future__ import annotations

import contextlib
import select
import sys
from typing import TYPE_CHECKING

from atip.errors import AtipError
from atip.system.clock import monotonic

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_S = 8.0
"""The most used tools are learned by then: search is useful from here on."""
PAUSE_S = 15.0
"""Between two rounds: each adds a segment, and many segments have to be merged."""
END_S = 60.0


@contextlib.contextmanager
def indexing_beside(first_s: float = FIRST_S) -> Iterator[int]:
    """Build the index of the tools of this environment in another process, while the block runs; yields its id."""
    import subprocess

    command = [sys.executable, "-m", __name__, str(first_s)]
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


def main(first_s: float) -> None:
    """Rounds of building until the scan ends; a round that fails is the scan's to repeat and to report."""
    from atip.toolbox import Toolbox

    toolbox = Toolbox(offline=True)
    pause = first_s
    while not select.select([sys.stdin], [], [], pause)[0]:
        began = monotonic()
        with contextlib.suppress(AtipError, OSError):
            toolbox.build_search_index()
        pause = max(PAUSE_S, monotonic() - began)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(float(sys.argv[1]))
