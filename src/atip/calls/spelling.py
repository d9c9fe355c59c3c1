"""Spelling: how one option with one value is written, and how a written one is read back.

`--long=value` joined; `-chdir=value` joined (A10); `-o value` apart, or `-ovalue` where the value begins with
a dash; `of=value` for key operands. A boolean is its bare flag; `false` needs a negation that the
document shows. Pure text; which options and in which order is `build.py`.
"""

from __future__ import annotations

import json

from atip.calls.schema import is_list, json_type
from atip.model.tool import BOOLEAN, MISSING, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.calls.functions import Item

_NEGATIONS = ("--no-", "--not-", "--without-", "--disable-")


class SpellingProblem(Exception):
    """A value for which the option has no unambiguous spelling; `code` is a problem's code."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


def value_text(value: object) -> str:
    """One value as a word: JSON for numbers, booleans and structures, text as it is."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def value_from_text(item: Item, text: str) -> object:
    """The value that `value_text` wrote; text that does not fit the type stays text."""
    kind = json_type(item)
    if item.schema is not None and item.schema.get("type") != "string":
        kind = "json"
    elif kind == "array":
        items = item.extra.get("items")
        kind = str(items.get("type", "string")) if isinstance(items, dict) else "string"
    if kind not in ("integer", "number", "boolean", "json", "object"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def is_default(item: Item, value: object) -> bool:
    """Whether leaving the value out means the same. Not if an environment variable could set it."""
    if isinstance(item, Option):
        if item.env_var or item.is_required:
            return False
        if item.type == BOOLEAN and value is False and item.default is MISSING:
            return not any(_is_negative(flag, item.flags, item) for flag in item.flags)
    if item.default is MISSING:
        return False
    default = item.default
    return type(default) is type(value) and default == value


def is_on_by_default(option: Option) -> bool:
    return option.default is True


def spell_option(option: Option, flags: tuple[str, ...], value: object) -> list[str]:
    """Words for one option. `flags` are its spellings that mean this option where it stands.

    Raises:
        SpellingProblem: `call.no-negation`, `call.ambiguous-value`.
    """
    if option.type == BOOLEAN and option.schema is None and not is_list(option):
        return [_boolean_flag(option, flags, bool(value))]
    if is_list(option) and isinstance(value, (list, tuple)):
        return [word for part in value for word in _with_value(option, flags, value_text(part))]
    return _with_value(option, flags, value_text(value))


def _with_value(option: Option, flags: tuple[str, ...], text: str) -> list[str]:
    flag = _choose_flag(flags)
    if flag.endswith("="):
        return [flag + text]
    only_joined = option.own.get("optionalValue") is True
    if option.own.get("join") == "space" and not only_joined:
        _refuse_dash(flag, text)
        return [flag, text]
    if flag.startswith("--") or (flag.startswith("-") and len(flag) > 2):
        return [f"{flag}={text}"]
    if not flag.startswith("-"):
        _refuse_dash(flag, text)
        return [flag, text]
    if only_joined or text.startswith("-"):
        if not text or text.startswith("="):
            raise SpellingProblem(
                "call.ambiguous-value", f"`{flag}` cannot be combined with this value unambiguously"
            )
        return [flag + text]
    return [flag, text]


def _refuse_dash(flag: str, text: str) -> None:
    # SECURITY: where a value can only follow as a word of its own, a dash makes it an option.
    if text.startswith("-"):
        raise SpellingProblem(
            "call.ambiguous-value",
            f"a value of `{flag}` that begins with a dash would be read as an option",
        )


def _boolean_flag(option: Option, flags: tuple[str, ...], value: bool) -> str:
    positive = tuple(flag for flag in flags if not _is_negative(flag, flags, option))
    negative = tuple(flag for flag in flags if flag not in positive)
    if value and positive:
        return _choose_flag(positive)
    if not value and negative:
        return _choose_flag(negative)
    flag = _choose_flag(positive or flags)
    if not value and flag.startswith("-") and not flag.startswith("--") and len(flag) > 2:
        return f"{flag}=false"  # the idiom of single-dash long flags (A10)
    raise SpellingProblem(
        "call.no-negation",
        f"no known flag turns `{option.name}` {'on' if value else 'off'}",
        hint="leave it out to get the default",
    )


def _is_negative(flag: str, flags: tuple[str, ...], option: Option) -> bool:
    """`--no-color` beside `--color`, or alone for an option that is on unless it is given."""
    for prefix in _NEGATIONS:
        if flag.startswith(prefix):
            if "--" + flag[len(prefix) :] in option.flags:
                return True
            return is_on_by_default(option) and not option.name.startswith(prefix.strip("-"))
    return False


def _choose_flag(flags: tuple[str, ...]) -> str:
    """The clearest spelling: the first long one, else the first."""
    for flag in flags:
        if flag.startswith("--"):
            return flag
    return flags[0]


def option_value(option: Option, flag: str, text: str | None) -> object:
    """Value of one written option: the reverse of `spell_option` for one occurrence."""
    if option.type == BOOLEAN and option.schema is None:
        if text in ("false", "true"):
            return text == "true"
        return not _is_negative(flag, option.flags, option)
    return value_from_text(option, text or "")


def positional_values(
    items: Mapping[str, Item], words: tuple[str, ...]
) -> dict[str, object] | None:
    """Assign words to positionals in order; a variadic one takes what later required ones leave.

    None if there are more words than positionals.
    """
    values: dict[str, object] = {}
    keys = list(items)
    rest = list(words)
    for index, key in enumerate(keys):
        item = items[key]
        if is_list(item):
            needed = sum(1 for later in keys[index + 1 :] if items[later].is_required)
            own_words = rest[: max(0, len(rest) - needed)]
            if own_words:
                values[key] = [value_from_text(item, word) for word in own_words]
            rest = rest[len(own_words) :]
        elif rest:
            values[key] = value_from_text(item, rest.pop(0))
    return None if rest else values
