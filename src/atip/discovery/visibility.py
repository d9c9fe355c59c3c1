"""Paths that a sandbox must show for programs to start: no more than they need, never a whole home."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.discovery.files.stubs import head_of, needed_paths, parse_stub

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.discovery.files.executables import Executable
    from atip.discovery.files.stubs import Stub

_LIBRARIES = ("lib", "lib64", "libexec")
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib", "/opt/")


def visible_paths(
    programs: Sequence[Executable], stubs: Mapping[str, Stub] | None = None
) -> list[str]:
    """Folders of these programs, the libraries beside them, and what their stubs (if known) start.

    # SECURITY: never the whole prefix: below `~/.local` lie keyrings and our own store.
    """
    visible: set[str] = set()
    for program in programs:
        if program.real_path.startswith(_SYSTEM) and program.path.startswith(_SYSTEM):
            continue  # the system is always visible
        for path in (program.path, program.real_path):
            folder = os.path.dirname(path)
            if folder not in visible:
                visible.add(folder)
                prefix = os.path.dirname(folder)
                libraries = (os.path.join(prefix, name) for name in _LIBRARIES)
                visible.update(path for path in libraries if os.path.isdir(path))
        stub = (stubs or {}).get(program.path)
        if stub is None:
            stub = parse_stub(program.real_path, head_of(program.real_path))
        visible.update(needed_paths(program.real_path, stub))
    return sorted(visible)
