"""Values of columns: SQL types ⇄ JSON. Values that JSON cannot represent exactly become strings: decimals, times, bytes."""

from __future__ import annotations

import base64
import datetime
import decimal
import enum
import uuid
from typing import TYPE_CHECKING, Any

from atip.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_BINARY = frozenset({"BINARY", "VARBINARY", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB"})


def column_schema(kind: Any, *, nullable: bool) -> dict[str, Any]:
    """JSON Schema of a column."""
    schema = _schema(kind)
    if not nullable or "type" not in schema:
        return schema
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    schema = {**schema, "type": [*types, "null"]}
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return schema


def _schema(kind: Any) -> dict[str, Any]:
    from sqlalchemy import types

    if isinstance(kind, types.Boolean):
        return {"type": "boolean"}
    if isinstance(kind, types.Integer):
        return {"type": "integer"}
    if isinstance(kind, types.Float):
        return {"type": "number"}
    if isinstance(kind, types.Numeric):
        return {"type": ["number", "string"]}
    if isinstance(kind, types.Enum):
        return {"type": "string", "enum": list(kind.enums)}
    for sql_type, format_name in (
        (types.DateTime, "date-time"),
        (types.Date, "date"),
        (types.Time, "time"),
        (types.Uuid, "uuid"),
    ):
        if isinstance(kind, sql_type):
            return {"type": "string", "format": format_name}
    if _is_binary(kind):
        return {"type": "string", "contentEncoding": "base64"}
    if _type_name(kind) in {"BIT", "YEAR"}:
        return {"type": "integer"}
    if _type_name(kind) == "SET":
        return {"type": "array", "items": {"type": "string", "enum": list(kind.values)}}
    if isinstance(kind, types.ARRAY):
        return {"type": "array", "items": _schema(kind.item_type)}
    if isinstance(kind, types.JSON):
        return {}
    return {"type": "string"}


def _is_binary(kind: Any) -> bool:
    """Bytes; MySQL's VARBINARY and larger blobs do not derive from `LargeBinary`."""
    from sqlalchemy import types

    return isinstance(kind, types.LargeBinary) or _type_name(kind) in _BINARY


def _type_name(kind: Any) -> str:
    return str(getattr(kind, "__visit_name__", "")).upper()


def to_driver(kind: Any, value: Any) -> Any:
    """Convert a JSON value to the type that the driver expects for a column.

    Raises:
        UsageError: `api.invalid-argument`.
    """
    from sqlalchemy import types

    if value is None:
        return None
    try:
        if isinstance(kind, types.ARRAY):
            return [to_driver(kind.item_type, item) for item in value]
        if isinstance(kind, types.Numeric) and not isinstance(kind, types.Float):
            return decimal.Decimal(str(value))
        if _type_name(kind) == "SET":
            return set(value)
        if _is_binary(kind):
            return base64.b64decode(value, validate=True)
        if isinstance(value, str):
            return _from_text(kind, value)
    except (ValueError, TypeError, decimal.InvalidOperation) as error:
        raise UsageError("api.invalid-argument", f"not a valid {kind} value: {error}") from error
    return value


def _from_text(kind: Any, value: str) -> Any:
    from sqlalchemy import types

    if isinstance(kind, types.DateTime):
        return datetime.datetime.fromisoformat(value)
    if isinstance(kind, types.Date):
        return datetime.date.fromisoformat(value)
    if isinstance(kind, types.Time):
        return datetime.time.fromisoformat(value)
    if isinstance(kind, types.Uuid):
        return uuid.UUID(value)
    return value


def row_to_json(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row as JSON values."""
    return {str(key): to_json_value(value) for key, value in row.items()}


def to_json_value(value: Any) -> Any:
    """One value as JSON."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _clock(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, dict):
        return row_to_json(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [
            to_json_value(item)
            for item in (sorted(value) if isinstance(value, (set, frozenset)) else value)
        ]
    if isinstance(value, enum.Enum):
        return value.name
    return str(value)


def _clock(value: datetime.timedelta) -> str:
    """`[-]H:MM:SS[.ffffff]`, as MySQL writes a TIME, which may be longer than a day."""
    sign = "-" if value < datetime.timedelta() else ""
    seconds, rest = divmod(abs(value), datetime.timedelta(seconds=1))
    fraction = f".{rest.microseconds:06d}" if rest else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"
