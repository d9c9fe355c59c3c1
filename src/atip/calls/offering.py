"""Offering: the function as a projection offers it, narrowed where a side way would spoil an honest "read-only".

`git log` only reads, but `--output` writes a file and `--ext-diff` runs a program. A projection that refuses these two
may say "read-only"; one that offers them may not. Only *side ways* are left out – options that write a file or run a
program they are given – and only where the rest then only reads. What removes, changes or costs something by purpose
(`find -delete`, `git branch -D`, `date --set`) stays, and the claim says so. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.calls.effects.ceiling import Claim, function_claim
from atip.calls.effects.conflicts import only_reads
from atip.model.tool import Option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.calls.functions import Function
    from atip.model.effects import Effects


def offered(function: Function) -> Function:
    """The function without side ways; a call of the result refuses them like any unknown parameter."""
    claim = function_claim(function)
    if not claim.raisers or not only_reads(claim.base) or claim.only_reads:
        return function
    shut = _side_ways(claim)
    kept = {
        key: item
        for key, item in function.parameters.items()
        if not (isinstance(item, Option) and shut.intersection(item.flags))
    }
    narrow = function.replace(parameters=kept)
    return narrow if function_claim(narrow).only_reads else function


def offered_table(table: Mapping[str, Function]) -> dict[str, Function]:
    """Every function of a table as it is offered."""
    return {name: offered(function) for name, function in table.items()}


def _side_ways(claim: Claim) -> set[str]:
    found: set[str] = set()
    for raiser in claim.raisers:
        alone = Claim(base=claim.base, ceiling=raiser.effects)
        if not alone.only_reads and _is_side_way(raiser.effects):
            found.update(raiser.flags)
    return found


def _is_side_way(effects: Effects) -> bool:
    """Nothing is surely lost, changed or paid for, and nothing surely leaves the machine."""
    lists = effects.creates or effects.modifies or effects.deletes
    lost = effects.destructive or effects.filesystem.delete or effects.reversible is False
    return not (lists or lost or effects.network or effects.cost.billable)
