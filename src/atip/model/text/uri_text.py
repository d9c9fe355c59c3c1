"""Values as parts of an address: percent-encoded per place, styles of OpenAPI (RFC 6570), no way out.

SECURITY: a value stays where it was put. Everything but unreserved characters is encoded; a path value may be
neither empty nor a dot segment, because servers and proxies rewrite those (`../../admin`, row 25).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_RESERVED = frozenset(b":/?#[]@!$&'()*+,;=")
_QUERY_RESERVED = _RESERVED - frozenset(b"#&+=")
"""With `allowReserved` a query value keeps its reserved characters, but for those that would end it."""
_DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "|", "tabDelimited": "%09"}


def encode(text: str, keep: frozenset[int] = frozenset()) -> str:
    """`text` percent-encoded; bytes in `keep` stay beside the unreserved ones."""
    return "".join(
        chr(byte) if byte in _UNRESERVED or byte in keep else f"%{byte:02X}"
        for byte in text.encode("utf-8", "surrogatepass")
    )


def text_of(value: object) -> str:
    """A scalar as text, as JSON writes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (str, int, float)):
        return str(value)
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def path_value(name: str, value: object, style: str, explode: bool) -> str:
    """A path parameter in `simple`, `label` or `matrix` style.

    Raises:
        UsageError: `api.path-value` for a value that would change the path.
    """
    encoded = _path_value(name, value, style, explode)
    # SECURITY: `.` and `..` cannot be hidden by encoding; every URL parser removes them, encoded or not.
    if encoded in {"", ".", ".."}:
        raise UsageError(
            "api.path-value",
            f"`{name}` cannot be `{text_of(value)}`: it would change the path of the request",
            hint="use a value that is not empty, `.` or `..`",
        )
    return encoded


def _path_value(name: str, value: object, style: str, explode: bool) -> str:
    if style == "label":
        return "." + _join(value, "." if explode else ",", explode)
    if style == "matrix":
        return _matrix(encode(name), value, explode)
    return _join(value, ",", explode)


def _matrix(name: str, value: object, explode: bool) -> str:
    if isinstance(value, dict) and explode:
        return "".join(
            f";{encode(str(key))}={encode(text_of(item))}" for key, item in value.items()
        )
    if isinstance(value, (list, tuple)) and explode:
        return "".join(f";{name}={encode(text_of(item))}" for item in value)
    return f";{name}={_join(value, ',', False)}"


def _join(value: object, between: str, explode: bool) -> str:
    if isinstance(value, dict):
        sign = "=" if explode else ","
        return between.join(
            f"{encode(str(key))}{sign}{encode(text_of(item))}" for key, item in value.items()
        )
    if isinstance(value, (list, tuple)):
        return between.join(encode(text_of(item)) for item in value)
    return encode(text_of(value))


def query_pairs(
    name: str, value: object, style: str, explode: bool, allow_reserved: bool = False
) -> list[tuple[str, str]]:
    """A query parameter as encoded pairs, in `form`, delimited or `deepObject` style."""
    keep = _QUERY_RESERVED if allow_reserved else frozenset()
    if isinstance(value, dict):
        return _object_pairs(name, value, style, explode, keep)
    if isinstance(value, (list, tuple)):
        if style == "deepObject":
            return [(f"{encode(name)}%5B%5D", encode(text_of(item), keep)) for item in value]
        if explode and style == "form":
            return [(encode(name), encode(text_of(item), keep)) for item in value]
        between = _DELIMITERS.get(style, ",")
        return [(encode(name), between.join(encode(text_of(item), keep) for item in value))]
    return [(encode(name), encode(text_of(value), keep))]


def _object_pairs(
    name: str, value: Mapping[str, object], style: str, explode: bool, keep: frozenset[int]
) -> list[tuple[str, str]]:
    if style == "deepObject":
        return deep_pairs(name, value, keep)
    if explode and style == "form":
        return [(encode(str(key)), encode(text_of(item), keep)) for key, item in value.items()]
    between = _DELIMITERS.get(style, ",")
    flat: list[str] = []
    for key, item in value.items():
        flat += [encode(str(key)), encode(text_of(item), keep)]
    return [(encode(name), between.join(flat))]


def deep_pairs(
    name: str, value: object, keep: frozenset[int] = frozenset(), *, encoded: bool = False
) -> list[tuple[str, str]]:
    """Nested values as `a[b][0]=c`: the usual reading of `deepObject` beyond one level."""
    encoded_name = name if encoded else encode(name)
    if isinstance(value, dict):
        children: Sequence[tuple[str, object]] = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, (list, tuple)):
        children = [(str(index), item) for index, item in enumerate(value)]
    else:
        return [(encoded_name, encode(text_of(value), keep))]
    pairs: list[tuple[str, str]] = []
    for key, item in children:
        pairs += deep_pairs(f"{encoded_name}%5B{encode(key)}%5D", item, keep, encoded=True)
    return pairs
