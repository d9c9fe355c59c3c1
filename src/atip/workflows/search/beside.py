"""The search index, built beside a long scan by a process of its own: on another processor, from what the scan has stored so far.

    python -m atip.workflows.search.beside 8     # the first round after 8 s; until its standard input is closed

A scan needs a processor for itself, and the index of a whole machine takes half a minute. Tools that are stored after the last round
are left to the scan.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

from atip.errors import AtipError
from atip.system.clock import monotonic
from atip.system.programs.beside import is_to_end, running_beside

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

MODULE = "atip.workflows.search.beside"
FIRST_S = 8.0
"""The most used tools are learned by then: search is useful from here on."""
PAUSE_S = 15.0
"""Between two rounds: each adds a segment, and many segments have to be merged."""


def indexing_beside(first_s: float = FIRST_S) -> AbstractContextManager[int]:
    """Build the index of the tools of this environment in another process, while the block runs; gives its process id."""
    return running_beside(MODULE, str(first_s))


def main(first_s: float) -> None:
    """Rounds of building until the scan ends; a round that fails is the scan's to repeat and to report."""
    from atip.system.paths import find_places
    from atip.workflows.host import Host
    from atip.workflows.search.sources import Sources

    host = Host(find_places(), offline=True)
    pause = first_s
    while not is_to_end(pause):
        began = monotonic()
        with contextlib.suppress(AtipError, OSError):
            Sources(host).index().close()
        pause = max(PAUSE_S, monotonic() - began)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(float(sys.argv[1]))
