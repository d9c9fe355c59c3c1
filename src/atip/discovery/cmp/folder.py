"""Writing a CMP tool folder: whole or not at all, and never over something that is not ours to replace."""

from __future__ import annotations

import json
import os
from typing import Any

from atip.errors import AtipError
from atip.model.text.names import why_unsafe
from atip.system.files import make_private, write_atomic


def write_folder(
    place: str,
    name: str,
    documents: dict[str, Any],
    *,
    program: str | None = None,
    replace: bool = False,
) -> str:
    """Write `<place>/<name>/cmp/*.json`; returns the folder.

    Args:
        program: executable that `bin/` links to, by its own name.
        replace: overwrite the documents of a tool that is already there.

    Raises:
        AtipError: `cmp.exists`, `cmp.unsafe-name`, `file.unwritable`.
    """
    reason = why_unsafe(name)
    if reason:
        raise AtipError("cmp.unsafe-name", f"`{name[:80]}` cannot be a folder: {reason}")
    folder = os.path.join(place, name)
    if os.path.lexists(folder) and not replace:
        raise AtipError(
            "cmp.exists", f"`{folder}` already exists", hint="--force replaces its documents"
        )
    # SECURITY: a link in place of the folder would let us write somewhere else.
    if os.path.islink(folder):
        raise AtipError("cmp.exists", f"`{folder}` is a symbolic link; its target is not changed")
    holder = os.path.join(folder, "cmp")
    make_private(holder)
    for key in (
        "capability",
        "examples",
        "manifest",
    ):  # the manifest last: it makes the tool visible
        if key in documents:
            text = json.dumps(documents[key], ensure_ascii=False, indent=2) + "\n"
            write_atomic(os.path.join(holder, f"{key}.json"), text.encode(), mode=0o644)
    if program is not None:
        _link(os.path.join(folder, "bin"), program)
    return folder


def _link(folder: str, program: str) -> None:
    make_private(folder)
    path = os.path.join(folder, os.path.basename(program))
    if os.path.islink(path):
        os.unlink(path)
    elif os.path.lexists(path):
        raise AtipError("cmp.exists", f"`{path}` already exists")
    os.symlink(program, path)
