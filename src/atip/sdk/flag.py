"""The flag itself: `agent(program, …)` makes an argparse, click or typer program answer `--agent`.

Until `--agent` stands on the command line nothing is described and nothing else changes: no further
abbreviation becomes ambiguous, no parser is replaced. The question is looked for before required
arguments are checked. The answer is JSON in UTF-8 on stdout and exit status 0; the program's own code
after the parser does not run. Implements ATIP 0.6 §3.1 and §3.1.1.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeVar

    P = TypeVar("P")
    Document = dict[str, Any]


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
    from .attach import attach_to
    from .declare import checked
    from .facts import Facts

    table = {path: checked(facts) for path, facts in (effects or {}).items()}
    root = {"authentication": authentication, "patterns": patterns, **fields}
    facts = Facts(version, name, table, env or {}, examples or (), root)
    attach_to(program, facts)
    return program


def describe(program: Any, **facts: Any) -> Document:
    """The whole document, for an author's own tests; the keywords are those of `agent`."""
    from .facts import Facts

    remaining = dict(facts)
    five = [remaining.pop(key, None) for key in ("version", "name", "effects", "env", "examples")]
    version, name, effects, env, examples = five
    return Facts(version, name, effects or {}, env or {}, examples or (), remaining).describe(
        program
    )
