"""Requests: an operation and its arguments as one HTTP request – method, address, headers, content.

Decides, sends nothing. The address begins with the pinned base and stays below it: values are encoded per
place (`model/text/uri_text.py`), header values may not hold line ends, bodies are made by media type.
Implements ATM §16.2 for the wire; threat 25 of conformance/threats.toml.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atip.apis.http.bodies import content_of
from atip.errors import UsageError
from atip.model.text.uri_text import encode, path_value, query_pairs, text_of
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.operation import Operation, Parameter

_TEMPLATE = re.compile(r"\{([^{}/]+)\}")
_BAD_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class HttpRequest(Value):
    """One HTTP request. `url` is complete and encoded."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    content: bytes | None = None


def build_request(operation: Operation, arguments: Mapping[str, object], base: str) -> HttpRequest:
    """Build the request that calls `operation` below `base`. Expects validated arguments.

    Raises:
        UsageError: `api.missing-argument`, `api.path-value`, `api.header-value`, `api.body-value`.
    """
    values = _parameter_values(operation, arguments)
    path, query, headers, cookies = _place(operation, values)
    content: bytes | None = None
    body = operation.body
    if body is not None and body.argument in arguments:
        content, media_type = content_of(body, arguments[body.argument])
        headers.append(("Content-Type", media_type))
    if cookies:
        headers.append(("Cookie", "; ".join(cookies)))
    accepted = operation.output_media_type or "application/json"
    headers.append(("Accept", accepted if accepted == "*/*" else f"{accepted}, */*;q=0.1"))
    url = (operation.server or base).rstrip("/") + path
    if query:
        url += ("&" if "?" in url else "?") + "&".join(f"{key}={value}" for key, value in query)
    return HttpRequest(method=operation.method, url=url, headers=tuple(headers), content=content)


def _parameter_values(
    operation: Operation, arguments: Mapping[str, object]
) -> list[tuple[Parameter, object]]:
    pairs: list[tuple[Parameter, object]] = []
    for parameter in operation.parameters:
        if parameter.argument in arguments:
            pairs.append((parameter, arguments[parameter.argument]))
        elif parameter.required:
            pairs.append((parameter, only_value(parameter)))
    return pairs


def only_value(parameter: Parameter) -> object:
    """The value of a required parameter that allows only one, so that callers can omit it.

    Raises:
        UsageError: `api.missing-argument` when several values are possible.
    """
    choices = parameter.schema.get("enum")
    if isinstance(choices, list) and len(choices) == 1:
        return choices[0]
    if "const" in parameter.schema:
        return parameter.schema["const"]
    raise UsageError("api.missing-argument", f"`{parameter.argument}` is required")


def _place(
    operation: Operation, values: list[tuple[Parameter, object]]
) -> tuple[str, list[tuple[str, str]], list[tuple[str, str]], list[str]]:
    in_path: dict[str, str] = {}
    query: list[tuple[str, str]] = []
    headers: list[tuple[str, str]] = []
    cookies: list[str] = []
    for parameter, value in values:
        if parameter.media_type:
            value = text_of(value) if isinstance(value, str) else _json(value)
        if parameter.place == "path":
            in_path[parameter.name] = path_value(
                parameter.name, value, parameter.style, parameter.explode
            )
        elif parameter.place == "query":
            query += query_pairs(
                parameter.name, value, parameter.style, parameter.explode, parameter.allow_reserved
            )
        elif parameter.place == "header":
            headers.append((parameter.name, _header(parameter.name, value, parameter.explode)))
        else:
            pairs = query_pairs(parameter.name, value, parameter.style, parameter.explode)
            cookies += [f"{name}={text}" for name, text in pairs]
    return _path(operation.path, in_path), query, headers, cookies


def _path(template: str, values: Mapping[str, str]) -> str:
    # A fragment is never sent; some documents use one to distinguish operations of one address.
    path = template.split("#", 1)[0]
    filled = _TEMPLATE.sub(lambda match: values.get(match.group(1), match.group(0)), path)
    return filled if filled.startswith("/") or not filled else f"/{filled}"


def _header(name: str, value: object, explode: bool) -> str:
    if isinstance(value, dict):
        sign = "=" if explode else ","
        text = ",".join(f"{key}{sign}{text_of(item)}" for key, item in value.items())
    elif isinstance(value, (list, tuple)):
        text = ",".join(text_of(item) for item in value)
    else:
        text = text_of(value)
    # SECURITY: a line end would begin a header, or a body, of the value's own choice.
    if _BAD_HEADER.search(text) or _BAD_HEADER.search(name):
        raise UsageError("api.header-value", f"`{name}` contains a control character")
    return text if text.isascii() else encode(text)


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
