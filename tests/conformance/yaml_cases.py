"""Reads the files of the YAML test suite: their notation for invisible characters, and their values."""

from __future__ import annotations

import json
import typing

if typing.TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

_VISIBLE = {"␣": " ", "—": "", "»": "\t", "↵": "", "∎": "", "←": "\r", "⇔": "\ufeff"}


class Case(typing.NamedTuple):
    name: str
    text: str
    must_fail: bool
    has_value: bool
    value: object


def yaml_cases(folder: pathlib.Path) -> Iterator[Case]:
    """Every case of the suite; a later case of a file inherits from the one before."""
    from ruamel.yaml import YAML

    for path in sorted(folder.glob("*.yaml")):
        before: dict[str, typing.Any] = {}
        for number, row in enumerate(YAML(typ="safe", pure=True).load(path)):
            case = {**before, **row}
            if "fail" not in row:
                case.pop("fail", None)
            before = case
            yield _case(f"{path.stem}-{number}", case)


def _case(name: str, case: dict[str, typing.Any]) -> Case:
    text = case["yaml"]
    if text.endswith("∎\n"):
        text = text[:-1]
    for mark, meant in _VISIBLE.items():
        text = text.replace(mark, meant)
    try:
        value, has_value = json.loads(case["json"]), True
    except (KeyError, TypeError, ValueError):
        value, has_value = None, False
    return Case(name, text, bool(case.get("fail")), has_value and not case.get("fail"), value)
