"""Custom sources: tool definitions written by hand (ATM §8.2), called over HTTP by their `httpMethod` and `httpPath`.

Path parameters are those the path names; of the others, GET and DELETE send a query, the rest a JSON body.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from atip.apis.effects import with_effects
from atip.apis.fetching import read_place
from atip.apis.interface import LoadedSource
from atip.apis.sources.openapi import OpenApiConnection
from atip.errors import FormatError
from atip.model.operation import Api, Body, Operation, Parameter
from atip.model.reading.reader import read_json
from atip.model.shapes.atm import TOOL_DEFINITION
from atip.model.shapes.check import check_shape
from atip.model.shapes.shape import Items
from atip.model.text.identifiers import ARGUMENTS, slug, unique
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.apis.config import SourceConfig
    from atip.apis.interface import ApiAccess

_TEMPLATE = re.compile(r"\{([^{}/]+)\}")
_IN_QUERY = frozenset({"GET", "HEAD", "DELETE", "OPTIONS"})


def load(config: SourceConfig, access: ApiAccess) -> LoadedSource:
    """Read the definitions from the configuration or from its file.

    Raises:
        FormatError: `api.custom` with all problems.
    """
    definitions = config.settings.get("tools")
    if "file" in config.settings:
        definitions = read_json(read_place(str(config.settings["file"]), config, access))
    problems = check_shape(definitions, Items(TOOL_DEFINITION, minimum=1))  # type: ignore[arg-type]
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors or not isinstance(definitions, list):
        raise FormatError("api.custom", "the tool definitions are not valid", problems=errors)
    names: set[str] = set()
    operations = tuple(_operation(definition, names) for definition in definitions)
    servers = (str(config.settings["baseUrl"]),) if "baseUrl" in config.settings else ()
    api = Api(
        name=config.name, kind="custom", title=config.name, servers=servers, operations=operations
    )
    raw = json.dumps(definitions, ensure_ascii=False, separators=(",", ":"))
    return LoadedSource(api=with_effects(api), raw=raw, digest=f"sha256:{sha256_hex(raw.encode())}")


def connect(config: SourceConfig, header: Api, access: ApiAccess) -> OpenApiConnection:
    """A connection over HTTP."""
    return OpenApiConnection(config, header, access)


def _operation(definition: Mapping[str, Any], names: set[str]) -> Operation:
    metadata = definition.get("metadata", {})
    method, path = metadata.get("httpMethod", "POST"), metadata.get("httpPath", "")
    if not path:
        raise FormatError("api.custom", f"`{definition['name']}` has no `metadata.httpPath`")
    schema = definition["inputSchema"]
    required = schema.get("required", [])
    in_path = set(_TEMPLATE.findall(path))
    used_names: set[str] = {"body"}
    parameters, rest = [], {}
    for key, property_schema in schema.get("properties", {}).items():
        if key in in_path or method in _IN_QUERY:
            place = "path" if key in in_path else "query"
            parameters.append(
                Parameter(
                    argument=unique(slug(key, "value", ARGUMENTS), used_names),
                    name=key,
                    place=place,
                    schema=property_schema,
                    required=place == "path" or key in required,
                    description=str(property_schema.get("description", "")),
                    style="simple" if place == "path" else "form",
                    explode=place != "path",
                )
            )
        else:
            rest[key] = property_schema
    missing = [key for key in required if key in rest]
    body = Body(
        argument="body",
        media_type="application/json",
        schema={"type": "object", "properties": rest, **({"required": missing} if missing else {})},
        required=bool(missing),
    )
    return Operation(
        name=unique(slug(definition["name"]), names),
        original=definition["name"],
        description=definition["description"],
        parameters=tuple(parameters),
        body=body if rest else None,
        output=definition.get("outputSchema"),
        method=method,
        path=path,
        category=metadata.get("category", ""),
        deprecated=bool(metadata.get("deprecated")),
    )
