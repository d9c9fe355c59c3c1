"""Provider budget: choose the compilation that fits into a number of tokens or functions.

Tries the richest first: whole descriptions, short ones, groups with an `action`, coarser groups, no descriptions
of parameters; then leaves commands out, last ones first, and lists each with the command that compiles it. Decides by
counting what would be sent, never by guessing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.codecs.providers.compiled import CompiledTools, OmittedCommand, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.calls.functions import Function

    Attempt = Callable[[Mapping[str, Function], int | None, int], CompiledTools]
    Count = Callable[[str], int]

_STEPS: tuple[tuple[int | None, int], ...] = (
    # level of grouping (None: one function per command, -1: by parent, N: by N words), brevity
    (None, 0),
    (None, 60),
    (-1, 0),
    (-1, 60),
    (1, 60),
    (0, 60),
    (1, -1),
    (0, -1),
)


def choose(
    attempt: Attempt,
    table: Mapping[str, Function],
    max_tokens: int | None,
    max_functions: int | None,
    count: Count,
    strategy: str,
) -> CompiledTools:
    """The richest compilation that fits; if none does, one with part of the commands."""
    steps = [
        step
        for step in _STEPS
        if strategy == "auto" or (step[0] is None) == (strategy == "discrete")
    ]
    last = None
    for grouping, brief in steps:
        compiled = attempt(table, grouping, brief)
        if _fits(compiled, max_tokens, max_functions, count):
            return compiled
        last = (grouping, brief)
    assert last is not None, "every strategy has steps"
    return _part(attempt, table, last, max_tokens, max_functions, count)


def _fits(
    compiled: CompiledTools, max_tokens: int | None, max_functions: int | None, count: Count
) -> bool:
    if max_functions is not None and len(compiled.declarations) > max_functions:
        return False
    if max_tokens is None:
        return True
    total = 0
    for declaration in compiled.declarations:
        total += tokens_of(declaration, count)
        if total > max_tokens:
            return False
    return True


def _part(
    attempt: Attempt,
    table: Mapping[str, Function],
    step: tuple[int | None, int],
    max_tokens: int | None,
    max_functions: int | None,
    count: Count,
) -> CompiledTools:
    """Find the largest number of commands that fits, by binary search: about log n attempts."""
    names = list(table)
    low, high = 0, len(names)
    best = attempt({}, *step)
    while low < high:
        middle = (low + high + 1) // 2
        compiled = attempt({name: table[name] for name in names[:middle]}, *step)
        if _fits(compiled, max_tokens, max_functions, count):
            low, best = middle, compiled
        else:
            high = middle - 1
    remaining = [table[name] for name in names[low:]]
    return best.replace(left_out=tuple(_to_left_out(function) for function in remaining))


def _to_left_out(function: Function) -> OmittedCommand:
    path = " ".join(function.path)
    selection = f" --commands '{path}'" if path else ""
    return OmittedCommand(line=function.line, how=f"atip compile {function.tool.name}{selection}")
