"""Tool → plain values, in the field order of the texts; unknown fields last, none lost.

`encode(decode(x))` is x for normalized documents. Protocol 0.1–0.3 is written as a string, later
ones as an object (A1).
"""

from __future__ import annotations

from atip.model.reading.wire import MANY, MAP, ONE, STRINGS, WIRE
from atip.model.tool import MISSING, Protocol, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.model.effects import Effects
    from atip.model.value import Value

_MAY_BE_NULL = frozenset(["default", "depth"])
_REQUIRED_TEXT = frozenset(["description", "version", "type"])


def encode(tool: Tool) -> dict[str, Any]:
    """The ATIP 0.6 document of a tool (or 0.1 if that is its protocol)."""
    document = encode_record(tool)
    atip = _protocol(tool.protocol)
    return {"atip": atip, **{key: value for key, value in document.items() if key != "atip"}}


def encode_effects(effects: Effects) -> dict[str, Any]:
    """The `effects` object; empty when nothing is known."""
    return encode_record(effects)


def encode_record(value: Value) -> dict[str, Any]:
    """Any value of the wire table → object. Silent fields are left out, empty ones are not."""
    document: dict[str, Any] = {}
    for name, attribute, kind, _inner in WIRE[type(value)]:
        item = getattr(value, attribute)
        if item is MISSING or (item is None and attribute not in _MAY_BE_NULL):
            continue
        if kind == STRINGS:
            document[name] = list(item)
        elif kind == ONE:
            inner = encode_record(item)
            if inner or attribute not in _SILENT_WHEN_EMPTY:
                document[name] = inner
        elif kind == MANY:
            document[name] = [encode_record(member) for member in item]
        elif kind == MAP:
            document[name] = {key: encode_record(member) for key, member in item.items()}
        elif item != "" or name not in _REQUIRED_TEXT:
            document[name] = item
    extra = value.extra  # type: ignore[attr-defined]
    if extra:
        document.update(extra)
    return document


_SILENT_WHEN_EMPTY = frozenset(["effects", "filesystem", "interactive", "cost", "duration"])


def _protocol(protocol: Protocol) -> str | dict[str, Any]:
    legacy = protocol.version in ("0.1", "0.2", "0.3")
    if legacy and protocol == Protocol(version=protocol.version):
        return protocol.version
    return encode_record(protocol)
