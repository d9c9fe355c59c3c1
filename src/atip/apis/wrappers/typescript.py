"""TypeScript wrappers: one small module per operation, compiled by `tsc --strict`, run by Node with `runtime.ts` and `atip`.

SECURITY: identifiers are slugs; every text is a JSON string literal or a comment that nothing inside can end
(row 26). No request is made in TypeScript: `runtime.ts` starts `atip api call`, where arguments are checked, policy decides, and the
record is written, so that no second code path could skip a check.
"""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

from atip.apis.wrappers.module import Module, about, module_of
from atip.apis.wrappers.type_tree import Kind, Record
from atip.model.text.identifiers import camel

if TYPE_CHECKING:
    from atip.codecs.apis.operation_schema import Schemas
    from atip.model.operation import Api, Operation

_SCALARS = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "any": "unknown",
}


def operation_module(api: Api, operation: Operation, schemas: Schemas) -> str:
    """The source of one module."""
    module = module_of(operation, schemas)
    name = camel(operation.name)
    blocks = [
        _comment(about(operation)),
        'import { call } from "../runtime.js";',
        _interface(Record(name=f"{name}Arguments", fields=module.arguments), wire=True),
    ]
    blocks += [_interface(record) for record in (*module.inputs, *module.outputs)]
    blocks.append(_function(name, operation, api.name, module))
    return "\n\n".join(block.strip("\n") for block in blocks) + "\n"


def index_module(api: Api) -> str:
    """`index.ts` of a source. For an agent `index.txt` is shorter; this one is for programs."""
    lines = [
        f'export {{ {function_name(operation)} }} from "./{operation.name}.js";'
        for operation in api.operations
    ]
    return "\n".join(lines) + "\n"


def runtime_module() -> str:
    """`runtime.ts`, as it is shipped."""
    return (pathlib.Path(__file__).parent / "runtime.ts").read_text(encoding="utf-8")


def function_name(operation: Operation) -> str:
    """snake_case → camelCase."""
    name = camel(operation.name)
    # a name that is a reserved word keeps its distinguishing suffix
    return name[:1].lower() + name[1:] + ("_" if operation.name.endswith("_") else "")


def _function(name: str, operation: Operation, source: str, module: Module) -> str:
    optional = all(not field.required for field in module.arguments)
    default = " = {}" if optional else ""
    result = render(module.output)
    target = f"{_literal(source)}, {_literal(operation.name)}"
    return (
        f"{_comment(module.summary)}\n"
        f"export function {function_name(operation)}(args: {name}Arguments{default}): Promise<{result}> {{\n"
        f"  return call({target}, {{ ...args }}) as Promise<{result}>;\n}}"
    )


def _interface(record: Record, *, wire: bool = True) -> str:
    lines = []
    if record.description:
        lines.append(_comment(record.description))
    lines.append(f"export interface {record.name} {{")
    for field in record.fields:
        if field.description:
            lines.append("  " + _comment(field.description))
        mark = "" if field.required else "?"
        lines.append(f"  {_literal(field.wire)}{mark}: {render(field.kind)};")
    lines.append("}")
    return "\n".join(lines)


def render(kind: Kind) -> str:
    """A type as TypeScript writes it."""
    if kind.kind in _SCALARS:
        return _SCALARS[kind.kind]
    if kind.kind == "list":
        return f"Array<{render(kind.items[0])}>"
    if kind.kind == "map":
        return f"{{ [key: string]: {render(kind.items[0])} }}"
    if kind.kind == "record":
        return kind.record
    if kind.kind == "literal":
        return " | ".join(_literal(value) for value in kind.values)
    return " | ".join(dict.fromkeys(render(item) for item in kind.items))


def _literal(value: object) -> str:
    # ASCII only: U+2028 and U+2029 end a line in older JavaScript.
    return json.dumps(value, ensure_ascii=True)


def _comment(text: str) -> str:
    """A comment; `*/` inside would end it."""
    return f"/** {' '.join(text.replace('*/', '* /').split())} */"
