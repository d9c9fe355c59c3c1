"""What a Ruby gem says of its program: the script names the gem, and the gem's specification is read as text, never run."""

from __future__ import annotations

import glob
import os
import re
from typing import TYPE_CHECKING

from atip.discovery.summaries.text_files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SCRIPT = 8_000
_STARTS = re.compile(r"Gem\.activate_bin_path\('([\w.-]{1,80})', '([\w.-]{1,80})'")
_SUMMARY = re.compile(r"^\s*s\.summary = \"((?:[^\"\\\n]|\\.){1,300})\"", re.M)
_PROGRAMS = re.compile(r"^\s*s\.executables = \[([^\]\n]{1,2000})\]", re.M)
_NAME = re.compile(r"\"([\w.-]{1,80})\"")
FOLDERS = (
    "specifications",
    "lib/ruby/gems/*/specifications",
    "share/rubygems-integration/*/specifications",
)
"""Below the folder that has `bin`: of a gem home, of an interpreter, of Debian."""
OF_DEBIAN = "/var/lib/gems/*/specifications"


def gem_summary(script: str, path: str) -> str:
    """The summary of the gem of a script that RubyGems wrote; empty for any other, and for a gem of several programs.

    Args:
        script: the text of the file.
        path: where it is; the specification is looked for below the same prefix.
    """
    start = _STARTS.search(script[:MAX_SCRIPT])
    if start is None:
        return ""
    gem, program = start[1], start[2]
    for specification in _specifications(gem, os.path.dirname(os.path.dirname(path))):
        summary, programs = _SUMMARY.search(specification), _PROGRAMS.search(specification)
        names = _NAME.findall(programs[1]) if programs else []
        if summary is not None and (names == [program] or program == gem):
            return summary[1].replace('\\"', '"')
    return ""


def _specifications(gem: str, prefix: str) -> Iterator[str]:
    """Texts of the specifications of a gem, later versions first."""
    places = [os.path.join(glob.escape(prefix), folder) for folder in FOLDERS]
    for place in (*places, OF_DEBIAN):
        for path in sorted(glob.iglob(f"{place}/{glob.escape(gem)}-[0-9]*.gemspec"), reverse=True):
            yield read_text(path)
