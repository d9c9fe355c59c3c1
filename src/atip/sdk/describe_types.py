"""The type of a click or typer parameter in the words of ATIP 0.6 §3.7.

Told from class names and annotations, without importing either library: click and older typer keep a
`type` object on the parameter, newer typer a Python annotation.
"""

from __future__ import annotations

from .words import choices_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Kind = tuple[str, list[Any] | None, dict[str, Any] | None]
    """Type, allowed values, JSON Schema of the value."""

_CLICK = {
    "IntParamType": "integer",
    "FloatParamType": "number",
    "BoolParamType": "string",
    "File": "file",
    "DateTime": "string",
}


def kind_of(param: Any) -> Kind:
    """Type, enum values and bounds of a parameter that takes a value."""
    descriptor = getattr(param, "type_descriptor", None)
    if descriptor is not None:
        info = descriptor.parameter_info
        kind, values, _ = _kind_of(descriptor.annotation, info)
        return kind, values, _bounds(kind, param.min, param.max)
    return _click_type(param.type)


def _click_type(kind: Any) -> Kind:
    names = [base.__name__ for base in type(kind).__mro__]
    if "Choice" in names:
        return "enum", [_choice(each) for each in kind.choices], None
    if "Path" in names:
        only_directories = kind.dir_okay and not kind.file_okay
        return ("directory" if only_directories else "file"), None, None
    for name in names:
        if name in _CLICK:
            word = _CLICK[name]
            bounds = _bounds(word, getattr(kind, "min", None), getattr(kind, "max", None))
            return word, None, bounds
    return "string", None, None


def _choice(each: Any) -> Any:
    """click shows members of an Enum by their names."""
    if hasattr(each, "name") and hasattr(each, "value"):
        return str(each.name)
    return each if isinstance(each, (str, int, float)) else str(each)


def _kind_of(annotation: Any, info: Any) -> Kind:
    origin = getattr(annotation, "__origin__", None)
    inner = getattr(annotation, "__args__", ())
    if getattr(origin, "__name__", "") in ("list", "tuple", "set", "Sequence") and inner:
        same = all(each is inner[0] for each in inner if each is not Ellipsis)
        return _kind_of(inner[0], info) if same else ("string", None, None)
    if inner and getattr(origin, "_name", "") == "Literal":
        return "enum", choices_of(inner), None
    if hasattr(annotation, "__members__"):
        return "enum", choices_of(list(annotation)), None
    return _type_name(annotation, info), None, None


def _type_name(annotation: Any, info: Any) -> str:
    types = {int: "integer", float: "number", bool: "string"}
    if annotation in types:
        return types[annotation]
    name = getattr(annotation, "__name__", "")
    if name in ("Path", "PosixPath", "PurePath"):
        dirs, files = getattr(info, "dir_okay", True), getattr(info, "file_okay", True)
        return "directory" if dirs and not files else "file"
    return "file" if name.startswith("File") else "string"


def _bounds(kind: str, low: Any, high: Any) -> dict[str, Any] | None:
    if kind not in ("integer", "number") or (low is None and high is None):
        return None
    schema: dict[str, Any] = {"type": kind}
    if low is not None:
        schema["minimum"] = low
    if high is not None:
        schema["maximum"] = high
    return schema
