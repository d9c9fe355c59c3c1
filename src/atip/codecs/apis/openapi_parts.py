"""The parts of an OpenAPI operation: parameters, body, answer, security, servers – Swagger 2 read as if it were 3.

Each function takes the source (`resolve`, `dialect`, `document`) and raw values, and returns model values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urljoin

from atip.model.operation import AuthScheme, Body, Parameter
from atip.model.text.identifiers import ARGUMENTS, slug, unique

if TYPE_CHECKING:
    from collections.abc import Mapping

    class OpenApiSource(Protocol):
        document: dict[str, Any]
        dialect: str

        def resolve(self, value: Any, where: str) -> Any: ...


_STYLES = {
    "path": ("simple", False),
    "query": ("form", True),
    "header": ("simple", False),
    "cookie": ("form", True),
}
_COLLECTIONS = {
    "csv": ("form", False),
    "multi": ("form", True),
    "ssv": ("spaceDelimited", False),
    "tsv": ("tabDelimited", False),
    "pipes": ("pipeDelimited", False),
}
_IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization"})
"""OpenAPI 3 says that parameters of these names are ignored: the body and the security schemes decide."""
_SCHEMA_KEYS = frozenset(
    """type format items enum default maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength
    pattern maxItems minItems uniqueItems multipleOf title""".split()  # noqa: SIM905
)
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def parameters_of(
    source: OpenApiSource, item: Mapping[str, Any], operation: Mapping[str, Any], where: str
) -> tuple[Parameter, ...]:
    """Path, query, header and cookie parameters; an operation's own replace those of its path."""
    raws: dict[tuple[str, str], Mapping[str, Any]] = {}
    for raw in raw_parameters(source, item, operation, where):
        raws[(str(raw.get("name")), str(raw.get("in")))] = raw
    used: set[str] = set()
    parameters = []
    for (name, place), raw in raws.items():
        if place not in _STYLES or (place == "header" and name.lower() in _IGNORED_HEADERS):
            continue
        argument = unique(slug(name, "value", ARGUMENTS), used, (place,))
        parameters.append(_parameter(argument, name, place, raw))
    return tuple(parameters)


def raw_parameters(
    source: OpenApiSource, item: Mapping[str, Any], operation: Mapping[str, Any], where: str
) -> list[Mapping[str, Any]]:
    """Parameter objects behind their references, those of the path first."""
    parameters: list[Mapping[str, Any]] = []
    for owner in (item, operation):
        values = owner.get("parameters")
        for value in values if isinstance(values, list) else ():
            raw = source.resolve(value, where)
            if isinstance(raw, dict) and isinstance(raw.get("name"), str):
                parameters.append(raw)
    return parameters


def _parameter(argument: str, name: str, place: str, raw: Mapping[str, Any]) -> Parameter:
    style, explode = _STYLES[place]
    media_type = ""
    schema = raw.get("schema")
    content = raw.get("content")
    if isinstance(content, dict) and content:
        media_type, media = next(iter(content.items()))
        schema = media.get("schema") if isinstance(media, dict) else None
    elif schema is None:
        schema = {key: value for key, value in raw.items() if key in _SCHEMA_KEYS}
        style, explode = _COLLECTIONS.get(str(raw.get("collectionFormat")), (style, False))
        if place in {"path", "header"}:
            style = "simple"
    if isinstance(raw.get("style"), str):
        style = raw["style"]
        explode = style == "form"
    if isinstance(raw.get("explode"), bool):
        explode = raw["explode"]
    return Parameter(
        argument=argument,
        name=name,
        place=place,
        schema=schema if isinstance(schema, dict) else {},
        required=place == "path" or raw.get("required") is True,
        description=str(raw.get("description") or "").strip(),
        style=style,
        explode=explode,
        allow_reserved=raw.get("allowReserved") is True,
        media_type=media_type,
        deprecated=raw.get("deprecated") is True,
    )


def body_of(
    source: OpenApiSource,
    item: Mapping[str, Any],
    operation: Mapping[str, Any],
    where: str,
    used: set[str],
) -> Body | None:
    """The request body, in the preferred media type."""
    if source.dialect == "swagger-2.0":
        return _swagger_body(source, item, operation, where, used)
    raw = source.resolve(operation.get("requestBody"), where)
    if not isinstance(raw, dict):
        return None
    content = raw.get("content")
    if not isinstance(content, dict) or not content:
        return None
    media_type = preferred_media_type(tuple(content))
    media = content[media_type] if isinstance(content[media_type], dict) else {}
    schema, encoding = media.get("schema"), media.get("encoding")
    return Body(
        argument=unique("body", used),
        media_type=media_type,
        schema=schema if isinstance(schema, dict) else {},
        required=raw.get("required") is True,
        description=str(raw.get("description") or "").strip(),
        encoding=encoding if isinstance(encoding, dict) else {},
        other_media_types=tuple(other for other in content if other != media_type),
    )


def preferred_media_type(media_types: tuple[str, ...]) -> str:
    """The preferred media type: JSON, then forms, then text, then the first one listed."""
    return min(media_types, key=_rank)


def _rank(media_type: str) -> int:
    essence = media_type.split(";", 1)[0].strip().lower()
    if essence == "application/json":
        return 0
    if essence.endswith("+json"):
        return 1
    order = (FORM, MULTIPART, "text/plain", "application/octet-stream")
    return 2 + order.index(essence) if essence in order else 9


def _swagger_body(
    source: OpenApiSource,
    item: Mapping[str, Any],
    operation: Mapping[str, Any],
    where: str,
    used: set[str],
) -> Body | None:
    consumes = operation.get("consumes") or source.document.get("consumes") or ["application/json"]
    kinds = tuple(media_type for media_type in consumes if isinstance(media_type, str)) or (
        "application/json",
    )
    raws = raw_parameters(source, item, operation, where)
    for raw in raws:
        if raw.get("in") == "body":
            schema = raw.get("schema")
            return Body(
                argument=unique(slug(raw["name"], "body", ARGUMENTS), used, ("body",)),
                media_type=preferred_media_type(kinds),
                schema=schema if isinstance(schema, dict) else {},
                required=raw.get("required") is True,
                description=str(raw.get("description") or "").strip(),
            )
    fields = [raw for raw in raws if raw.get("in") == "formData"]
    return _swagger_form(fields, kinds, used) if fields else None


def _swagger_form(fields: list[Mapping[str, Any]], kinds: tuple[str, ...], used: set[str]) -> Body:
    has_file = any(raw.get("type") == "file" for raw in fields)
    properties: dict[str, Any] = {}
    for raw in fields:
        schema = {key: value for key, value in raw.items() if key in _SCHEMA_KEYS}
        if raw.get("type") == "file":
            schema = {"type": "string", "format": "binary"}
        if raw.get("description"):
            schema["description"] = raw["description"]
        properties[raw["name"]] = schema
    required = [raw["name"] for raw in fields if raw.get("required") is True]
    schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return Body(
        argument=unique("form", used, ("body",)),
        media_type=MULTIPART if has_file or (MULTIPART in kinds and FORM not in kinds) else FORM,
        schema=schema,
        required=bool(required),
    )


def output_of(
    source: OpenApiSource, operation: Mapping[str, Any], where: str
) -> tuple[Mapping[str, Any] | None, str]:
    """Schema and media type of the first successful response that has a schema."""
    responses = operation.get("responses")
    responses = responses if isinstance(responses, dict) else {}
    for status in sorted(responses, key=str):
        if not (str(status).startswith("2") or str(status).lower() == "default"):
            continue
        raw = source.resolve(responses[status], where)
        if not isinstance(raw, dict):
            continue
        content = raw.get("content")
        if isinstance(content, dict) and content:
            media_type = preferred_media_type(tuple(content))
            schema = (
                content[media_type].get("schema") if isinstance(content[media_type], dict) else None
            )
            return (schema if isinstance(schema, dict) else None), media_type
        if isinstance(raw.get("schema"), dict):
            produces = operation.get("produces") or source.document.get("produces")
            kinds = tuple(produces) if isinstance(produces, list) and produces else ()
            return raw["schema"], preferred_media_type(kinds or ("application/json",))
    return None, ""


def security_of(value: object) -> tuple[tuple[str, ...], ...]:
    """Alternatives of scheme names; an empty list means that no credentials are needed."""
    if not isinstance(value, list):
        return ()
    return tuple(
        tuple(map(str, requirement)) for requirement in value if isinstance(requirement, dict)
    )


def schemes_of(document: Mapping[str, Any], dialect: str, pointers: Any) -> tuple[AuthScheme, ...]:
    """The security schemes of a document, as ATM names them (§9.4)."""
    components = document.get("components")
    raws = document.get("securityDefinitions") if dialect == "swagger-2.0" else None
    if raws is None and isinstance(components, dict):
        raws = components.get("securitySchemes")
    schemes = []
    for name, raw in (raws if isinstance(raws, dict) else {}).items():
        raw = pointers.resolve(raw)
        if isinstance(raw, dict):
            schemes.append(_scheme(str(name), raw))
    return tuple(schemes)


def _scheme(name: str, raw: Mapping[str, Any]) -> AuthScheme:
    kind, scheme = str(raw.get("type", "")), str(raw.get("scheme", "")).lower()
    description = str(raw.get("description") or "").strip()
    if kind == "apiKey":
        return AuthScheme(
            name=name,
            type="apiKey",
            place=str(raw.get("in", "header")),
            parameter=str(raw.get("name", "")),
            description=description,
        )
    if kind == "basic" or (kind == "http" and scheme == "basic"):
        return AuthScheme(name=name, type="basic", description=description)
    if kind == "http" and scheme == "bearer":
        return AuthScheme(name=name, type="bearer", description=description)
    if kind in {"oauth2", "openIdConnect"}:
        return AuthScheme(name=name, type="oauth2", scopes=_scopes(raw), description=description)
    return AuthScheme(name=name, type="custom", scheme=scheme or kind, description=description)


def _scopes(raw: Mapping[str, Any]) -> tuple[str, ...]:
    flows = raw.get("flows")
    owners = list(flows.values()) if isinstance(flows, dict) else [raw]
    names: dict[str, None] = {}
    for owner in owners:
        scopes = owner.get("scopes") if isinstance(owner, dict) else None
        names.update(dict.fromkeys(map(str, scopes if isinstance(scopes, dict) else ())))
    return tuple(names)


def servers_of(owner: Mapping[str, Any], dialect: str, origin: str = "") -> tuple[str, ...]:
    """Base addresses, variables replaced by their defaults, without a slash at the end."""
    if dialect == "swagger-2.0":
        return _swagger_servers(owner, origin)
    urls = []
    servers = owner.get("servers")
    for server in servers if isinstance(servers, list) else ():
        if not isinstance(server, dict) or not isinstance(server.get("url"), str):
            continue
        url = server["url"]
        variables = server.get("variables")
        for name, variable in (variables if isinstance(variables, dict) else {}).items():
            if isinstance(variable, dict) and "default" in variable:
                url = url.replace("{" + str(name) + "}", str(variable["default"]))
        urls.append((urljoin(origin, url) if origin else url).rstrip("/"))
    return tuple(dict.fromkeys(urls))


def _swagger_servers(owner: Mapping[str, Any], origin: str) -> tuple[str, ...]:
    host, base = owner.get("host"), str(owner.get("basePath") or "")
    if not isinstance(host, str) or not host:
        return (urljoin(origin, base).rstrip("/"),) if origin and "swagger" in owner else ()
    schemes = owner.get("schemes")
    declared = [
        scheme
        for scheme in (schemes if isinstance(schemes, list) else ())
        if isinstance(scheme, str)
    ]
    order = sorted(declared or ["https"], key=lambda scheme: scheme != "https")
    return tuple(f"{scheme}://{host}{base}".rstrip("/") for scheme in order if "http" in scheme)
