"""The HTTP client: every fault ends in time with a typed error; addresses, redirects and credentials are checked."""

from __future__ import annotations

import gzip
import json
import random
import socket
import time

import pytest

from atip.errors import FetchError
from atip.system.network.http import Access, HttpClient, HttpLimits, get
from atip.system.network.http_addresses import check_addresses, parse_address
from atip.system.network.http_retry import delay_s, rest_s, retry_after_s
from tests.shared import shared
from tests.simulators.fault_server import (
    FaultServer,
    body,
    drip,
    head,
    in_turn,
    raw,
    reset,
    status,
)

QUICK = HttpLimits(max_bytes=1000, deadline_s=0.6)


def client_for(*servers: FaultServer) -> HttpClient:
    return HttpClient(
        Access(private=tuple(server.url for server in servers)), sleep=lambda _s: None
    )


def code_of(call) -> str:
    with pytest.raises(FetchError) as caught:
        call()
    return caught.value.code


def test_a_body_arrives_whole_with_its_headers():
    script = body(b"{}", etag='"1"', content_type="application/json")
    with FaultServer({"/x": script}) as server, client_for(server) as client:
        answer = client.get(server.url + "/x", headers={"Authorization": "Bearer t"})
    assert (answer.status, answer.body, answer.headers["etag"]) == (200, b"{}", '"1"')
    assert answer.media_type == "application/json"
    assert server.requests[0].headers["authorization"] == "Bearer t"
    assert server.requests[0].headers["accept-encoding"] == "identity"


def test_an_unknown_address_is_an_answer_not_a_fault():
    with FaultServer({}) as server, client_for(server) as client:
        assert client.get(server.url + "/none").status == 404


def test_connections_are_kept():
    with FaultServer({"/x": body(b"a")}) as server, client_for(server) as client:
        for _ in range(5):
            client.get(server.url + "/x")
        assert client.requests == 5
        assert len(server._connections) == 1


FAULTS = {
    "500": (status(500), "http.status"),
    "502": (status(502), "http.status"),
    "503 with Retry-After": (status(503, retry_after="120"), "http.status"),
    "429": (status(429, retry_after="1"), "http.status"),
    "odd status": (status(299), "http.status"),
    "reset before the head": (reset(b""), "http.protocol"),
    "reset in the body": (reset(head(200, {"content-length": "50"}) + b"half"), "http.protocol"),
    "truncated": (raw(head(200, {"content-length": "50"}) + b"half"), "http.truncated"),
    "more than the limit": (body(b"x" * 1001), "http.too-large"),
    "more than the limit, not declared": (
        raw(head(200, {"transfer-encoding": "chunked"}) + b"800\r\n" + b"x" * 2048),
        "http.too-large",
    ),
    "a gigabyte is declared": (
        raw(head(200, {"content-length": str(1 << 30)}) + b"x"),
        "http.too-large",
    ),
    "not HTTP": (raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), "http.truncated"),
    "304 without cache": (status(304), "http.not-asked-304"),
    "compressed": (body(gzip.compress(b"x" * 100_000), content_encoding="gzip"), "http.encoding"),
    "wrong content type": (body(b"<html>", content_type="text/html"), "http.content-type"),
    "redirect loop": (status(302, location="/x"), "http.redirect"),
    "redirect to a file": (status(302, location="file:///etc/passwd"), "http.url"),
    "redirect to gopher": (status(302, location="gopher://127.0.0.1/"), "http.url"),
    "redirect to metadata": (status(302, location="http://169.254.169.254/"), "http.insecure"),
    "redirect to another scheme": (status(302, location="https://example.com/"), "http.redirect"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_ends_in_time_with_its_code(name):
    script, expected = FAULTS[name]
    with FaultServer({"/x": script}) as server, client_for(server) as client:
        before = time.monotonic()
        found = code_of(
            lambda: client.get(server.url + "/x", limits=QUICK, accept=("application/json",))
        )
        assert time.monotonic() - before < QUICK.deadline_s + 1.0
    assert found == expected


@pytest.mark.measured
@pytest.mark.parametrize(
    ("first", "piece"),
    [
        (b"", b""),
        (b"HTTP/1.1 200 OK\r\n", b"x: y\r\n"),
        (head(200, {"content-length": "500"}), b"x"),
        (head(200, {"transfer-encoding": "chunked"}), b"1\r\nx\r\n"),
    ],
    ids=["silence", "endless head", "one byte now and then", "chunks for ever"],
)
def test_slowness_ends_at_the_deadline(first, piece):
    with FaultServer({}) as server, client_for(server) as client:
        server.scripts = drip(server.stopping, first, piece, 0.05)
        before = time.monotonic()
        assert code_of(lambda: client.get(server.url + "/x", limits=QUICK)) == "http.timeout"
        assert QUICK.deadline_s - 0.1 < time.monotonic() - before < QUICK.deadline_s + 1.0


def test_a_failure_that_passes_is_retried_at_most_twice():
    script = in_turn(status(503), reset(b""), body(b"ok"))
    with FaultServer({"/x": script}) as server, client_for(server) as client:
        assert client.get(server.url + "/x").body == b"ok"
    assert len(server.requests) == 3
    with FaultServer({"/x": status(503)}) as server, client_for(server) as client:
        code_of(lambda: client.get(server.url + "/x"))
    assert len(server.requests) == 3


def test_what_a_sink_has_seen_is_not_sent_twice():
    half = reset(head(200, {"content-length": "50"}) + b"half")
    seen: list[bytes] = []
    with FaultServer({"/x": in_turn(half, body(b"ok"))}) as server, client_for(server) as client:
        code_of(lambda: client.get(server.url + "/x", sink=seen.append))
    assert b"".join(seen) in (b"", b"half")
    assert len(server.requests) == (1 if seen else 2) or not seen


def test_a_token_does_not_follow_a_redirect():
    with (
        FaultServer({"/b": body(b"b")}) as second,
        FaultServer({"/a": status(302, location=second.url + "/b")}) as first,
        client_for(first, second) as client,
    ):
        answer = client.get(first.url + "/a", headers={"Authorization": "Bearer secret"})
    assert answer.body == b"b" and answer.url == second.url + "/b"
    assert first.requests[0].headers["authorization"] == "Bearer secret"
    assert "authorization" not in second.requests[0].headers


def test_a_redirect_into_the_private_network_is_refused():
    with (
        FaultServer({"/b": body(b"b")}) as inside,
        FaultServer({"/a": status(302, location=inside.url + "/b")}) as first,
        client_for(first) as client,
    ):
        assert code_of(lambda: client.get(first.url + "/a")) == "http.insecure"
    assert inside.requests == []


@pytest.mark.parametrize(
    "url",
    ["ftp://example.com/", "https://u:p@example.com/", "https:///x", "https://exa mple.com/",
     "https://example.com:0/", "https://[::1%eth0]/", "https://ex\nample.com", "https://пример.рф/",
     "https://2130706433/", "https://0x7f.1/", "https://example.com:99999/"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(url):
    assert code_of(lambda: parse_address(url)) == "http.url"


def test_plain_http_is_refused():
    assert code_of(lambda: get("http://example.com/x")) == "http.insecure"


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "[fd00::1]"])
def test_a_private_literal_is_refused(host):
    assert code_of(lambda: get(f"https://{host}/x")) == "http.address"


def test_names_are_judged_by_every_address_they_have():
    rows = shared("corpora") / "security" / "egress-hosts" / "resolve.jsonl"
    for row in map(json.loads, rows.read_text().splitlines()):
        address = parse_address(f"https://{row['name']}/")
        try:
            check_addresses(address, row["resolves_to"], Access())
            allowed = True
        except FetchError:
            allowed = False
        assert allowed is row["allow"], row["id"]


def test_the_connection_goes_to_the_address_that_was_checked():
    """A name that resolves to a public address first and to loopback later is looked up once."""
    questions = []

    def lookup(host, port):
        questions.append(host)
        return ["127.0.0.1"]

    with FaultServer({"/x": body(b"x")}) as server:
        url = f"http://registry.test:{server.port}"
        with HttpClient(Access(), lookup=lookup) as client:
            assert (
                code_of(lambda: client.get(f"https://registry.test:{server.port}/x"))
                == "http.address"
            )
        with HttpClient(Access(private=(url,)), lookup=lookup) as client:
            assert client.get(url + "/x").body == b"x"
    assert questions == ["registry.test", "registry.test"]
    assert server.requests[0].headers["host"] == f"registry.test:{server.port}"


def test_a_resolver_that_hangs_ends_at_the_deadline():
    with HttpClient(lookup=lambda host, port: time.sleep(1.5) or []) as client:
        assert code_of(lambda: client.get("https://slow.test/", limits=QUICK)) == "http.timeout"


def test_offline_opens_no_socket(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert code_of(lambda: get("https://example.com/x", offline=True)) == "http.offline"


def test_a_line_break_cannot_become_a_header():
    with FaultServer({"/x": body(b"")}) as server, client_for(server) as client:
        url = server.url + "/x"
        assert code_of(lambda: client.get(url, headers={"a": "b\r\nc: d"})) == "http.header"
    assert server.requests == []


def test_nobody_there_is_a_connection_error():
    with FaultServer({}) as server:
        pass
    assert code_of(lambda: client_for(server).get(server.url + "/x")) == "http.connect"


def test_tls_for_another_host_is_refused(tmp_path, monkeypatch):
    from tests.simulators.certificates import server_context

    for name, expected in (("127.0.0.1", None), ("other.example", "http.tls")):
        context, authority = server_context(tmp_path, name)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority))
        with FaultServer({"/x": body(b"x")}, tls=context) as server, client_for(server) as client:
            if expected is None:
                assert client.get(server.url + "/x").body == b"x"
            else:
                assert code_of(lambda: client.get(server.url + "/x")) == expected


def test_tls_from_an_unknown_authority_is_refused(tmp_path):
    from tests.simulators.certificates import server_context

    context, _ = server_context(tmp_path, "127.0.0.1")
    with FaultServer({"/x": body(b"x")}, tls=context) as server, client_for(server) as client:
        assert code_of(lambda: client.get(server.url + "/x")) == "http.tls"


def test_a_thousand_clients_do_not_come_back_together():
    source = random.Random(7)
    rests = sorted(rest_s(1, source.random()) for _ in range(1000))
    assert rests[-1] - rests[0] > 30
    busiest = max(sum(1 for rest in rests if start <= rest < start + 1) for start in rests)
    assert busiest < 60
    assert rest_s(10, 0.5) <= 3600 and rest_s(1, 0.0, server_delay_s=100) >= 130


def test_waiting_grows_and_obeys_the_server():
    assert delay_s(1, 1.0) == 0.5 and delay_s(2, 1.0) == 1.0 and delay_s(9, 1.0) == 4.0
    assert delay_s(1, 0.0, server_delay_s=7.0) == 7.0
    assert retry_after_s({"retry-after": "17"}, now=0.0) == 17.0
    assert retry_after_s({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=0.0) == 60.0
    assert retry_after_s({"retry-after": "soon"}, now=0.0) is None
    assert retry_after_s({}, now=0.0) is None
