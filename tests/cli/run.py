"""Run the command line as a person would: a process of its own, an empty home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing

if typing.TYPE_CHECKING:
    import pathlib


class Ran(typing.NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self):
        """The one JSON document on standard output."""
        return json.loads(self.out)


def atip(*words: str, home: pathlib.Path, stdin: str | bytes = b"", cwd=None, **env: str) -> Ran:
    """`atip WORDS…` below an empty home."""
    variables = {
        k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ATIP_", "NO_COLOR"))
    }
    variables.update({"HOME": str(home), "COLUMNS": "80", "ATIP_TRACEBACK": "", **env})
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, "-m", "atip.cli.main", *words],
        input=data,
        capture_output=True,
        env=variables,
        cwd=cwd or home,
        timeout=120,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
