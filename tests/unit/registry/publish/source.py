"""A folder of contributions for tests: a few shims, keys in a folder of their own, builds at a fixed time."""

from __future__ import annotations

import hashlib
import json

from atip.registry.publish.build import BuildOrder, build
from atip.registry.publish.check import CheckOrder, check_tree

RELEASE = 1_768_435_200.0
"""2026-01-15T00:00:00Z"""
DAY = 86400.0


def digits_of(binary):
    return hashlib.sha256(binary if isinstance(binary, bytes) else binary.encode()).hexdigest()


def shim_of(content, /, **changes):
    """A valid shim; `changes` replace top-level fields, None removes one."""
    document = {
        "atip": {"version": "0.6"},
        "binary": {
            "hash": f"sha256:{digits_of(content)}",
            "name": "tool",
            "version": "1.0",
            "platform": "linux-amd64",
        },
        "trust": {"source": "community", "verified": False},
        "description": "A tool",
        "commands": {
            "get": {
                "description": "Get it",
                "effects": {"network": True, "destructive": False},
                "options": [{"name": "to", "flags": ["--to"], "type": "file", "description": "x"}],
            },
            "drop": {"description": "Drop it", "effects": {"destructive": True}},
        },
        "patterns": [
            {
                "name": "p",
                "description": "d",
                "steps": [{"command": "tool get", "description": "x"}],
            }
        ],
    }
    document.update(changes)
    return {key: value for key, value in document.items() if value is not None}


class Source:
    """`publisher.json`, `shims/` and what comes of them."""

    def __init__(self, folder, **settings):
        self.folder = folder / "source"
        self.public = self.folder / "public"
        self.keys = folder / "keys"
        (self.folder / "shims").mkdir(parents=True)
        self.settings = {"name": "Test", "url": "https://registry.example", **settings}
        self.write("publisher.json", self.settings)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def add(self, content="a", /, folder="", **changes):
        """Write the shim of a binary; returns its file."""
        name = f"shims/{folder}{digits_of(content)}.json"
        return self.write(name, shim_of(content, **changes))

    def published(self, binary="a"):
        return self.public / "shims" / "sha256" / f"{digits_of(binary)}.json"

    def order(self, *, at=RELEASE, place=None, keys=True, judge=True):
        return BuildOrder(
            folder=str(self.folder),
            place=str(place or self.public),
            at=at,
            keys=str(self.keys) if keys else None,
            judge=judge,
        )

    def build(self, **order):
        return build(self.order(**order))

    def check(self, *, at=RELEASE + DAY, place=None, **order):
        return check_tree(CheckOrder(place=str(place or self.public), at=at, **order))

    def codes(self, **order):
        """What a check finds, warnings apart."""
        report = self.check(**order)
        return sorted({problem.code for problem in report.problems if problem.severity == "error"})


def snapshot(folder):
    """Every file of a tree with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
