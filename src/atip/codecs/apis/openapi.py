"""OpenAPI 3.0, 3.1 and Swagger 2.0 documents as an Api: one operation for each method of each path.

Reads leniently – public documents are seldom valid – and keeps every operation: a part that cannot be read
is left out and listed in `lost`. Webhooks are calls to the client, so they are skipped.
Implements ATM §A.2 and T3. Pure: the caller brings the document as plain values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.codecs.apis.openapi_parts import (
    body_of,
    output_of,
    parameters_of,
    schemes_of,
    security_of,
    servers_of,
)
from atip.codecs.apis.openapi_refs import Pointers, ReferenceProblem
from atip.errors import FormatError
from atip.model.operation import Api, Operation, Parameter
from atip.model.text.identifiers import ARGUMENTS, slug, unique

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_TEMPLATE = re.compile(r"\{([^{}/]+)\}")


def dialect_of(document: object) -> str:
    """`swagger-2.0`, `openapi-3.0`, `openapi-3.1`, or empty for any other document."""
    if not isinstance(document, dict):
        return ""
    if str(document.get("swagger", "")).startswith("2"):
        return "swagger-2.0"
    version = str(document.get("openapi", ""))
    if version.startswith("3.0"):
        return "openapi-3.0"
    return "openapi-3.1" if version.startswith("3") else ""


def decode_api(
    document: object, *, name: str, origin: str = "", names: Mapping[str, str] | None = None
) -> Api:
    """The operations of an API description.

    Args:
        name: name of the source, as the manifest will list it.
        origin: address the document came from; relative servers are joined to it.
        names: names that operations (`get /path`) had before, when only a part of a document is read.

    Raises:
        FormatError: `api.not-openapi` when it is neither OpenAPI 3 nor Swagger 2.
    """
    dialect = dialect_of(document)
    if not dialect or not isinstance(document, dict):
        raise FormatError(
            "api.not-openapi",
            "neither an OpenAPI 3 nor a Swagger 2 document",
            hint="the top level must have `openapi: 3.x` or `swagger: 2.0`",
        )
    reader = _OpenApiReader(document, dialect, names or {})
    operations = tuple(reader.operations())
    about = document.get("info")
    about = about if isinstance(about, dict) else {}
    return Api(
        name=name,
        kind="openapi",
        title=_text(about.get("title")),
        description=_text(about.get("description")),
        version=_text(about.get("version")),
        servers=servers_of(document, dialect, origin),
        operations=operations,
        schemes=schemes_of(document, dialect, reader.pointers),
        definitions=reader.pointers,
        dialect=dialect,
        lost=tuple(reader.lost),
    )


class _OpenApiReader:
    """One pass over a document: collects the assigned names and the parts that were lost."""

    def __init__(self, document: dict[str, Any], dialect: str, names: Mapping[str, str]) -> None:
        self.document = document
        self.dialect = dialect
        self.pointers = Pointers(document)
        self.lost: list[str] = []
        self._earlier_names = names
        self._names: set[str] = set(names.values())

    def operations(self) -> Iterator[Operation]:
        paths = self.document.get("paths")
        for path, item in (paths if isinstance(paths, dict) else {}).items():
            item = self.resolve(item, str(path))
            if not isinstance(item, dict):
                continue
            for method in METHODS:
                raw = item.get(method)
                if isinstance(raw, dict):
                    yield self._operation(str(path), item, method, raw)

    def _operation(
        self, path: str, item: Mapping[str, Any], method: str, raw: Mapping[str, Any]
    ) -> Operation:
        original = _text(raw.get("operationId")) or f"{method}_{path}"
        tags = raw.get("tags")
        where = f"{method} {path}"
        parameters = parameters_of(self, item, raw, where)
        parameters += _undeclared_parameters(path, parameters)
        used = {parameter.argument for parameter in parameters}
        output, media_type = output_of(self, raw, where)
        return Operation(
            name=self._earlier_names.get(where)
            or unique(slug(original), self._names, (method, slug(path))),
            original=original,
            summary=_text(raw.get("summary")),
            description=_text(raw.get("description")),
            parameters=parameters,
            body=body_of(self, item, raw, where, used),
            output=output,
            output_media_type=media_type,
            method=method.upper(),
            path=path,
            server=next(iter(servers_of(raw, self.dialect) or servers_of(item, self.dialect)), ""),
            security=security_of(raw.get("security", self.document.get("security"))),
            category=_text(tags[0]) if isinstance(tags, list) and tags else "",
            deprecated=raw.get("deprecated") is True,
        )

    def resolve(self, value: Any, where: str) -> Any:
        """The value behind a reference, or None with a line in `lost`."""
        try:
            return self.pointers.resolve(value)
        except ReferenceProblem as problem:
            self.lost.append(f"{where}: {problem.message}")
            return None


def _undeclared_parameters(path: str, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Path parameters that the template names but the document does not declare: a request needs them."""
    declared = {parameter.name for parameter in parameters if parameter.place == "path"}
    used = {parameter.argument for parameter in parameters}
    return tuple(
        Parameter(
            argument=unique(slug(name, "value", ARGUMENTS), used, ("path",)),
            name=name,
            place="path",
            schema={"type": "string"},
            required=True,
            style="simple",
            explode=False,
        )
        for name in dict.fromkeys(_TEMPLATE.findall(path))
        if name not in declared
    )


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
