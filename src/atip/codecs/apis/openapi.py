"""OpenAPI 3.0, 3.1 and Swagger 2.0 documents as an Api: one operation for each method of each path.

Reads leniently – public documents are seldom valid – and loses no operation: what cannot be understood
inside one is left out and named in `lost`. Webhooks are calls that others make, so they are none of ours.
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
    """`swagger-2.0`, `openapi-3.0`, `openapi-3.1`, or nothing when it is no such document."""
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
            "this is neither an OpenAPI 3 nor a Swagger 2 document",
            hint="it must have `openapi: 3.x` or `swagger: 2.0` at its top",
        )
    reading = _Reading(document, dialect, names or {})
    operations = tuple(reading.operations())
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
        schemes=schemes_of(document, dialect, reading.pointers),
        definitions=reading.pointers,
        dialect=dialect,
        lost=tuple(reading.lost),
    )


class _Reading:
    """One pass over a document: remembers the names given away and what was lost."""

    def __init__(self, document: dict[str, Any], dialect: str, names: Mapping[str, str]) -> None:
        self.document = document
        self.dialect = dialect
        self.pointers = Pointers(document)
        self.lost: list[str] = []
        self._given = names
        self._names: set[str] = set(names.values())

    def operations(self) -> Iterator[Operation]:
        paths = self.document.get("paths")
        for path, item in (paths if isinstance(paths, dict) else {}).items():
            item = self.resolve(item, str(path))
            if not isinstance(item, dict):
                continue
            for method in METHODS:
                told = item.get(method)
                if isinstance(told, dict):
                    yield self._operation(str(path), item, method, told)

    def _operation(
        self, path: str, item: Mapping[str, Any], method: str, told: Mapping[str, Any]
    ) -> Operation:
        original = _text(told.get("operationId")) or f"{method}_{path}"
        tags = told.get("tags")
        where = f"{method} {path}"
        parameters = parameters_of(self, item, told, where)
        parameters += _unannounced(path, parameters)
        taken = {each.argument for each in parameters}
        output, media_type = output_of(self, told, where)
        return Operation(
            name=self._given.get(where)
            or unique(slug(original), self._names, (method, slug(path))),
            original=original,
            summary=_text(told.get("summary")),
            description=_text(told.get("description")),
            parameters=parameters,
            body=body_of(self, item, told, where, taken),
            output=output,
            output_media_type=media_type,
            method=method.upper(),
            path=path,
            server=next(iter(servers_of(told, self.dialect) or servers_of(item, self.dialect)), ""),
            security=security_of(told.get("security", self.document.get("security"))),
            category=_text(tags[0]) if isinstance(tags, list) and tags else "",
            deprecated=told.get("deprecated") is True,
        )

    def resolve(self, value: Any, where: str) -> Any:
        """The value behind a reference, or None with a line in `lost`."""
        try:
            return self.pointers.resolved(value)
        except ReferenceProblem as problem:
            self.lost.append(f"{where}: {problem.message}")
            return None


def _unannounced(path: str, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Parameters that the path template names but nobody declared: without them no request can be made."""
    known = {each.name for each in parameters if each.place == "path"}
    taken = {each.argument for each in parameters}
    return tuple(
        Parameter(
            argument=unique(slug(name, "value", ARGUMENTS), taken, ("path",)),
            name=name,
            place="path",
            schema={"type": "string"},
            required=True,
            style="simple",
            explode=False,
        )
        for name in dict.fromkeys(_TEMPLATE.findall(path))
        if name not in known
    )


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
