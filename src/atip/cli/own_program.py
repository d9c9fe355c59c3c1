"""The command that is running now, for settings of other programs."""

from __future__ import annotations

import os
import shutil
import sys


def own_program() -> str:
    """By its absolute path: clients start programs with another PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "atip")
    return beside if os.access(beside, os.X_OK) else shutil.which("atip") or "atip"
