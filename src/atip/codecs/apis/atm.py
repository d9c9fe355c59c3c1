"""ATM manifests (`.agent-ready.json`) of APIs, and a tool as a manifest with one custom source.

`manifest_of` derives everything that can be derived: totals, capabilities, `auth.required`, the checksum (T5, T9, T11).
Fields that add nothing are left out (§3.1). Judging a manifest is `model/shapes/check_atm.py`.
Implements ATM 1.0.0-draft §6–§12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.calls.functions import functions_of
from atip.calls.schema import function_schema
from atip.codecs.apis.operation_schema import schemas_of
from atip.codecs.interface import Decoded, Encoded, Loss
from atip.codecs.providers.safety import clean_text, shorten
from atip.errors import FormatError
from atip.model.operation import SOURCE_KINDS
from atip.model.reading.reader import read_json
from atip.model.shapes.check_atm import (
    CAPABILITIES_BY_KIND,
    check_manifest,
    checksum_of,
    savings_text,
)
from atip.model.text.identifiers import slug, unique
from atip.model.tool import Command, Tool
from atip.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from atip.model.operation import Api, Operation

SPEC_VERSION = "1.0.0"
RUNTIME_CAPABILITIES = (
    *("connection-pooling", "retry-policy", "authentication", "instrumentation", "streaming"),
)
"""Capabilities of our runtime; each has a test (ATM-7-15)."""
MAX_DESCRIPTION = 500


def manifest_of(
    apis: Sequence[Api],
    *,
    name: str,
    description: str,
    generated: str,
    paths: Mapping[str, str],
    language: str = "python",
    tokens: Mapping[str, Any] | None = None,
    definitions: bool = False,
) -> dict[str, Any]:
    """Build the manifest of some APIs.

    Args:
        generated: the time, as RFC 3339 text.
        tokens: `traditional`, `codeMode` and `x-method`; left out when nothing is saved (T7).
        definitions: also write every tool in full (§8.1).
    """
    names = source_names(apis)
    manifest: dict[str, Any] = {
        "specVersion": SPEC_VERSION,
        "codeMode": True,
        "name": name,
        "description": shorten(clean_text(description), MAX_DESCRIPTION),
        "version": _semver(__version__),
        "generated": generated,
        "language": language,
        "sources": _sources(apis, names),
        "tools": _tools(apis, names),
        "paths": dict(paths),
        "capabilities": _capabilities(apis),
    }
    auth = _authentication(apis, names)
    if auth:
        manifest["auth"] = auth
    reduction = token_reduction(tokens) if tokens else None
    if reduction:
        manifest["tokenReduction"] = reduction
        manifest["x-atip-tokens"] = {
            key: value for key, value in (tokens or {}).items() if key[:2] == "x-"
        }
    if definitions:
        manifest["toolDefinitions"] = {
            names[id(api)]: tool_definitions(api) for api in apis if api.operations
        }
    manifest["metadata"] = {"generatedBy": f"atip@{__version__}"}
    manifest["metadata"]["checksum"] = checksum_of(manifest)
    return manifest


def source_names(apis: Sequence[Api]) -> dict[int, str]:
    """A name for each Api, unique over all kinds: a second one gets its kind in front (T13)."""
    used: set[str] = set()
    names = {}
    for api in apis:
        name = slug(api.name, "source", frozenset()).replace("_", "-")
        if name in used:
            name = unique(f"{api.kind}-{name}", used)
        used.add(name)
        names[id(api)] = name
    return names


def tool_definitions(api: Api) -> list[dict[str, Any]]:
    """Every operation as a tool definition (§8.2)."""
    schemas = schemas_of(api)
    return [_definition(operation, schemas.input_of(operation)) for operation in api.operations]


def _definition(operation: Operation, schema: Mapping[str, Any]) -> dict[str, Any]:
    text = operation.summary or operation.description or operation.original
    metadata: dict[str, Any] = {}
    if operation.category:
        metadata["category"] = operation.category
    if operation.security:
        metadata["requiresAuth"] = () not in operation.security
    if operation.deprecated:
        metadata["deprecated"] = True
    if operation.path:
        metadata |= {"httpMethod": operation.method, "httpPath": operation.path}
    if operation.original != operation.name:
        metadata["x-original-name"] = operation.original
    definition: dict[str, Any] = {
        "name": operation.name,
        "description": shorten(clean_text(text), MAX_DESCRIPTION) or operation.name,
        "inputSchema": dict(schema),
    }
    if metadata:
        definition["metadata"] = metadata
    return definition


def token_reduction(tokens: Mapping[str, Any]) -> dict[str, Any] | None:
    """§10.1; None when nothing is saved: the format does not allow a negative number (T7)."""
    before, after = int(tokens["traditional"]), int(tokens["codeMode"])
    if before <= after or before <= 0:
        return None
    share = round(1 - after / before, 4)
    return {
        "traditional": before,
        "codeMode": after,
        "reduction": share,
        "savings": savings_text(share),
    }


def _sources(apis: Iterable[Api], names: Mapping[int, str]) -> dict[str, Any]:
    sources: dict[str, Any] = {}
    for kind in SOURCE_KINDS:
        listed_names = [names[id(api)] for api in apis if api.kind == kind]
        if listed_names:
            sources[kind] = listed_names
    sources["total"] = sum(len(source) for source in sources.values())
    return sources


def _tools(apis: Iterable[Api], names: Mapping[int, str]) -> dict[str, Any]:
    counts = {names[id(api)]: len(api.operations) for api in apis}
    return {"total": sum(counts.values()), "bySource": counts}


def _capabilities(apis: Sequence[Api]) -> list[str]:
    kinds = {api.kind for api in apis}
    capabilities = [
        "type-safety",
        *(CAPABILITIES_BY_KIND[kind] for kind in SOURCE_KINDS[:4] if kind in kinds),
    ]
    return [*capabilities, *RUNTIME_CAPABILITIES]


def _authentication(apis: Iterable[Api], names: Mapping[int, str]) -> dict[str, Any]:
    sources: dict[str, Any] = {}
    for api in apis:
        types = list(dict.fromkeys(scheme.type for scheme in api.schemes))
        is_required = any(
            operation.security and () not in operation.security for operation in api.operations
        )
        if not types:
            sources[names[id(api)]] = {"types": ["none"], "required": False}
            continue
        entry: dict[str, Any] = {"types": types, "default": types[0], "required": is_required}
        instructions = next(
            (scheme.description for scheme in api.schemes if scheme.description), ""
        )
        if instructions:
            entry["instructions"] = shorten(" ".join(clean_text(instructions).split()), 200)
        sources[names[id(api)]] = entry
    if all(source["types"] == ["none"] for source in sources.values()):
        return {}
    return {"required": any(source["required"] for source in sources.values()), "sources": sources}


def listed_sources(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Name, kind and number of operations of every source in a manifest; None: the manifest does not state the number.

    Raises:
        FormatError: `atm.invalid`.
    """
    problems = check_manifest(manifest, "lenient")
    if any(problem.severity == "error" for problem in problems):
        raise FormatError("atm.invalid", "this is not a valid manifest", problems=problems)
    counts = manifest["tools"].get("bySource") or {}
    return [
        {"name": name, "kind": kind, "operations": counts.get(name)}
        for kind, names in manifest["sources"].items()
        if isinstance(names, list)
        for name in names
    ]


def decode(data: Any, *, origin: str = "") -> Decoded:
    """A manifest with tool definitions as a tool: one command per source, below it one per tool.

    Raises:
        FormatError: `atm.invalid`; `atm.no-definitions` when the manifest only counts its tools.
    """
    data = read_json(data) if isinstance(data, bytes) else data
    problems = check_manifest(data, "lenient")
    if any(problem.severity == "error" for problem in problems):
        raise FormatError("atm.invalid", "this is not a valid manifest", problems=problems)
    definitions = data.get("toolDefinitions")
    if not definitions:
        raise FormatError(
            "atm.no-definitions",
            "the manifest counts its tools but does not describe them",
            hint="read the definitions from the wrappers; `paths.wrappers` names them",
        )
    commands = {
        source: Command(
            description=f"tools of {source}",
            commands={operation["name"]: _command(operation) for operation in operations},
        )
        for source, operations in definitions.items()
    }
    tool = Tool(
        name=data["name"],
        version=data["version"],
        description=data["description"],
        commands=commands,
        extra={key: value for key, value in data.items() if key.startswith("x-")},
    )
    losses = (Loss(path="$.paths", message="wrappers, counts and token figures are dropped"),)
    return Decoded(tool=tool, losses=losses, problems=tuple(problems))


def _command(definition: Mapping[str, Any]) -> Command:
    from atip.codecs.apis.tree import command_of
    from atip.model.operation import Operation

    operation = Operation(
        name=definition["name"], original=definition["name"], description=definition["description"]
    )
    schema = definition["inputSchema"]
    return command_of(operation, {"properties": {}, **schema})


def encode(tool: Tool) -> Encoded:
    """A tool as a manifest of one custom source, with its definitions."""
    tools = []
    used: set[str] = set()
    for function in functions_of(tool):
        text = shorten(clean_text(function.description), MAX_DESCRIPTION)
        tools.append(
            {
                "name": unique(slug("_".join(function.path) or tool.name), used),
                "description": text or tool.name,
                "inputSchema": function_schema(function),
            }
        )
    name = slug(tool.name, "tool", frozenset()).replace("_", "-")
    if not tools:
        raise FormatError("atm.empty", "a manifest needs at least one tool (T4)")
    manifest: dict[str, Any] = {
        "specVersion": SPEC_VERSION,
        "codeMode": True,
        "name": name,
        "description": shorten(clean_text(tool.description), MAX_DESCRIPTION) or name,
        "version": _semver(__version__),
        "generated": "1970-01-01T00:00:00Z",
        "sources": {"custom": [name], "total": 1},
        "tools": {"total": len(tools), "bySource": {name: len(tools)}},
        "paths": {
            "runtime": "./codegen/runtime",
            "wrappers": "./codegen",
            "config": "./codegen.config.json",
        },
        "capabilities": ["type-safety"],
        "toolDefinitions": {name: tools},
        "metadata": {"generatedBy": f"atip@{__version__}"},
    }
    manifest["metadata"]["checksum"] = checksum_of(manifest)
    return Encoded(
        data=manifest,
        losses=(
            Loss(
                path="$.generated",
                message="a conversion has no clock; the epoch is written instead",
            ),
            Loss(path="$.effects", message="ATM has no field for effects"),
            Loss(path="$.trust", message="ATM has no field for trust, patterns and flags"),
        ),
    )


def _semver(version: str) -> str:
    """Our version as MAJOR.MINOR.PATCH."""
    parts = [part for part in version.split("+")[0].split(".") if part.isdecimal()][:3]
    return ".".join([*parts, "0", "0", "0"][:3])
