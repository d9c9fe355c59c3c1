"""Value: frozen, slotted, keyword-only records without importing `dataclasses`.

The standard `dataclasses` module pulls in `inspect` and costs about as much CPU as starting the
interpreter; `guard` and `show` start with every command an agent runs. To a type checker a
`Value` *is* a dataclass (`dataclass_transform`). See docs/decisions/0002-values.md.

    class Point(Value):
        x: int
        y: int = 0
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_options):
        return lambda decorated: decorated


_set = object.__setattr__
_REQUIRED = object()
_OFTEN = 400
"""Records of a class after which its constructor is compiled: a scan makes millions, a short command a few of each class."""


def brief(value: object, max_chars: int = 60) -> str:
    """A short representation, for values with whole trees or outputs in a prompt or a log.

    Never a digest: two values may look the same.
    """
    text = repr(value)
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _ValueType(type):
    """Turns annotations into slots and keeps the defaults aside."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _ValueType:
        own = [
            field
            for field, hint in namespace.get("__annotations__", {}).items()
            if not str(hint).startswith("ClassVar")
        ]
        fields: dict[str, Any] = {}
        for base in bases:
            fields.update(getattr(base, "_fields", {}))
        for field in own:
            fields[field] = namespace.pop(field, _REQUIRED)
        namespace["__slots__"] = tuple(own)
        for method in ("__init__", "replace"):
            # Its own, so that it never gets the compiled one of a class above, which knows fewer fields.
            inherited = getattr(bases[0], method, None) if bases else None
            if method not in namespace and hasattr(inherited, "of_values"):
                namespace[method] = getattr(Value, method)
        cls = super().__new__(mcls, name, bases, namespace)
        cls._fields = fields  # type: ignore[attr-defined]
        cls._defaults = {k: v for k, v in fields.items() if v is not _REQUIRED}  # type: ignore[attr-defined]
        cls._made = 0  # type: ignore[attr-defined]
        return cls


def _compile(cls: Any) -> None:
    """Give a class a constructor and a `replace` of its own, as `dataclasses` would: three times as fast, 0.3 ms to make."""
    names: dict[str, Any] = {}
    parameters, assignments, values = [], [], []
    for field, default in cls._fields.items():
        names[f"_set_{field}"] = getattr(cls, field).__set__
        names[f"_default_{field}"] = default
        parameters.append(field if default is _REQUIRED else f"{field}=_default_{field}")
        assignments.append(f"    _set_{field}(self, {field})\n")
        values.append(f"{field!r}: self.{field}")
    source = (
        f"def __init__(self, *, {', '.join(parameters)}):\n{''.join(assignments)}"
        f"def replace(self, **changes):\n    return type(self)(**{{{', '.join(values)}, **changes}})\n"
    )
    exec(source, names)  # noqa: S102  made of the names of our own fields
    for method in ("__init__", "replace"):
        if getattr(cls, method) is getattr(Value, method):
            names[method].of_values = True
            setattr(cls, method, names[method])


class Value(metaclass=_ValueType):
    """Base of all records. Equal by type and fields; `replace` makes a changed copy."""

    if not TYPE_CHECKING:

        def __init__(self, **given):
            cls = type(self)
            for field, default in cls._fields.items():
                value = given.pop(field, default)
                if value is _REQUIRED:
                    raise TypeError(f"{cls.__name__}() needs {field!r}")
                _set(self, field, value)
            if given:
                raise TypeError(f"{cls.__name__}() has no field {next(iter(given))!r}")
            cls._made += 1
            if cls._made == _OFTEN and cls._fields:
                _compile(cls)

        __init__.of_values = True

        def __setattr__(self, name, value):
            raise AttributeError(f"{type(self).__name__} is frozen")

        def __delattr__(self, name):
            raise AttributeError(f"{type(self).__name__} is frozen")

        def __getstate__(self):
            return {field: getattr(self, field) for field in type(self)._fields}

        def __setstate__(self, state):
            for field, value in state.items():
                _set(self, field, value)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        fields = {field: getattr(self, field) for field in type(self)._fields}  # type: ignore[attr-defined]
        fields.update(changes)
        return type(self)(**fields)

    replace.of_values = True  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, f) == getattr(other, f) for f in type(self)._fields)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        cls = type(self)
        return hash((cls, *(getattr(self, field) for field in cls._fields)))  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        cls = type(self)
        parts = (
            f"{field}={getattr(self, field)!r}"
            for field, default in cls._fields.items()  # type: ignore[attr-defined]
            if default is _REQUIRED or getattr(self, field) != default
        )
        return f"{cls.__name__}({', '.join(parts)})"
