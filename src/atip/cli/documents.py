"""Read documents from the command line: files, directories, globs, `-` for standard input."""

from __future__ import annotations

import glob
import os
import sys

from atip.errors import NotFoundError, UsageError
from atip.model.reading.reader import STORE, read_json
from atip.model.reading.yaml_reader import read_yaml
from atip.system.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STDIN = "-"
_SUFFIXES = (".json", ".yaml", ".yml")
MAX_BYTES = 64_000_000
"""Bounds memory only: a document above its own, lower limit still gets a proper finding."""


def _refuse_program(name: str) -> None:
    """Refuse a program where its metadata is expected. It is not started: that needs a sandbox."""
    if not (os.path.isfile(name) and os.access(name, os.R_OK | os.X_OK)):
        return
    with open(name, "rb") as file:
        if not file.read(4).startswith((b"#!", b"\x7fELF")):
            return
    raise UsageError(
        "document.program",
        f"`{name}` is a program, not a document",
        hint=f"check what it prints: {name} --agent | atip lint -",
    )


def expand(names: Sequence[str]) -> list[str]:
    """Expand names to files: walks directories, expands globs, keeps the order.

    Raises:
        NotFoundError: `file.not-found` when a name matches nothing.
        UsageError: `document.program` for a program instead of its metadata.
    """
    files: list[str] = []
    for name in names or [STDIN]:
        if name == STDIN:
            files.append(name)
        elif os.path.isdir(name):
            files.extend(_walk(name))
        elif os.path.exists(name):
            _refuse_program(name)
            files.append(name)
        else:
            matches = sorted(glob.glob(name, recursive=True))
            if not matches:
                raise NotFoundError("file.not-found", f"no file `{name}`", hint="check the path")
            files.extend(match for match in matches if os.path.isfile(match))
    return files


def _walk(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            if file.endswith(_SUFFIXES):
                yield os.path.join(parent, file)


def load_bytes(name: str) -> bytes:
    """The bytes of a file or of standard input."""
    if name == STDIN:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    return read_bytes(name, MAX_BYTES)


def parse(name: str, data: bytes, *, is_store: bool = False) -> object:
    """Bytes → values by the strict readers; YAML by suffix."""
    if name.endswith((".yaml", ".yml")):
        return read_yaml(data)
    return read_json(data, STORE) if is_store else read_json(data)


def tool_folder(name: str) -> str:
    """The folder of a CMP tool that a document of its `cmp/` or `.cmp/` belongs to; empty elsewhere (C3, C12)."""
    parent = os.path.dirname(os.path.abspath(name))
    if name == STDIN or os.path.basename(parent) not in ("cmp", ".cmp"):
        return ""
    return os.path.basename(os.path.dirname(parent))
