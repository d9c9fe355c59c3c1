"""Offering: the function as offered to models, without side options that would prevent a true "read-only".

`git log` only reads, but `--output` writes a file and `--ext-diff` runs a program. A function without these two
is read-only; one with them is not. Only *side options* are left out – options that write a file or run a program from
their value – and only if the rest is then read-only. Options that remove, change or cost something by purpose
(`find -delete`, `git branch -D`, `date --set`) stay, and the claim covers them. Pure.
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
    """The function without side options; a call of the result rejects them like any unknown parameter."""
    claim = function_claim(function)
    if not claim.raisers or not only_reads(claim.base) or claim.only_reads:
        return function
    excluded = _side_options(claim)
    parameters = {
        key: item
        for key, item in function.parameters.items()
        if not (isinstance(item, Option) and excluded.intersection(item.flags))
    }
    narrow = function.replace(parameters=parameters)
    return narrow if function_claim(narrow).only_reads else function


def offered_table(table: Mapping[str, Function]) -> dict[str, Function]:
    """Every function of a table as it is offered."""
    return {name: offered(function) for name, function in table.items()}


def _side_options(claim: Claim) -> set[str]:
    flags: set[str] = set()
    for raiser in claim.raisers:
        alone = Claim(base=claim.base, ceiling=raiser.effects)
        if not alone.only_reads and _is_side_effect(raiser.effects):
            flags.update(raiser.flags)
    return flags


def _is_side_effect(effects: Effects) -> bool:
    """Whether an option certainly loses, changes, costs and sends nothing."""
    lists = effects.creates or effects.modifies or effects.deletes
    lost = effects.destructive or effects.filesystem.delete or effects.reversible is False
    return not (lists or lost or effects.network or effects.cost.billable)
