"""Checked documents → values, by code that is written for each combination of fields: a site reads them by the million.

The same values as `decode_record` makes (a test compares them over all kinds of documents). Objects with the same fields in the same order
share a function that fills the slots of a value one after the other, without a table of arguments in between.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from atip.model.reading.decode import decode_record
from atip.model.reading.wire import MANY, MAP, ONE, PLAIN, STRINGS, WIRE
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    V = TypeVar("V", bound=Value)
    Maker = Callable[[dict[str, Any]], Any]

_MAX_MAKERS, _MAX_FIELDS = 2000, 40
"""Documents come from outside: how many combinations are remembered, and of how many fields each."""
_NULLABLE = ("default", "depth")
"""Attributes that may hold JSON `null`; elsewhere it counts as absent."""
_MAKERS: dict[type, dict[tuple[str, ...], Maker]] = {cls: {} for cls in WIRE}
"""Class → fields in their order → function."""
_OPEN: dict[type, type] = {}


def quick_record(cls: type[V], document: dict[str, Any]) -> V:
    """A checked object → value."""
    maker = _MAKERS[cls].get(tuple(document)) or _new_maker(cls, document)
    made: V = maker(document)
    return made


def _new_maker(cls: type[Value], document: dict[str, Any]) -> Maker:
    if len(document) > _MAX_FIELDS or sum(map(len, _MAKERS.values())) >= _MAX_MAKERS:
        return functools.partial(decode_record, cls)
    keys = tuple(document)
    maker = _MAKERS[cls][keys] = _maker(cls, keys)
    return maker


def _maker(cls: type[Value], keys: tuple[str, ...]) -> Maker:
    rows = {name: row for name, *row in WIRE[cls]}
    fields: dict[str, Any] = cls._fields  # type: ignore[attr-defined]
    defaults: dict[str, Any] = cls._defaults  # type: ignore[attr-defined]
    names: dict[str, Any] = {
        "cls": cls, "open_class": _open_class(cls), "new": object.__new__, "fresh": _new_maker,
        "slow": decode_record, "defaults": defaults, "unknown": [k for k in keys if k not in rows],
    }  # fmt: skip
    given = {rows[key][0]: key for key in keys if key in rows}
    lines = ["def make(document):", " self = new(open_class)"]
    for number, field in enumerate(fields):
        names[f"default_{number}"] = defaults.get(field)
        # SECURITY: only names of our own tables become source, never a key of the document
        if field == "extra" and names["unknown"]:
            lines.append(" self.extra = {key: document[key] for key in unknown}")
        elif field not in given:
            if field not in defaults:
                return lambda document: decode_record(cls, document)
            lines.append(f" self.{field} = default_{number}")
        else:
            _, kind, inner = rows[given[field]]
            names[f"inner_{number}"] = inner
            names[f"known_{number}"] = _MAKERS[inner].get if inner in _MAKERS else None
            lines += _assignment(field, given[field], number, kind, has_default=field in defaults)
    lines += [" self.__class__ = cls", " return self"]
    exec("\n".join(lines), names)  # noqa: S102
    made: Maker = names["make"]
    return made


def _assignment(field: str, key: str, number: int, kind: str, *, has_default: bool) -> list[str]:
    known, fresh = f"known_{number}", f"fresh(inner_{number}"
    made = {
        PLAIN: "item",
        STRINGS: "tuple(item)",
        ONE: f"({known}(tuple(item)) or {fresh}, item))(item)",
        MANY: f"tuple([({known}(tuple(each)) or {fresh}, each))(each) for each in item])",
        MAP: f"{{name: ({known}(tuple(each)) or {fresh}, each))(each) for name, each in item.items()}}",
    }[kind]
    lines = [f" item = document[{key!r}]"]
    if kind == ONE:  # the protocol may be a plain string
        lines.append(" if item.__class__ is not dict: return slow(cls, document)")
    if field in _NULLABLE:
        return [*lines, f" self.{field} = item"]
    if not has_default:
        return [*lines, " if item is None: return slow(cls, document)", f" self.{field} = {made}"]
    return [*lines, f" self.{field} = default_{number} if item is None else {made}"]


def _open_class(cls: type[Value]) -> type:
    """A class of the same layout whose slots can be set directly; its objects become values when they are complete."""
    found = _OPEN.get(cls)
    if found is None:
        slots = tuple(cls._fields)  # type: ignore[attr-defined]
        # both, or the interpreter asks a function of `Value` for every attribute
        free = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
        namespace = {"__slots__": slots, **free}
        found = _OPEN[cls] = type.__new__(type(cls), f"Open{cls.__name__}", (Value,), namespace)
    return found
