"""Bodies: a value as the content of a request, by media type – JSON, forms, multipart, text, bytes.

Files are given as `{"filename": …, "content": text}` or `{"filename": …, "base64": …}`, or as plain text;
a path is never read here: only values in the call are sent.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from atip.errors import UsageError
from atip.model.text.uri_text import deep_pairs, encode, query_pairs, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.operation import Body

_LINE_END = re.compile(r"[\r\n\x00]")


def content_of(body: Body, value: object) -> tuple[bytes, str]:
    """The bytes to send, and the `Content-Type` that describes them.

    Raises:
        UsageError: `api.body-value` when the value does not fit the media type.
    """
    media_type = body.media_type.split(";", 1)[0].strip().lower()
    if media_type == "application/x-www-form-urlencoded":
        return _form(body, _mapping(value, media_type)), body.media_type
    if media_type.startswith("multipart/"):
        return _multipart(body, _mapping(value, media_type), media_type)
    if (
        media_type == "application/json"
        or media_type.endswith("+json")
        or media_type in {"*/*", "application/*"}
    ):
        content_type = "application/json" if "*" in media_type else body.media_type
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), content_type
    return _raw(value), body.media_type


def _mapping(value: object, media_type: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UsageError("api.body-value", f"a body of {media_type} must be an object")
    return value


def _raw(value: object) -> bytes:
    if isinstance(value, dict) and set(value) <= {"base64", "filename", "type"}:
        return _file(value)[1]
    if isinstance(value, str):
        return value.encode()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _form(body: Body, value: Mapping[str, Any]) -> bytes:
    pairs: list[tuple[str, str]] = []
    for name, item in value.items():
        encoding = body.encoding.get(name)
        encoding = encoding if isinstance(encoding, dict) else {}
        style = encoding.get("style", "form")
        explode = encoding.get("explode", style == "form")
        if str(encoding.get("contentType", "")).endswith("json") and not isinstance(item, str):
            pairs.append((encode(name), encode(text_of(item))))
        elif isinstance(item, (dict, list)) and _is_nested(item):
            # Styles are defined for flat values only; brackets are what such servers read.
            pairs += deep_pairs(name, item)
        else:
            pairs += query_pairs(name, item, style, explode)
    return "&".join(f"{key}={text}" for key, text in pairs).encode()


def _is_nested(value: dict[str, Any] | list[Any]) -> bool:
    children = value.values() if isinstance(value, dict) else value
    return any(isinstance(child, (dict, list)) for child in children)


def _multipart(body: Body, value: Mapping[str, Any], media_type: str) -> tuple[bytes, str]:
    parts: list[tuple[str, str, str, bytes]] = []
    for name, field in value.items():
        encoding = body.encoding.get(name)
        kind = str(encoding.get("contentType", "")) if isinstance(encoding, dict) else ""
        for item in field if isinstance(field, list) else (field,):
            parts.append(_part(name, item, kind.split(",")[0].strip()))
    # The boundary follows from the content, so that one call always makes the same bytes.
    seal = hashlib.sha256(b"\0".join(part[3] for part in parts)).hexdigest()[:40]
    content_bytes = bytearray()
    for name, filename, kind, content in parts:
        content_bytes += f'--{seal}\r\nContent-Disposition: form-data; name="{name}"'.encode()
        content_bytes += f'; filename="{filename}"'.encode() if filename else b""
        content_bytes += f"\r\nContent-Type: {kind}".encode() if kind else b""
        content_bytes += b"\r\n\r\n" + content + b"\r\n"
    content_bytes += f"--{seal}--\r\n".encode()
    return bytes(content_bytes), f"{media_type}; boundary={seal}"


def _part(name: str, value: object, kind: str) -> tuple[str, str, str, bytes]:
    if isinstance(value, dict) and "filename" in value:
        filename, content = _file(value)
        kind = kind or str(value.get("type") or "application/octet-stream")
    elif isinstance(value, dict):
        filename, content = "", text_of(value).encode()
        kind = kind or "application/json"
    else:
        filename, content = "", text_of(value).encode()
    # SECURITY: quotes and line ends in a name would begin a part of the caller's own making.
    if _LINE_END.search(kind):
        raise UsageError("api.body-value", f"the media type of `{name}` contains a line break")
    return _quote(name), _quote(filename), kind, content


def _file(value: Mapping[str, Any]) -> tuple[str, bytes]:
    if isinstance(value.get("base64"), str):
        try:
            content = base64.b64decode(value["base64"], validate=True)
        except ValueError as error:
            raise UsageError("api.body-value", "`base64` is not valid base64") from error
    else:
        content = text_of(value.get("content", "")).encode()
    return str(value.get("filename", "")), content


def _quote(text: str) -> str:
    """A name inside `Content-Disposition`, as the HTML standard escapes it."""
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A").replace("\0", "%00")
