"""Forms to token servers: fields encoded, answers judged, nothing repeated in errors."""

from __future__ import annotations

import typing
from urllib.parse import parse_qsl

import pytest

from atip.errors import FetchError
from atip.system.network.http_form import post_form
from tests.packages import package
from tests.simulators.api_server import ApiServer, Reply, api_server

if typing.TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[ApiServer]:
    package("httpcore2")
    with api_server() as told:
        yield told


def test_fields_arrive_as_they_were(server: ApiServer) -> None:
    server.answer = lambda _request: Reply(body={"access_token": "t"})
    fields = {"grant_type": "authorization_code", "code": "a&b=c ü"}
    assert post_form(f"{server.base}/token", fields) == {"access_token": "t"}
    request = server.requests[0]
    assert (request.method, request.headers["content-type"]) == ("POST", "application/x-www-form-urlencoded")  # fmt: skip
    assert dict(parse_qsl(request.body.decode())) == fields


@pytest.mark.parametrize("reply", [Reply(status=400, body={"error": "no"}), Reply(body=[1]), Reply(body=b"<html>")])  # fmt: skip
def test_refusals_do_not_repeat_what_was_sent(server: ApiServer, reply: Reply) -> None:
    server.answer = lambda _request: reply
    with pytest.raises(FetchError) as caught:
        post_form(f"{server.base}/token", {"client_secret": "s3cret"})
    assert caught.value.code == "http.form"
    assert "s3cret" not in caught.value.message


def test_plain_http_to_another_machine_is_refused() -> None:
    package("httpcore2")
    with pytest.raises(FetchError) as caught:
        post_form("http://tokens.example.org/token", {})
    assert caught.value.code == "http.insecure"
