"""The server over streamable HTTP: the official client, the gate, clients that vanish."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess

import anyio
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from tests.cli.run import atip
from tests.integration.server.served import (
    COMMAND,
    answering,
    environment,
    processes_with,
    text,
    unique_seconds,
    until,
)
from tests.simulators.known_tools import home_with

pytestmark = pytest.mark.sandbox
TOKEN = "a-token-of-this-test-0123456789"
ERAS = pytest.mark.parametrize("mode", ["legacy", "auto"], ids=["2025-11-25", "2026-07-28"])


@pytest.fixture
def home(tmp_path):
    home_with(tmp_path)
    return tmp_path


@contextlib.contextmanager
def serving(home, *words, **env):
    """A server on a free port; gives its address and what it said when it started."""
    process = subprocess.Popen(
        [*COMMAND, "--http", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home, **env),
        cwd=home,
        text=True,
    )
    try:
        line = process.stderr.readline()
        found = re.search(r"http://[\d.:]+/mcp", line)
        assert found, line + process.stderr.read()
        yield found.group(), process
    finally:
        process.terminate()
        out, _ = process.communicate(timeout=20)
        assert out == "", "standard output is not ours to use"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """One server for all tests that only talk to it: starting one costs two seconds of work."""
    home = tmp_path_factory.mktemp("served")
    home_with(home)
    with serving(home, ATIP_MCP_TOKEN=TOKEN) as (address, _):
        yield address


def through(address, work, **options):
    async def main():
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with anyio.fail_after(90):
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                from mcp import Client

                transport = streamable_http_client(address, http_client=http)
                async with Client(transport, **options) as client:
                    await work(client)

    anyio.run(main)


@ERAS
@pytest.mark.proves("ATIP6-9-01")
def test_the_official_client_lists_describes_and_runs_a_real_tool(address, mode):
    async def work(client):
        assert [tool.name for tool in (await client.list_tools()).tools] == [
            "find",
            "describe",
            "run",
        ]
        assert "greet say" in text(await client.call_tool("find", {"query": "say words aloud"}))
        assert "What to say" in text(await client.call_tool("describe", {"command": "greet say"}))
        result = await client.call_tool(
            "run", {"command": "greet", "argv": ["say", "over", "http"]}
        )
        assert "\nover\nhttp\n" in text(result)
        erased = await client.call_tool("run", {"command": "greet erase"})
        assert "erased" in text(erased)

    through(address, work, mode=mode, elicitation_callback=answering("yes"))


@ERAS
def test_a_client_that_cannot_ask_gets_a_refusal(address, mode):
    async def work(client):
        result = await client.call_tool("run", {"command": "greet erase"})
        assert text(result).startswith("consent.no-terminal")

    through(address, work, mode=mode)


def post(address, **headers) -> int:
    names = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    frame = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    return httpx2.post(address, json=frame, headers={**names, **headers}, timeout=30).status_code


def test_the_gate_refuses_other_names_origins_and_tokens(address):
    good = {"authorization": f"Bearer {TOKEN}"}
    port = re.search(r":(\d+)/", address).group(1)
    assert post(address) == 401
    assert post(address, authorization="Bearer wrong") == 401
    assert post(address, authorization=f"Basic {TOKEN}") == 401
    assert post(address, **good, host="evil.example") == 421
    assert post(address, **good, host=f"evil.example:{port}") == 421
    assert post(address, **good, host="127.0.0.1:1") == 421
    assert post(address, **good, host=f"127.0.0.1.evil.example:{port}") == 421
    assert post(address, **good, origin="http://evil.example") == 403
    assert post(address, **good, origin="null") == 403
    assert post(address, **good, origin=f"https://127.0.0.1:{port}") == 403
    own = post(address, **good, origin=f"http://localhost:{port}", host=f"localhost:{port}")
    assert own not in (401, 403, 421), "our own name and origin pass the gate"


def test_a_session_id_is_no_authentication(address):
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    names = {"accept": "application/json, text/event-stream", "authorization": f"Bearer {TOKEN}"}
    answer = httpx2.post(address, json=hello, headers=names, timeout=30)
    session = answer.headers["mcp-session-id"]
    assert post(address, **{"mcp-session-id": session}) == 401


def test_a_token_is_made_and_told_once_where_none_is_given(home):
    with serving(home) as (address, process):
        told = process.stderr.readline()
        token = re.fullmatch(r"atip mcp: Authorization: Bearer ([\w-]{40,})\n", told).group(1)
        assert post(address, authorization=f"Bearer {token}") not in (401, 403, 421)


def test_only_the_loopback_is_served_and_weak_tokens_are_refused(home):
    ran = atip("mcp", "serve", "--http", "--host", "0.0.0.0", home=home)
    assert (ran.code, "mcp.not-loopback" in ran.err) == (2, True)
    ran = atip("mcp", "serve", "--http", home=home, ATIP_MCP_TOKEN="short")
    assert (ran.code, "mcp.weak-token" in ran.err) == (2, True)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ran = atip("mcp", "serve", "--http", "--port", port, home=home)
        assert (ran.code, "mcp.port" in ran.err) == (2, True)


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_a_child_is_gone_within_a_second_of_its_client(address, version):
    seconds = unique_seconds()
    port = int(re.search(r":(\d+)/", address).group(1))
    names = {
        "accept": "application/json, text/event-stream",
        "authorization": f"Bearer {TOKEN}",
        "content-type": "application/json",
        "host": f"127.0.0.1:{port}",
    }
    params = {
        "name": "run",
        "arguments": {"command": "greet wait", "arguments": {"seconds": float(seconds)}},
    }
    if version == "2025-11-25":
        hello = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        frame = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        answer = httpx2.post(address, json=frame, headers=names, timeout=30)
        names["mcp-session-id"] = answer.headers["mcp-session-id"]
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        httpx2.post(address, json=ready, headers=names, timeout=30)
    else:
        key = "io.modelcontextprotocol/"
        params["_meta"] = {f"{key}protocolVersion": version, f"{key}clientCapabilities": {},
                           f"{key}clientInfo": {"name": "t", "version": "1"}}  # fmt: skip
        names.update(
            {"mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": "run"}
        )
    body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
    head = "".join(f"{name}: {value}\r\n" for name, value in names.items())
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(
        f"POST /mcp HTTP/1.1\r\n{head}content-length: {len(body)}\r\n\r\n{body}".encode()
    )
    assert until(lambda: bool(processes_with(seconds)), 30), "the run has started"
    client.close()
    assert until(lambda: not processes_with(seconds), 1.0)
    assert post(address, authorization=f"Bearer {TOKEN}") not in (401, 403, 421), "it goes on"
