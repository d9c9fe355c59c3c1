"""Requests of operations: every value in its place, in the style that the document asks for."""

from __future__ import annotations

import json
import typing

import pytest

from atip.apis.http.requests import build_request
from atip.errors import UsageError
from atip.model.operation import Body, Operation, Parameter

BASE = "https://api.example.org/v1"


def parameter(place: str, style: str = "", explode: bool | None = None, **more: typing.Any) -> Parameter:  # fmt: skip
    usual = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}[place]
    style = style or usual
    return Parameter(
        argument="x",
        name=more.pop("name", "x"),
        place=place,
        style=style,
        explode=style == "form" if explode is None else explode,
        **more,
    )


def url_of(each: Parameter, value: object, path: str = "/a") -> str:
    operation = Operation(name="t", original="t", method="GET", path=path, parameters=(each,))
    return build_request(operation, {"x": value}, BASE).url.removeprefix(BASE)


OBJECT = {"R": 100, "G": 200}
LIST = ["blue", "black"]


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        # the table of OpenAPI 3.1 §4.8.12.4
        ("simple", False, "blue", "/blue"),
        ("simple", False, LIST, "/blue,black"),
        ("simple", False, OBJECT, "/R,100,G,200"),
        ("simple", True, OBJECT, "/R=100,G=200"),
        ("label", False, "blue", "/.blue"),
        ("label", True, LIST, "/.blue.black"),
        ("label", True, OBJECT, "/.R=100.G=200"),
        ("matrix", False, "blue", "/;x=blue"),
        ("matrix", False, LIST, "/;x=blue,black"),
        ("matrix", True, LIST, "/;x=blue;x=black"),
        ("matrix", True, OBJECT, "/;R=100;G=200"),
    ],
)
def test_path_styles(style: str, explode: bool, value: object, expected: str) -> None:
    assert url_of(parameter("path", style, explode), value, "/{x}") == expected


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("form", True, "blue", "/a?x=blue"),
        ("form", True, LIST, "/a?x=blue&x=black"),
        ("form", False, LIST, "/a?x=blue,black"),
        ("form", True, OBJECT, "/a?R=100&G=200"),
        ("form", False, OBJECT, "/a?x=R,100,G,200"),
        ("spaceDelimited", False, LIST, "/a?x=blue%20black"),
        ("pipeDelimited", False, LIST, "/a?x=blue|black"),
        ("deepObject", True, OBJECT, "/a?x%5BR%5D=100&x%5BG%5D=200"),
        ("deepObject", True, {"a": {"b": [1, 2]}}, "/a?x%5Ba%5D%5Bb%5D%5B0%5D=1&x%5Ba%5D%5Bb%5D%5B1%5D=2"),
        ("form", True, True, "/a?x=true"),
        ("form", True, "", "/a?x="),
    ],
)  # fmt: skip
def test_query_styles(style: str, explode: bool, value: object, expected: str) -> None:
    assert url_of(parameter("query", style, explode), value) == expected


@pytest.mark.parametrize("value", ["..", ".", ""])
def test_path_value_that_would_change_the_path_is_refused(value: str) -> None:
    with pytest.raises(UsageError) as caught:
        url_of(parameter("path"), value, "/a/{x}/b")
    assert caught.value.code == "api.path-value"


def test_hostile_path_value_stays_one_segment() -> None:
    assert url_of(parameter("path"), "../../admin?x=1#y", "/a/{x}/b") == (
        "/a/..%2F..%2Fadmin%3Fx%3D1%23y/b"
    )


def test_hostile_query_value_stays_one_value() -> None:
    assert url_of(parameter("query"), "a&admin=1#f\r\nHost: evil") == (
        "/a?x=a%26admin%3D1%23f%0D%0AHost%3A%20evil"
    )


def test_reserved_signs_are_kept_only_where_allowed_and_harmless() -> None:
    assert url_of(parameter("query", allow_reserved=True), "a/b:c&d=#") == "/a?x=a/b:c%26d%3D%23"


@pytest.mark.parametrize("value", ["a\r\nHost: evil", "a\nb", "a\0b"])
def test_header_value_with_a_line_end_is_refused(value: str) -> None:
    operation = Operation(
        name="t", original="t", method="GET", path="/a", parameters=(parameter("header"),)
    )
    with pytest.raises(UsageError) as caught:
        build_request(operation, {"x": value}, BASE)
    assert caught.value.code == "api.header-value"


def test_header_and_cookie() -> None:
    operation = Operation(
        name="t",
        original="t",
        method="GET",
        path="/a",
        parameters=(
            parameter("header", name="X-Ids"),
            parameter("cookie", name="sid").replace(argument="c"),
        ),
    )
    headers = dict(build_request(operation, {"x": [1, 2], "c": "a;b"}, BASE).headers)
    assert headers["X-Ids"] == "1,2"
    assert headers["Cookie"] == "sid=a%3Bb"


def test_parameter_with_a_media_type_travels_as_json() -> None:
    each = parameter("query", media_type="application/json")
    assert url_of(each, {"a": [1]}) == "/a?x=%7B%22a%22%3A%5B1%5D%7D"


def test_required_parameter_with_one_choice_is_filled_in() -> None:
    each = parameter("query", name="Action", required=True, schema={"enum": ["Describe"]})
    operation = Operation(name="t", original="t", method="GET", path="/#Action=Describe", parameters=(each,))  # fmt: skip
    assert build_request(operation, {}, BASE).url == f"{BASE}/?Action=Describe"


def test_missing_required_argument_is_named() -> None:
    operation = Operation(
        name="t",
        original="t",
        method="GET",
        path="/{x}",
        parameters=(parameter("path", required=True),),
    )
    with pytest.raises(UsageError) as caught:
        build_request(operation, {}, BASE)
    assert caught.value.code == "api.missing-argument"


def body_of(media_type: str, value: object, **more: typing.Any) -> tuple[str, bytes]:
    body = Body(argument="body", media_type=media_type, **more)
    operation = Operation(name="t", original="t", method="POST", path="/a", body=body)
    request = build_request(operation, {"body": value}, BASE)
    return dict(request.headers)["Content-Type"], request.content or b""


def test_json_body() -> None:
    kind, content = body_of("application/json", {"a": "ä"})
    assert (kind, json.loads(content)) == ("application/json", {"a": "ä"})


def test_form_body_encodes_names_and_values() -> None:
    assert body_of("application/x-www-form-urlencoded", {"a b": "c&d", "l": [1, 2]})[1] == (
        b"a%20b=c%26d&l=1&l=2"
    )


def test_nested_form_uses_brackets() -> None:
    value = {"card": {"exp": {"year": 2030}}, "items": [{"id": 1}]}
    assert body_of("application/x-www-form-urlencoded", value)[1] == (
        b"card%5Bexp%5D%5Byear%5D=2030&items%5B0%5D%5Bid%5D=1"
    )


def test_multipart_body_is_read_back_by_an_independent_parser() -> None:
    import email.parser
    import email.policy

    kind, content = body_of(
        "multipart/form-data",
        {"note": "hi", 'a"b\r\n': {"filename": 'x"y.txt', "content": "data"}},
    )
    parsed = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
        b"Content-Type: " + kind.encode() + b"\r\n\r\n" + content
    )
    parts = list(parsed.iter_parts())
    assert len(parts) == 2
    assert parts[0].get_content().strip() == "hi"
    assert parts[1].get_payload(decode=True) == b"data"
    assert b"\r\n\r\n" not in content.split(b"data")[0].rsplit(b"filename", 1)[0][-30:]


def test_binary_body_from_base64() -> None:
    assert body_of("application/octet-stream", {"base64": "AAEC"})[1] == b"\0\1\2"


def test_wrong_base64_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        body_of("application/octet-stream", {"base64": "!"})
    assert caught.value.code == "api.body-value"


def test_an_answer_that_is_nested_without_end_is_text() -> None:
    from atip.apis.http.calls import _decode

    content = b"[" * 200_000
    assert _decode(content, "application/json") == content.decode()
