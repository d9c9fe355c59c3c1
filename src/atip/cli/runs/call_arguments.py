"""Arguments of a call on the command line: `key=value`, `key:=json`, `--args JSON`, `--args -` for standard input.

A text is converted to the type of its parameter: `limit=5` is a number where the tool expects one, and a repeated key
is a list where it accepts several. `:=` is always JSON. `calls.arguments` checks the values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import FormatError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.calls.functions import Function, Item


def read_arguments(
    words: Sequence[str], args_json: str = "", function: Function | None = None
) -> dict[str, object]:
    """Arguments by name.

    Raises:
        UsageError: `call.argument` for a word that is neither form, `call.args` for wrong JSON.
    """
    arguments = _object(args_json) if args_json else {}
    texts: dict[str, list[str]] = {}
    for word in words:
        key, value, is_json = _split(word)
        if is_json:
            arguments[key] = _json(value, key)
        else:
            texts.setdefault(key, []).append(value)
    for key, values in texts.items():
        item = _item(function, key)
        parts = [_convert(item, value) for value in values]
        arguments[key] = parts if len(parts) > 1 or _is_list(item) else parts[0]
    return arguments


def _split(word: str) -> tuple[str, str, bool]:
    key, mark, value = word.partition("=")
    is_json = key.endswith(":")
    key = key[:-1] if is_json else key
    if not mark or not key:
        raise UsageError(
            "call.argument",
            f"`{word[:80]}` is neither `key=value` nor `key:=json`",
            hint="quote values with spaces; `--args JSON` takes all arguments at once",
        )
    return key, value, is_json


def _object(text: str) -> dict[str, object]:
    if text == "-":
        from atip.cli.documents import load_bytes

        text = load_bytes("-").decode("utf-8", "replace")
    value = _json(text, "--args")
    if not isinstance(value, dict):
        raise UsageError("call.args", "`--args` is not a JSON object")
    return value


def _json(text: str, where: str) -> object:
    from atip.model.reading.reader import read_json

    try:
        return read_json(text.encode("utf-8", "surrogatepass"))
    except FormatError as error:
        raise UsageError("call.args", f"`{where[:80]}`: not JSON: {error.message}") from error


def _item(function: Function | None, key: str) -> Item | None:
    if function is None:
        return None
    parameters = function.parameters
    keys = function.keys_of(key)
    return parameters.get(key) or (parameters[keys[0]] if len(keys) == 1 else None)


def _is_list(item: Item | None) -> bool:
    from atip.calls.schema import is_list

    return item is not None and item.schema is None and is_list(item)


def _convert(item: Item | None, text: str) -> object:
    if item is None:
        return text
    from atip.calls.schema import json_type

    kind = json_type(item) if item.schema is None else item.schema.get("type")
    if kind not in ("integer", "number", "boolean"):
        return text
    from atip.model.reading.reader import read_json

    try:
        value = read_json(text.encode("utf-8", "surrogatepass"))
    except FormatError:
        return text
    return value if isinstance(value, (bool, int, float)) else text
