"""Every effect that a page claims or denies: when it happens, and which source says so. Pure."""

from __future__ import annotations

import functools
from itertools import compress
from typing import TYPE_CHECKING, Any

from atip.calls.functions import is_curated
from atip.model.text.visible_text import clean
from atip.pages.badges import DANGERS, WEIGHTY, dangers_of, verb_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.calls.effects.ceiling import EffectCause
    from atip.model.tool import Tool
    from atip.pages.badges import Dangers

    Row = dict[str, Any]

_MAX_NAMES = 6
NO_SOURCE = "no source"


def source_of(tool: Tool) -> str:
    """Source of a tool's effects, in words."""
    if is_curated(tool):
        return "curated knowledge"
    source = clean(tool.trust.source or "") if tool.trust else ""
    return f"published document ({source})" if source else "published document"


def effects_of_command(
    base: Dangers, ceiling: Dangers, raisers: Sequence[EffectCause], source: str
) -> list[Row]:
    """One row for each effect; `when` names the options that cause what the bare command does not do."""
    causes = tuple([(_cause(one.flags), dangers_of(one.effects)) for one in raisers])
    return _rows_of_command(base, ceiling, causes, source)


@functools.lru_cache(maxsize=4096)
def _rows_of_command(
    base: Dangers, ceiling: Dangers, raisers: tuple[tuple[str, Dangers], ...], source: str
) -> list[Row]:
    rows = []
    for place, (fact, label) in enumerate(DANGERS.items()):
        if base[place]:
            rows.append(_row(fact, "does", label, "always", source))
        elif ceiling[place]:
            causes = [cause for cause, dangers in raisers if dangers[place]]
            when = f"with {_names(causes)}" if causes else "with some option or argument"
            rows.append(_row(fact, "may", f"may {verb_of(label)}", when, source))
        elif fact in WEIGHTY:
            rows.append(_denied(fact, base[place], ceiling[place], source))
    return rows


def effects_of_tool(ceilings: Sequence[tuple[str, Dangers]], source: str) -> list[Row]:
    """The effects of a tool that has commands; `when` names the commands.

    Args:
        ceilings: each command by its name below the tool; the tool without a command has no name.
    """
    names = [name or "no command" for name, _ in ceilings]
    columns = zip(*[dangers for _, dangers in ceilings], strict=True)
    rows = []
    for (fact, label), column in zip(DANGERS.items(), columns, strict=True):
        doing = list(compress(names, column))
        unknown = []
        if fact in WEIGHTY and None in column:
            unknown = [name for name, danger in zip(names, column, strict=True) if danger is None]
        if doing:
            rows.append(_row(fact, "may", f"may {verb_of(label)}", _names(doing), source))
        if unknown:
            label = f"unknown whether it {label}"
            rows.append(_row(fact, "unknown", label, _names(unknown), NO_SOURCE))
        elif fact in WEIGHTY and not doing:
            rows.append(_row(fact, "safe", f"does not {verb_of(label)}", "never", source))
    return rows


def _denied(fact: str, base: bool | None, ceiling: bool | None, source: str) -> Row:
    """Row for a danger that is excluded or unknown; only weighty dangers have one."""
    label = DANGERS[fact]
    if ceiling is False:
        return _row(fact, "safe", f"does not {verb_of(label)}", "never", source)
    when = "with options or arguments that are not known" if base is False else "unknown"
    return _row(fact, "unknown", f"unknown whether it {label}", when, NO_SOURCE)


def _row(fact: str, state: str, label: str, when: str, evidence: str) -> Row:
    return {"fact": fact, "state": state, "label": label, "when": when, "evidence": evidence}


def _cause(flags: Sequence[str]) -> str:
    """The longest spelling of an option, as it says most."""
    return clean(max(flags, key=len)) if flags else "some option"


def _names(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    more = len(unique) - _MAX_NAMES
    return ", ".join(unique[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
