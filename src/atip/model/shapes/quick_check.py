"""Whether metadata is free of errors, decided by `msgspec` where that is certain. Pure.

For long work that reads many thousands of documents and needs no list of their problems. The types are made from the shapes of
`metadata.py`, so the two cannot drift apart; they accept less than `check_tool` does (no `null`, few levels of commands),
and what they do not accept is for `check_tool` to judge.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from atip.model.shapes.check import Report, check_name, check_protocol, is_error, with_derived_names
from atip.model.shapes.metadata import COMMAND, TOOL
from atip.model.shapes.shape import Anything, Either, Integer, Items, Shape, Table, Text

if TYPE_CHECKING:
    from atip.model.shapes.shape import Field

_LEVELS = 4
"""Commands within commands; each level has a type of its own."""


def is_surely_readable(document: object) -> bool:
    """Whether `check_tool` finds no error in lenient mode; False: it may find some."""
    if not isinstance(document, dict):
        return False
    whole = with_derived_names(document)
    try:
        msgspec.convert(whole, _tool_type())
    except (msgspec.ValidationError, RecursionError):
        return False
    report = Report("lenient")
    check_protocol(whole, report)
    check_name(whole, report)
    return not report.problems


@functools.cache
def _tool_type() -> Any:
    return _struct(TOOL, _LEVELS)


def _struct(shape: Shape, levels: int) -> Any:
    fields = [_field(name, field, levels) for name, field in shape.fields.items()]
    name = f"{shape.name.title().replace(' ', '')}{levels}"
    return msgspec.defstruct(
        name, fields, kw_only=True, gc=False, forbid_unknown_fields=shape.closed
    )


def _field(name: str, field: Field, levels: int) -> Any:
    kind = _type(field.kind, levels)
    if field.required and is_error(field.code):
        return name, kind
    return name, kind | msgspec.UnsetType if kind is not None else msgspec.UnsetType, msgspec.UNSET


def _type(kind: Any, levels: int) -> Any:
    """The type of a kind; `None` (JSON `null`) where only `check_tool` can tell."""
    if isinstance(kind, type):
        return kind
    if isinstance(kind, Shape):
        if kind is COMMAND:
            levels -= 1
        return _struct(kind, levels) if levels else None
    if isinstance(kind, Text):
        return _text(kind)
    if isinstance(kind, Integer):
        return Annotated[int, msgspec.Meta(ge=kind.minimum, le=kind.maximum)]
    if isinstance(kind, Items):
        return Annotated[list[_type(kind.kind, levels)], msgspec.Meta(min_length=kind.minimum)]  # type: ignore[misc]
    if isinstance(kind, Table) and kind.keys is None:
        return dict[str, _type(kind.kind, levels)]  # type: ignore[misc]
    if isinstance(kind, Either):
        return functools.reduce(operator.or_, _choices(kind, levels))
    return Any if isinstance(kind, Anything) else None


def _choices(kind: Either, levels: int) -> list[Any]:
    return [
        json_type if isinstance(one, Anything) else _type(one, levels)
        for json_type, one in kind.by_type.items()
    ]


def _text(kind: Text) -> Any:
    if not is_error(kind.code):
        return str
    if kind.choices is not None:
        return Literal[kind.choices]
    return Annotated[str, msgspec.Meta(pattern=kind.pattern, max_length=kind.max_length)]
