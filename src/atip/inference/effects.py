"""Effects of a command line from knowledge and rules alone: `infer_effects("git push --force")`.

Knowledge first (exact, curated). For a tool or a command without a knowledge file the rules of
`effects_rules.py` judge verb, object, flags and, where there is one, the description. Runs nothing,
reads no shell syntax beyond quoting: one simple command. See docs/architecture.md.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from atip.calls.effects.engine import EffectsFinding, Reason, effects_of, program_name
from atip.calls.parse import parse
from atip.inference.effects_rules import infer_command_effects
from atip.knowledge.reading import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.calls.effects.engine import Lookup
    from atip.model.effects import Effects


def infer_effects(line: str | Sequence[str]) -> Effects:
    """Effects of one simple command; what cannot be known is unknown (`None`)."""
    return explain_effects(line).effects


def explain_effects(
    line: str | Sequence[str], *, description: str = "", lookup: Lookup = load
) -> EffectsFinding:
    """The same with reasons. `lookup` finds curated tools; `description` helps only the rules."""
    argv = _words(line)
    if not argv:
        return EffectsFinding(reasons=(Reason(subject="", says="not a command", evidence="rules"),))
    name = program_name(argv[0])
    tool = lookup(name) if name else None
    if tool is None:
        return infer_command_effects(name or argv[0], argv[1:], description)
    call = parse(tool, argv)
    finding = effects_of(tool, call, lookup=lookup)
    if not call.unknown_command:
        return finding
    guess = infer_command_effects(name, argv[1:], description)
    return guess.replace(reasons=finding.reasons + guess.reasons)


def _words(line: str | Sequence[str]) -> list[str]:
    if not isinstance(line, str):
        return list(line)
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()
