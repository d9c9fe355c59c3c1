"""The flag itself: `agent(program, …)` makes an argparse, click or typer program answer `--agent`.

Until `--agent` stands on the command line nothing is described and nothing else changes: no further
abbreviation becomes ambiguous, no parser is replaced. The question is looked for before required
arguments are checked. The answer is JSON in UTF-8 on stdout and exit status 0; the program's own code
after the parser does not run. Implements ATIP 0.6 §3.1 and §3.1.1.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn, TypeVar

    P = TypeVar("P")
    Document = dict[str, Any]

FLAG = "--agent"
HELP = "print what this program can do as JSON for AI agents (ATIP) and exit"
USAGE = "usage: --agent [--commands=NAME,…] [--depth=N]"


def agent(
    program: P,
    *,
    version: str | None = None,
    name: str | None = None,
    effects: Mapping[str, Mapping[str, Any]] | None = None,
    env: Mapping[str, str] | None = None,
    authentication: Mapping[str, Any] | None = None,
    patterns: Sequence[Mapping[str, Any]] | None = None,
    examples: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    **fields: Any,
) -> P:
    """Make `program` answer `--agent`; returns it.

    Args:
        program: an `argparse.ArgumentParser`, a click command or group, or a typer app. Call this
            before it parses; commands may still be added afterwards.
        version: the tool's version; by default what `--version` or the installed package says.
        name: the command's name; by default that of the executable.
        effects: command path (`"remote add"`; `""` is the tool itself) → effects, on top of what
            `@effects` declares. Key `flags` inside: effects that single flags add.
        env: flag → environment variable that sets it.
        authentication, patterns: as in ATIP 0.6 §3.8 and §3.9.
        examples: command lines, for the tool or by command path.
        fields: further root fields, such as `homepage`.

    Raises:
        TypeError: for a program of another kind, or an effect that ATIP does not have.
        ValueError: when the program has an option `--agent` already.
    """
    from atip.sdk.declare import checked

    table = {path: checked(facts) for path, facts in (effects or {}).items()}
    root = {"authentication": authentication, "patterns": patterns, **fields}
    facts = Facts(version, name, table, env or {}, examples or (), root)
    attach_to(program, facts)
    return program


def describe(program: Any, **facts: Any) -> Document:
    """The whole document, for an author's own tests; the keywords are those of `agent`."""
    given = dict(facts)
    five = [given.pop(key, None) for key in ("version", "name", "effects", "env", "examples")]
    version, name, effects, env, examples = five
    return Facts(version, name, effects or {}, env or {}, examples or (), given).describe(program)


class Facts:
    """What the author said beyond what the parser knows."""

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
        from atip.sdk import attach

        if attach.is_argparse(program):
            from atip.sdk.describe import describe_argparse, version_of

            prog = program.prog.split()[0] if program.prog.split() else ""
            unnamed = prog in ("", "__main__.py") or prog.startswith("python")
            name = self.name or (program_name() if unnamed else prog)
            version = self.version or version_of(program) or installed_version(name)
            make: Any = describe_argparse
        else:
            from atip.sdk.describe_click import describe_click

            program = attach.click_command(program)
            name = self.name or program_name()
            version = self.version or installed_version(name)
            make = describe_click
        document: Document = make(
            program, version=version, name=name, effects=self.effects, env=self.env, **self.root
        )
        return _with_examples(document, self.examples)

    def answer(self, program: Any, words: Sequence[str]) -> NoReturn:
        """Print the document, or the part that `words` ask for, and end the process."""
        from atip.sdk.partial import part_of

        try:
            commands, depth = parse_request(words)
            document = part_of(self.describe(program), commands, depth)
        except ValueError as error:
            print(f"{program_name()}: {error}", file=sys.stderr)
            raise SystemExit(2) from error
        write(document)
        raise SystemExit(0)


def attach_to(program: Any, facts: Facts) -> None:
    """Hook the flag into a program of any known kind."""
    from atip.sdk import attach

    if attach.is_argparse(program):
        attach.to_argparse(program, facts)
    elif attach.is_click(program):
        attach.to_click(program, facts)
    elif attach.is_typer(program):
        attach.to_typer(program, facts)
    else:
        raise TypeError(
            f"agent() takes an ArgumentParser, a click command or a typer app, not {program!r}"
        )


def question(words: Sequence[str]) -> list[str] | None:
    """The words that belong to `--agent`, or None if the command line is not a question to us.

    Only options may stand before it: after a command's name it is that command's own affair.
    """
    if FLAG not in words:
        return None
    before: list[str] = []
    for position, word in enumerate(words):
        if word == FLAG:
            return [*before, *words[position + 1 :]]
        if word == "--" or not word.startswith("-"):
            return None
        if word.startswith(("--commands=", "--depth=")):
            before.append(word)
    return None


def parse_request(words: Sequence[str]) -> tuple[list[str], int | None]:
    """`--commands=a,b --depth 2` → what to show.

    Raises:
        ValueError: for anything else.
    """
    commands: list[str] = []
    depth: int | None = None
    rest = list(words)
    while rest:
        flag, equals, value = rest.pop(0).partition("=")
        if flag not in ("--commands", "--depth") or not (equals or rest):
            raise ValueError(f"`{flag[:40]}` is not understood with --agent; {USAGE}")
        value = value if equals else rest.pop(0)
        if flag == "--commands":
            commands.append(value)
        elif value.isascii() and value.isdigit() and 0 < len(value) < 5 and int(value):
            depth = int(value)
        else:
            raise ValueError(f"--depth needs a number of 1 or more; {USAGE}")
    return commands, depth


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
    return name.removesuffix(".exe") or "program"


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
