"""The module behind a console script of the old form, which names its distribution instead of the module."""

from __future__ import annotations

import glob
import os
import re
from typing import TYPE_CHECKING

from atip.discovery.summaries.text_files import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARK = re.compile(
    r"^# EASY-INSTALL-ENTRY-SCRIPT: '([\w.-]{1,100})==[^']{1,60}','console_scripts','([\w.+-]{1,100})'",
    re.M,
)


def entry_module(script: str, sites: Sequence[str]) -> str:
    """`libfuturize.main` for the script of `futurize`; empty when the script or its distribution does not tell."""
    mark = _MARK.search(script[:2_000])
    if mark is None:
        return ""
    distribution = re.sub(r"[-.]", "_", mark[1])
    row = re.compile(rf"^{re.escape(mark[2])}\s*=\s*([\w.]+)", re.M)
    for site in sites:
        # `future-0.18.2.egg-info` of Debian, `future-0.18.2.dist-info` of pip.
        for folder in glob.iglob(f"{glob.escape(site)}/{distribution}-*.*-info"):
            entry = row.search(read_text(os.path.join(folder, "entry_points.txt")))
            if entry is not None:
                return entry[1]
    return ""
