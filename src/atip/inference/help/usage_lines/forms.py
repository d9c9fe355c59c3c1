"""Forms: several usage lines of one command as one list of positionals.

The first form that has positionals gives their names. Another form may only lengthen the list: what it calls the
same place by another name (`SOURCE DEST`, then `SOURCE... DIRECTORY`) is the same positional, not one more. A positional
is required if every form has something at its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.inference.help.usage_lines.usage_facts import UsageArgument


class Form:
    """Positionals of one usage line, as they stand."""

    def __init__(self, arguments: Sequence[UsageArgument], *, only_options: bool = False) -> None:
        """
        Args:
            only_options: `nohup OPTION`: the form for `--help` and `--version`, which says nothing of positionals.
        """
        self.arguments = list(arguments)
        self.only_options = only_options


def merge_forms(
    forms: Sequence[Form], key_of: Callable[[UsageArgument], str]
) -> list[UsageArgument]:
    """The positionals of all forms together; the arguments are changed in place.

    Args:
        key_of: what two names of one positional have in common.
    """
    for form in forms:
        form.arguments = list({key_of(one): one for one in reversed(form.arguments)}.values())[::-1]
    counting = [form for form in forms if not form.only_options or form.arguments]
    merged: list[UsageArgument] = []
    for form in counting:
        merged = _extend(merged, form.arguments, key_of)
    keys = {key_of(one) for one in merged}
    for place, argument in enumerate(merged):
        for form in counting:
            same = [one for one in form.arguments if key_of(one) == key_of(argument)]
            stands_in = form.arguments[place : place + 1]
            there = same or [one for one in stands_in if key_of(one) not in keys]
            argument.required = argument.required and any(one.required for one in there)
            argument.variadic = argument.variadic or any(one.variadic for one in same)
    return merged


def _extend(
    merged: list[UsageArgument],
    more: Sequence[UsageArgument],
    key_of: Callable[[UsageArgument], str],
) -> list[UsageArgument]:
    keys = {key_of(one) for one in merged}
    if keys <= {key_of(one) for one in more}:
        by_key = {key_of(one): one for one in merged}
        return [by_key.get(key_of(one), one) for one in more]
    rest = [one for one in more[len(merged) :] if key_of(one) not in keys]
    return [*merged, *rest]
