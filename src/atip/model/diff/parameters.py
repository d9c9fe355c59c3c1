"""Differences in arguments and options: names, order, types, values, flags, exclusivity.

Options are matched by name, then by a shared flag: a new name for the same flag breaks no command
line. Arguments are matched by name, and their order counts, because a shell knows only positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.diff.change import breaking, compatible, value_text
from atip.model.diff.effects import diff_effects
from atip.model.diff.root import diff_extra
from atip.model.view.partial import flag_effects

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.model.diff.change import Change, Parts
    from atip.model.tool import Argument, Option

    Parameter = Argument | Option

_WIDER = {
    "enum": {"string"},
    "integer": {"number", "string"},
    "number": {"string"},
    "file": {"string"},
    "directory": {"string"},
    "url": {"string"},
    "string": {"array"},
}
"""Types whose every value the named types accept on a command line."""


def diff_arguments(
    old: Sequence[Argument], new: Sequence[Argument], path: Parts
) -> Iterator[Change]:
    """Positionals of one command."""
    before = {argument.name: argument for argument in old}
    after = {argument.name: argument for argument in new}
    for name, argument in before.items():
        if name not in after:
            yield breaking(
                "argument-removed", (*path, name), f"argument `{name}` was removed", argument
            )
    for name, argument in after.items():
        if name not in before:
            yield _argument_added(argument, (*path, name))
    yield from _order(list(before), list(after), path)
    for name, argument in before.items():
        if name in after:
            yield from _parameter(argument, after[name], (*path, name), "argument")


def _argument_added(argument: Argument, path: Parts) -> Change:
    name = argument.name
    if argument.is_required:
        return breaking(
            "required-argument-added", path, f"required argument `{name}` was added", new=argument
        )
    return compatible(
        "optional-argument-added", path, f"optional argument `{name}` was added", new=argument
    )


def _order(before: list[str], after: list[str], path: Parts) -> Iterator[Change]:
    """A position that now means something else breaks calls even when every name is still there."""
    old_names, new_names = set(before), set(after)
    shared_before = [name for name in before if name in new_names]
    shared_after = [name for name in after if name in old_names]
    first_new = next((i for i, name in enumerate(after) if name not in old_names), len(after))
    shifted = any(name in old_names for name in after[first_new:])
    if shared_before != shared_after or shifted:
        yield breaking(
            "argument-order-changed",
            path,
            f"order of arguments changed from {value_text(before)} to {value_text(after)}",
            tuple(before),
            tuple(after),
        )


def diff_options(old: Sequence[Option], new: Sequence[Option], path: Parts) -> Iterator[Change]:
    """Options of one command, or the global ones."""
    pairs, removed, added = _match(old, new)
    for option in removed:
        name = option.name
        yield breaking("option-removed", (*path, name), f"option `{name}` was removed", option)
    for option in added:
        yield _option_added(option, (*path, option.name))
    for before, after in pairs:
        where = (*path, before.name)
        if before.name != after.name:
            shared = next(flag for flag in before.flags if flag in after.flags)
            yield compatible(
                "option-renamed",
                where,
                f"option `{before.name}` is now called `{after.name}`; `{shared}` still works",
                before.name,
                after.name,
            )
        yield from _option(before, after, where)


def _match(
    old: Sequence[Option], new: Sequence[Option]
) -> tuple[list[tuple[Option, Option]], list[Option], list[Option]]:
    by_name = {option.name: option for option in new}
    old_names = {option.name for option in old}
    by_flag = {
        flag: option for option in new if option.name not in old_names for flag in option.flags
    }
    pairs: list[tuple[Option, Option]] = []
    removed = []
    taken: set[str] = set()
    for option in old:
        partner = by_name.get(option.name)
        if partner is None:
            partner = next((by_flag[flag] for flag in option.flags if flag in by_flag), None)
        if partner is None or partner.name in taken:
            removed.append(option)
            continue
        taken.add(partner.name)
        pairs.append((option, partner))
    return pairs, removed, [option for option in new if option.name not in taken]


def _option_added(option: Option, path: Parts) -> Change:
    name = option.name
    if option.is_required:
        return breaking(
            "required-option-added", path, f"required option `{name}` was added", new=option
        )
    return compatible("optional-option-added", path, f"option `{name}` was added", new=option)


def _option(old: Option, new: Option, path: Parts) -> Iterator[Change]:
    name = old.name
    removed = tuple(flag for flag in old.flags if flag not in new.flags)
    added = tuple(flag for flag in new.flags if flag not in old.flags)
    if removed:
        yield breaking(
            "option-flags-changed",
            (*path, "flags"),
            f"option `{name}` lost {value_text(removed)}",
            removed,
            new.flags,
        )
    if added:
        yield compatible(
            "option-flags-added",
            (*path, "flags"),
            f"option `{name}` gained {value_text(added)}",
            new=added,
        )
    yield from _exclusive(old, new, path)
    if old.env_var != new.env_var:
        text = f"environment variable changed from {value_text(old.env_var)} to {value_text(new.env_var)}"
        where = (*path, "envVar")
        if old.env_var:
            yield breaking("env-var-changed", where, text, old.env_var, new.env_var)
        else:
            yield compatible("env-var-added", where, text, new=new.env_var)
    yield from diff_effects(flag_effects(old), flag_effects(new), (*path, "x-atip", "effects"))
    yield from diff_status(old, new, path, f"option `{name}`")
    yield from _parameter(old, new, path, "option")


def _exclusive(old: Option, new: Option, path: Parts) -> Iterator[Change]:
    before, after = set(old.exclusive or ()), set(new.exclusive or ())
    where = (*path, "exclusive")
    if after - before:
        names = tuple(sorted(after - before))
        text = f"option `{old.name}` can no longer be given together with {value_text(names)}"
        yield breaking("exclusivity-added", where, text, new=names)
    if before - after:
        names = tuple(sorted(before - after))
        text = f"option `{old.name}` may now be given together with {value_text(names)}"
        yield compatible("exclusivity-removed", where, text, names)


def diff_status(old: Any, new: Any, path: Parts, what: str) -> Iterator[Change]:
    """`deprecated` and `hidden` of a command or an option."""
    if (old.deprecated or False) != (new.deprecated or False):
        word = "is deprecated now" if new.deprecated else "is no longer deprecated"
        yield compatible(
            "deprecated-changed",
            (*path, "deprecated"),
            f"{what} {word}",
            old.deprecated,
            new.deprecated,
        )
    if bool(old.hidden) != bool(new.hidden):
        word = "hidden" if new.hidden else "shown"
        yield compatible(
            "hidden-changed",
            (*path, "hidden"),
            f"{what} is {word} now",
            old.hidden,
            new.hidden,
            bump="patch",
        )


def _parameter(old: Parameter, new: Parameter, path: Parts, what: str) -> Iterator[Change]:
    """Comparison shared by arguments and options."""
    name = old.name
    if old.is_required != new.is_required:
        make = breaking if new.is_required else compatible
        word = "required" if new.is_required else "optional"
        yield make(
            f"{what}-made-{word}",
            (*path, "required"),
            f"{what} `{name}` is {word} now",
            old.is_required,
            new.is_required,
        )
    if old.type != new.type:
        yield _type_changed(old.type, new.type, (*path, "type"))
    if bool(old.variadic) != bool(new.variadic):
        make = compatible if new.variadic else breaking
        word = "variadic" if new.variadic else "single"
        yield make(
            f"{what}-made-{word}",
            (*path, "variadic"),
            f"{what} `{name}` takes {'several values' if new.variadic else 'one value only'} now",
            bool(old.variadic),
            bool(new.variadic),
        )
    yield from _enum(old.enum, new.enum, (*path, "enum"))
    yield from _constraints(old, new, path)
    if old.description != new.description:
        yield compatible(
            "description-changed",
            (*path, "description"),
            f"description of {what} `{name}` changed",
            old.description,
            new.description,
            bump="patch",
        )
    yield from diff_extra(_plain_extra(old.extra), _plain_extra(new.extra), path)
    if not _same(old.default, new.default):
        yield compatible(
            "default-value-changed",
            (*path, "default"),
            f"default of {what} `{name}` changed from {value_text(old.default)} to {value_text(new.default)}",
            old.default,
            new.default,
        )


def _exact(value: object) -> tuple[str, object]:
    """A value as JSON tells it apart: 1, 1.0, true and "1" are four."""
    return type(value).__name__, value


def _same(left: object, right: object) -> bool:
    """Equal as JSON: 1 and true are not the same."""
    return left is right or (type(left) is type(right) and left == right)


def _plain_extra(extra: Mapping[str, object]) -> dict[str, object]:
    """Unknown fields without the effects in `x-atip`, which are compared fact by fact."""
    fields = dict(extra)
    own = fields.pop("x-atip", None)
    if isinstance(own, dict):
        fields.update({f"x-atip.{key}": value for key, value in own.items() if key != "effects"})
    return fields


def _type_changed(old: str, new: str, path: Parts) -> Change:
    text = f"type changed from `{old}` to `{new}`"
    if new in _WIDER.get(old, ()):
        return compatible("type-relaxed", path, f"{text} (wider)", old, new)
    if old in _WIDER.get(new, ()):
        return breaking("type-made-stricter", path, f"{text} (stricter)", old, new)
    return breaking("type-changed", path, text, old, new)


def _enum(
    old: tuple[object, ...] | None, new: tuple[object, ...] | None, path: Parts
) -> Iterator[Change]:
    """Values may come; they may not go; and a first list of values takes all others away."""
    if old is None and new is not None:
        text = f"only {value_text(new)} are allowed now; before, any value was"
        yield breaking("enum-values-added", path, text, new=new)
    elif old is not None and new is None:
        text = f"any value is allowed now; before, only {value_text(old)} were"
        yield compatible("enum-values-removed", path, text, old)
    elif old is not None and new is not None:
        before, after = {_exact(value) for value in old}, {_exact(value) for value in new}
        removed = tuple(value for value in old if _exact(value) not in after)
        added = tuple(value for value in new if _exact(value) not in before)
        if removed:
            yield breaking(
                "enum-values-removed", path, f"values removed: {value_text(removed)}", removed
            )
        if added:
            yield compatible(
                "enum-values-added", path, f"values added: {value_text(added)}", new=added
            )


def _constraints(old: Parameter, new: Parameter, path: Parts) -> Iterator[Change]:
    """`pattern` and `schema` (0.1): two constraints cannot be compared, only seen to differ."""
    for kind, before, after in (
        ("pattern", old.pattern, new.pattern),
        ("schema", old.schema, new.schema),
    ):
        if before == after:
            continue
        where = (*path, kind)
        if after is None:
            yield compatible(f"{kind}-changed", where, f"`{kind}` no longer applies", before)
        else:
            yield breaking(f"{kind}-changed", where, f"`{kind}` changed", before, after)
