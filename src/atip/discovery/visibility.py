"""What a sandbox must show for programs to start: no more than they need, never a whole home."""

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
    found: Sequence[Executable], stubs: Mapping[str, Stub] | None = None
) -> list[str]:
    """Folders of these programs, the libraries beside them, and what their stubs (if known) start.

    # SECURITY: never the whole prefix: below `~/.local` lie keyrings and our own store.
    """
    shown: set[str] = set()
    for one in found:
        if one.real_path.startswith(_SYSTEM) and one.path.startswith(_SYSTEM):
            continue  # the system is always visible
        for path in (one.path, one.real_path):
            folder = os.path.dirname(path)
            if folder not in shown:
                shown.add(folder)
                prefix = os.path.dirname(folder)
                libraries = (os.path.join(prefix, name) for name in _LIBRARIES)
                shown.update(path for path in libraries if os.path.isdir(path))
        stub = (stubs or {}).get(one.path)
        if stub is None:
            stub = parse_stub(one.real_path, head_of(one.real_path))
        shown.update(needed_paths(one.real_path, stub))
    return sorted(shown)
