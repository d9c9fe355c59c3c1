"""Facts from the author that the parser does not hold, and the document made of both.

The answer is JSON in UTF-8 on stdout and exit status 0. Implements ATIP 0.6 §3.1.
"""

from __future__ import annotations

import os
import sys

from .kinds import click_command, is_argparse
from .question import parse_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

    Document = dict[str, Any]


class Facts:
    """Facts from the author that the parser does not hold."""

    def __init__(
        self,
        version: str | None,
        name: str | None,
        effects: Mapping[str, Any],
        env: Mapping[str, str],
        examples: Sequence[str] | Mapping[str, Sequence[str]],
        root: Mapping[str, Any],
    ) -> None:
        self.version = version
        self.name = name
        self.effects = effects
        self.env = env
        self.examples = examples
        self.root = {key: value for key, value in root.items() if value is not None}

    def describe(self, program: Any) -> Document:
        """The whole document of a program of any known kind."""
        if is_argparse(program):
            from .describe import describe_argparse, version_of

            prog = program.prog.split()[0] if program.prog.split() else ""
            unnamed = prog in ("", "__main__.py") or prog.startswith("python")
            name = self.name or (program_name() if unnamed else prog)
            version = self.version or version_of(program) or installed_version(name)
            make: Any = describe_argparse
        else:
            from .describe_click import describe_click

            program = click_command(program)
            name = self.name or program_name()
            version = self.version or installed_version(name)
            make = describe_click
        document: Document = make(
            program, version=version, name=name, effects=self.effects, env=self.env, **self.root
        )
        return _with_examples(document, self.examples)

    def answer(self, program: Any, words: Sequence[str]) -> NoReturn:
        """Print the document, or the part that `words` ask for, and end the process."""
        from .partial import part_of

        try:
            commands, depth = parse_request(words)
            document = part_of(self.describe(program), commands, depth)
        except ValueError as error:
            print(f"{program_name()}: {error}", file=sys.stderr)
            raise SystemExit(2) from error
        write(document)
        raise SystemExit(0)


def write(document: Document) -> None:
    """JSON in UTF-8, whatever the locale; indented for a person at a terminal."""
    import json

    spaced = sys.stdout.isatty()
    text = json.dumps(
        document,
        ensure_ascii=False,
        indent=2 if spaced else None,
        separators=None if spaced else (",", ":"),
    )
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        sys.stdout.write(text + "\n")
    else:
        sys.stdout.flush()
        raw.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.flush()


def program_name() -> str:
    """The name of the executable; for `python -m package` that of the package."""
    path = sys.argv[0] if sys.argv and sys.argv[0] not in ("", "-c") else "program"
    name = os.path.basename(path)
    if name == "__main__.py":
        name = os.path.basename(os.path.dirname(os.path.abspath(path)))
    name = name[:-4] if name.endswith(".exe") else name
    return name or "program"


def installed_version(name: str) -> str:
    """The version of the installed package of that name, else `0`."""
    from importlib import metadata

    try:
        return metadata.version(name)
    except (metadata.PackageNotFoundError, ValueError):
        return "0"


def _with_examples(document: Document, examples: Any) -> Document:
    if not isinstance(examples, dict):
        return {**document, "examples": list(examples)} if examples else document
    for path, lines in examples.items():
        place: Any = document
        for name in path.split():
            place = (place.get("commands") or {}).get(name)
            if place is None:
                raise ValueError(f"examples for a command that does not exist: {path}")
        place["examples"] = list(lines)
    return document
