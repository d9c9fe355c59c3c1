"""The command that is running now, for settings of other programs."""

from __future__ import annotations

import os
import shutil
import sys


def own_program() -> str:
    """By its absolute path: clients start programs with another PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "atip")
    return beside if os.access(beside, os.X_OK) else shutil.which("atip") or "atip"


def is_own_program(command: str) -> bool:
    """Whether a command, as another program's settings name it, starts this very program; a path inside of a folder proves nothing."""
    program = (
        command if os.path.isabs(command) else shutil.which(command) if "/" not in command else None
    )
    return program is not None and os.path.realpath(program) == os.path.realpath(own_program())
