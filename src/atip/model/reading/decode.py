"""Bytes or plain values → Tool. Checks once at the edge; inside, values are trusted to have shape.

Lenient by default: deviations that do no harm become warnings in `DecodedTool.problems`; strict raises
on them. Everything not understood is kept in `extra`. Implements ATIP 0.6 §3, §12.2 and 0.1 §3.2.
"""

from __future__ import annotations

from atip.errors import FormatError
from atip.model.effects import Effects
from atip.model.reading.reader import DOCUMENT, ReadLimits, read_json
from atip.model.reading.wire import MANY, MAP, ONE, PLAIN, STRINGS, WIRE
from atip.model.shapes.check import check_tool, with_derived_names
from atip.model.tool import Protocol, Tool
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar
    from typing import Protocol as Interface

    from atip.model.problems import Problem

    V = TypeVar("V", bound=Value)

    class RecordDecoder(Interface):
        """Makes a value of a checked object."""

        def __call__(self, cls: type[V], document: dict[str, Any]) -> V: ...

    Rows = tuple[dict[str, tuple[str, str, Any]], dict[str, str]]
    """Wire name → attribute, kind and inner class; those that are taken as they are, by attribute."""


class DecodedTool(Value):
    """A tool and the problems of its document."""

    tool: Tool
    problems: tuple[Problem, ...] = ()


_ROWS: dict[type, Rows] = {}


def decode(
    data: bytes | str | dict[str, Any],
    *,
    strict: bool = False,
    limits: ReadLimits = DOCUMENT,
    record: RecordDecoder | None = None,
) -> DecodedTool:
    """Read ATIP metadata or a shim of any version from 0.1 to 0.6.

    Args:
        record: what makes values of checked objects; None: `decode_record`. Long work brings a quicker one.

    Raises:
        FormatError: with all problems; in strict mode every deviation is an error.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    document = read_json(data, limits) if isinstance(data, bytes) else data
    problems = check_tool(document, "strict" if strict else "lenient")
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors or not isinstance(document, dict):
        first = errors[0]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise FormatError(
            first.code, f"{first.path}: {first.message}{more}", problems=problems, hint=first.hint
        )
    return DecodedTool(tool=decode_tool(document, record), problems=tuple(problems))


def decode_tool(document: dict[str, Any], record: RecordDecoder | None = None) -> Tool:
    """A checked document → Tool, normalized: protocol as object (A1), root names (A4), digest in
    lower case (A15), a missing description from the name (A7)."""
    tool = (record or decode_record)(Tool, with_derived_names(document))
    changes: dict[str, Any] = {}
    if not tool.description:
        changes["description"] = tool.name
    binary = tool.binary
    if binary is not None and isinstance(binary.hash, str) and binary.hash != binary.hash.lower():
        changes["binary"] = binary.replace(hash=binary.hash.lower())
    return tool.replace(**changes) if changes else tool


def decode_effects(document: object) -> Effects:
    """Effects from a vendor block; unknown for anything that is not an object."""
    return decode_record(Effects, document) if isinstance(document, dict) else Effects()


def decode_record(cls: type[V], document: dict[str, Any]) -> V:
    """A checked object → value, by the table in `wire.py`; `null` counts as absent (`format.null`)
    except where the field itself may hold it."""
    rows, plain = _ROWS.get(cls) or _rows(cls)
    fields: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, item in document.items():
        if item is not None and key in plain:
            fields[plain[key]] = item
            continue
        row = rows.get(key)
        if row is None:
            extra[key] = item
            continue
        attribute, kind, inner = row
        if item is None:
            if attribute in ("default", "depth"):
                fields[attribute] = item
        elif kind == STRINGS:
            fields[attribute] = tuple(item)
        elif kind == ONE:
            fields[attribute] = _one(inner, item)
        elif kind == MANY:
            fields[attribute] = tuple([decode_record(inner, member) for member in item])
        elif kind == MAP:
            fields[attribute] = {
                name: decode_record(inner, member) for name, member in item.items()
            }
    if extra:
        fields["extra"] = extra
    return cls(**fields)


def _one(inner: type[Value], item: Any) -> Value:
    if inner is Protocol and isinstance(item, str):
        return Protocol(version=item)
    return decode_record(inner, item)


def _rows(cls: type) -> Rows:
    rows = {name: (attribute, kind, inner) for name, attribute, kind, inner in WIRE[cls]}
    plain = {name: attribute for name, (attribute, kind, _) in rows.items() if kind == PLAIN}
    _ROWS[cls] = rows, plain
    return _ROWS[cls]
