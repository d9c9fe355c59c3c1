"""Module: the content of a wrapper of one operation, independent of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.apis.wrappers.type_tree import ANY, Kind, Record, RecordField, TypeTree
from atip.codecs.providers.safety import clean_text, safety_suffix, shorten
from atip.model.text.identifiers import ARGUMENTS, camel, slug, unique
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.codecs.apis.operation_schema import Schemas
    from atip.model.operation import Operation

MAX_TEXT = 300
OUTPUT_DEPTH = 2
"""Records below the answer that are written out; an agent reads wrappers, so answers stay short."""
MAX_OPTIONAL = 6
_RESERVED = (
    "Any", "Literal", "TypedDict", "Unset", "UNSET", "Promise", "Array", "Record", "Object", "Error", "Date",
)  # fmt: skip


class Module(Value):
    """Arguments, records and the answer of one operation."""

    arguments: tuple[RecordField, ...]
    inputs: tuple[Record, ...]
    outputs: tuple[Record, ...]
    output: Kind
    summary: str

    @property
    def records(self) -> frozenset[str]:
        """Names of the input records."""
        return frozenset(record.name for record in self.inputs)


def module_of(operation: Operation, schemas: Schemas) -> Module:
    """Language-independent content of the wrapper of one operation."""
    schema = schemas.input_of(operation)
    used_names = {*_RESERVED, camel(operation.name)}
    tree = TypeTree(schema.get("$defs", {}), used_names=used_names)
    names: set[str] = set()
    arguments = tuple(
        RecordField(
            name=unique(slug(wire, "value", ARGUMENTS), names),
            wire=wire,
            kind=tree.read(property_schema, f"{operation.name}_{wire}"),
            required=wire in schema.get("required", ()),
            description=_text(property_schema.get("description"))
            if isinstance(property_schema, dict)
            else "",
        )
        for wire, property_schema in schema["properties"].items()
    )
    output, outputs = _output(operation, schemas, used_names)
    return Module(
        arguments=arguments,
        inputs=tuple(map(_clean, tree.records)),
        outputs=tuple(map(_clean, outputs)),
        output=output,
        summary=summary(operation),
    )


def summary(operation: Operation) -> str:
    """One line about an operation, cleaned, with what it does to the world."""
    text = _text(operation.summary or operation.description or operation.original)
    return f"{text} {safety_suffix(operation.effects)}".strip()


def about(operation: Operation) -> str:
    """The text at the top of a module: what it is, and where it goes."""
    where = clean_text(f"{operation.method} {operation.path}".strip())
    return f"{summary(operation)}\n\n{where}\n" if where else summary(operation)


def signature(operation: Operation) -> str:
    """`name(a, b?)` for an index: what must be given, and what may be."""
    properties = [(parameter.argument, parameter.required) for parameter in operation.parameters]
    if operation.body is not None:
        properties.append((operation.body.argument, operation.body.required))
    required_names = [name for name, required in properties if required]
    optional = [f"{name}?" for name, required in properties if not required]
    if len(optional) > MAX_OPTIONAL:
        optional = [*optional[:MAX_OPTIONAL], "…"]
    return f"{operation.name}({', '.join(required_names + optional)})"


def _output(
    operation: Operation, schemas: Schemas, used_names: set[str]
) -> tuple[Kind, list[Record]]:
    if operation.output is None:
        return ANY, []
    schema: Any = schemas.complete(operation.output)
    if not isinstance(schema, dict):
        return ANY, []
    tree = TypeTree(schema.get("$defs", {}), used_names=used_names, max_depth=OUTPUT_DEPTH)
    return tree.read(schema, f"{operation.name}_result"), tree.records


def _clean(record: Record) -> Record:
    fields = tuple(field.replace(description=_text(field.description)) for field in record.fields)
    return record.replace(fields=fields, description=_text(record.description))


def _text(value: object) -> str:
    """A description as one cleaned, short line: it is data of the API's author, and an agent reads it."""
    return shorten(" ".join(clean_text(value).split()), MAX_TEXT) if isinstance(value, str) else ""
