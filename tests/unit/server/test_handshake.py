"""The early answer to `initialize`: only where the SDK would say the same."""

from __future__ import annotations

import json

import pytest

from atip.server.transport.handshake import REVISIONS, answer_opening, answer_to


def request(**changes: object) -> dict:
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "a", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params, **changes}


def test_revisions_are_those_of_the_sdk():
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    assert REVISIONS == HANDSHAKE_PROTOCOL_VERSIONS


def test_a_plain_request_is_answered_with_its_own_revision():
    answer = answer_to(json.dumps(request(id="x")).encode())
    assert answer is not None
    assert (answer["id"], answer["result"]["protocolVersion"]) == ("x", "2025-06-18")


@pytest.mark.parametrize(
    "changes",
    [
        {"id": None},
        {"id": True},
        {"method": "ping"},
        {"jsonrpc": "1.0"},
        {"params": {}},
        {"params": {**request()["params"], "protocolVersion": "1999-01-01"}},
        {"params": {**request()["params"], "clientInfo": {"name": "a"}}},
        {"params": {**request()["params"], "capabilities": []}},
        {"params": {**request()["params"], "_meta": {}}},
        {"more": 1},
    ],
)
def test_everything_else_waits_for_the_sdk(changes):
    assert answer_to(json.dumps(request(**changes)).encode()) is None


@pytest.mark.parametrize("line", [b"", b"\xff", b"[" * 100_000, b"nonsense"])
def test_damage_waits_for_the_sdk(line):
    assert answer_to(line) is None


def test_bytes_behind_the_first_frame_are_kept():
    line = json.dumps(request()).encode() + b"\n"
    pieces, sent = [line[:10], line[10:] + b"rest", b""], []
    opening = answer_opening(lambda: pieces.pop(0), sent.append)
    assert opening.received == line + b"rest"
    assert [json.loads(each) for each in sent] == [opening.answer]


def test_a_frame_without_end_is_not_waited_for():
    opening = answer_opening(lambda: b"x" * 10_000, lambda data: None)
    assert opening.answer is None and len(opening.received) < 100_000
