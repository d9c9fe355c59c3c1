"""Python wrappers: one small module per operation, typed, synchronous and asynchronous.

Inputs with fields are frozen dataclasses, or plain dictionaries if the caller likes; answers are typed as
`TypedDict`, because they *are* dictionaries and keep fields that the document forgot.
SECURITY: names are slugs, texts are string literals; a property test parses what comes out (row 26).
"""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING

from atip.apis.wrappers.module import Module, about, module_of
from atip.apis.wrappers.type_tree import Kind, Record

if TYPE_CHECKING:
    from atip.codecs.apis.operation_schema import Schemas
    from atip.model.operation import Api, Operation

_SCALARS = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "any": "Any",
}
_IMPORTS = """from __future__ import annotations

import dataclasses
from typing import Any, Literal, TypedDict

from .. import runtime
from ..runtime import UNSET, Unset
"""
_RUNTIME = '''"""Runtime of the wrappers. Policy applies to every call, and every call is recorded. Needs `pip install "atip-cli[api]"`.

A call that needs confirmation is refused unless you pass a function that asks the user:

    runtime.use(ask=runtime.ask_on_terminal)

or any function that takes a `Question`, reaches the user, and returns True for yes.
"""

from __future__ import annotations

import pathlib
from typing import Any

from atip.wrapped import UNSET, Question, Unset, WrappedApis, ask_on_terminal

__all__ = ["UNSET", "Question", "Unset", "ask_on_terminal", "call", "call_async", "use"]

_APIS = WrappedApis(pathlib.Path(__file__).resolve().parent / {config})
use = _APIS.use


def call(source: str, operation: str, arguments: dict[str, Any]) -> Any:
    """Call an operation; raises `atip.AtipError` with a stable code."""
    return _APIS.call(source, operation, arguments)


async def call_async(source: str, operation: str, arguments: dict[str, Any]) -> Any:
    """The same without blocking."""
    return await _APIS.call_async(source, operation, arguments)
'''


def operation_module(api: Api, operation: Operation, schemas: Schemas) -> str:
    """The source of one module."""
    module = module_of(operation, schemas)
    blocks = [_docstring(about(operation)), _IMPORTS]
    blocks += [_dataclass(record) for record in module.inputs]
    blocks += [_typed_dict(record) for record in module.outputs]
    blocks += [
        _function(api, operation, module, awaits=False),
        _function(api, operation, module, awaits=True),
    ]
    head, imports, *rest = (block.strip("\n") for block in blocks)
    return "\n\n\n".join((f"{head}\n\n{imports}", *rest)) + "\n"


def index_module(api: Api) -> str:
    """`__init__.py` of a source: nothing is imported before it is used."""
    names = sorted(operation.name for operation in api.operations)
    entries = "".join(f"    {name!r},\n" for name in names)
    return (
        _docstring(
            f"{api.title or api.name}: {len(names)} operations. See index.txt for one line each."
        )
        + "\nfrom __future__ import annotations\n\nimport importlib\n\n"
        + f"OPERATIONS = frozenset([\n{entries}])\n\n\n"
        + "def __getattr__(name: str) -> object:\n"
        + "    if name.removesuffix('_async') in OPERATIONS:\n"
        + "        module = importlib.import_module(f'.{name.removesuffix(\"_async\")}', __name__)\n"
        + "        # importing set the attribute to the module; the function is what is meant\n"
        + "        found = globals()[name] = getattr(module, name)\n"
        + "        return found\n"
        + "    raise AttributeError(name)\n"
    )


def runtime_module(config: str) -> str:
    """`runtime.py`: the way from wrappers to `atip`, with the configuration beside the wrappers."""
    return _RUNTIME.replace("{config}", repr(config))


def _function(api: Api, operation: Operation, module: Module, *, awaits: bool) -> str:
    lines = []
    head, name = ("async def", f"{operation.name}_async") if awaits else ("def", operation.name)
    lines.append(f"{head} {name}(")
    fields = sorted(module.arguments, key=lambda field: not field.required)
    if fields:
        lines.append("    *,")
    for field in fields:
        hint = render(field.kind, alternatives=module.records)
        annotation = f"{hint}" if field.required else f"{hint} | Unset = UNSET"
        lines.append(f"    {_safe(field.name)}: {annotation},")
    lines.append(f") -> {render(module.output)}:")
    lines.append("    " + _docstring(module.summary))
    call = "await runtime.call_async" if awaits else "runtime.call"
    lines.append(f"    answer: {render(module.output)} = {call}(")
    lines.append(f"        {api.name!r},")
    lines.append(f"        {operation.name!r},")
    call_arguments = ", ".join(f"{field.wire!r}: {_safe(field.name)}" for field in fields)
    lines.append(f"        {{{call_arguments}}},")
    lines.append("    )")
    lines.append("    return answer")
    return "\n".join(lines)


def _dataclass(record: Record) -> str:
    lines = ["@dataclasses.dataclass(frozen=True, kw_only=True)", f"class {record.name}:"]
    if record.description:
        lines.append("    " + _docstring(record.description))
    for field in record.fields:
        hint = render(field.kind)
        renamed = f"metadata={{'name': {field.wire!r}}}" if field.name != field.wire else ""
        if field.required:
            default = f" = dataclasses.field({renamed})" if renamed else ""
        else:
            hint += " | Unset"
            default = f" = dataclasses.field(default=UNSET, {renamed})" if renamed else " = UNSET"
        lines.append(f"    {_safe(field.name)}: {hint}{default}")
        if field.description:
            lines.append("    " + _docstring(field.description))
    return "\n".join(lines)


def _typed_dict(record: Record) -> str:
    """The functional form: keys need not be identifiers, and a text cannot be more than a key."""
    fields = "".join(
        f"        {field.wire!r}: {render(field.kind)!r},\n" for field in record.fields
    )
    return f"{record.name} = TypedDict(\n    {record.name!r},\n    {{\n{fields}    }},\n    total=False,\n)"


def render(kind: Kind, alternatives: frozenset[str] = frozenset()) -> str:
    """A type as Python writes it. `alternatives`: records that may also be given as a dictionary."""
    if kind.kind in _SCALARS:
        return _SCALARS[kind.kind]
    if kind.kind == "list":
        return f"list[{render(kind.items[0], alternatives)}]"
    if kind.kind == "map":
        return f"dict[str, {render(kind.items[0], alternatives)}]"
    if kind.kind == "record":
        return f"{kind.record} | dict[str, Any]" if kind.record in alternatives else kind.record
    if kind.kind == "literal":
        return f"Literal[{', '.join(repr(value) for value in kind.values)}]"
    return " | ".join(dict.fromkeys(render(item, alternatives) for item in kind.items))


def _safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def _docstring(text: str) -> str:
    """A text as a string literal in triple quotes that nothing inside can end."""
    inner = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{inner}"""'
