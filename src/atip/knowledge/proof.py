"""Observations of our own proof run on the tools in the pack: data written by `make prove`, read on first use.

`proof.json`: {"tools": N, "facts": N, …, "observed": {"cp": {"digest": …, "version": …, "subjects": {"--force": ["rw", "--force a b"]}}}};
one letter per fact (`LETTERS`), the command line without the tool's name.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.model.reading.plain_json import loads

if TYPE_CHECKING:
    from collections.abc import Iterator

LETTERS = {
    "r": "filesystem.read",
    "w": "filesystem.write",
    "d": "filesystem.delete",
    "n": "network",
    "s": "subprocess",
    "t": "interactive.tty",
    "p": "changes.process",
    "m": "changes.mount",
    "x": "destructive",
}
_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "proof.json")
_SUMMARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "proof-summary.json")


def load_proof() -> dict[str, Any]:
    """The whole document; empty before the first proof run."""
    return _load(_PATH)


def summary() -> dict[str, Any]:
    """The numbers alone: a small file, for display."""
    return _load(_SUMMARY)


def rows_of(name: str) -> Iterator[tuple[str, str, str, str, str]]:
    """(subject, fact, command line, version, digest) for every fact of a tool that was observed."""
    one = load_proof().get("observed", {}).get(name)
    if not one:
        return
    for subject, (letters, line) in one["subjects"].items():
        for letter in letters:
            command = f"{name} {subject}".strip()
            yield command, LETTERS[letter], f"{name} {line}".strip(), one["version"], one["digest"]


def _load(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            document = loads(file.read().decode())
    except OSError:
        return {}
    return document if isinstance(document, dict) else {}
