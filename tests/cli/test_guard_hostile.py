"""Hostile and broken hook input: whatever a client – or what speaks through it – sends, nothing unreadable becomes a permission."""

from __future__ import annotations

import argparse
import io
import json
import pathlib
import types

import pytest

from atip.cli.guard.names import CLIENTS
from atip.cli.verbs.guard import hook

GENERIC = "generic"
EVENTS = {"claude-code": "PreToolUse", "codex": "PreToolUse", "gemini-cli": "BeforeTool", "cursor": "beforeShellExecution", "kimi": "PreToolUse"}  # fmt: skip
STOPPED = {
    "claude-code": "deny",  # a request that cannot be read may have any mode
    "codex": "deny",
    "gemini-cli": "deny",
    "cursor": "ask",
    "copilot": "deny",
    "opencode": "ask",  # its plugin refuses everything but `allow` and, for its own tools, `none`
    "kimi": "deny",
    GENERIC: "ask",
}
"""What stops each client."""


def call_of(client: str, line: object, **parts: object) -> dict[str, object]:
    """A shell call in the words of a client."""
    if client in ("opencode", GENERIC):
        return {"line": line, "cwd": "/tmp", **parts}
    if client == "copilot":
        return {
            "toolName": "bash",
            "toolArgs": json.dumps({"command": line}),
            "cwd": "/tmp",
            **parts,
        }
    frame = {"hook_event_name": EVENTS[client], "cwd": "/tmp", **parts}
    if client == "cursor":
        return {**frame, "command": line}
    name = "run_shell_command" if client == "gemini-cli" else "Bash"
    return {**frame, "tool_name": name, "tool_input": {"command": line}}


def twice(client: str, first: str, second: str) -> bytes:
    """The command once harmless and once not: which one a client runs is its own affair."""
    text = json.dumps(call_of(client, first))
    return text[:-1].encode() + b", " + json.dumps(call_of(client, second))[1:].encode()


def typed(client: str) -> list[bytes]:
    found = [
        json.dumps(call_of(client, each)).encode() for each in (None, 5, {}, [], ["ls", 3], True)
    ]
    arguments = {"tool_input": 7, "toolArgs": "{", "command": None, "line": None}
    found.append(json.dumps({**call_of(client, "pwd"), **arguments}).encode())
    found.append(json.dumps({**call_of(client, "pwd"), "tool_name": 5, "toolName": [], "command": 1, "line": 1}).encode())  # fmt: skip
    return found


def hostile(client: str) -> dict[str, bytes]:
    plain = json.dumps(call_of(client, "pwd")).encode()
    return {
        "empty": b"",
        "blank": b" \n",
        "list": b"[]",
        "null": b"null",
        "no fields": b"{}",
        "cut": plain[:-5],
        "two documents": plain + plain,
        "byte order mark": b"\xef\xbb\xbf" + plain,
        "utf-16": plain.decode().encode("utf-16"),
        "invalid utf-8": plain.replace(b"pwd", b"pwd \xff\xfe"),
        "a megabyte and more": json.dumps(call_of(client, "pwd " + "x" * 1_000_001)).encode(),
        "a megabyte beside it": json.dumps(call_of(client, "pwd", pad="x" * 1_000_001)).encode(),
        "deep list": b"[" * 100_000,
        "deep value": json.dumps(call_of(client, "pwd", pad=0)).encode().replace(b'"pad": 0', b'"pad": ' + b"[" * 50_000 + b"]" * 50_000),
        "control characters": plain.replace(b"pwd", b"pwd\x00\n"),
        "harmless first": twice(client, "pwd", "rm -rf src"),
        "harmless last": twice(client, "rm -rf src", "pwd"),
        **{f"type {at}": data for at, data in enumerate(typed(client))},
    }  # fmt: skip


def answer_to(client: str, data: bytes) -> str:
    out = io.StringIO()
    ctx = types.SimpleNamespace(stdin=types.SimpleNamespace(buffer=io.BytesIO(data)), out=out)
    options = argparse.Namespace(client=client, policy=None, ask_as="ask", record=False)
    assert hook.run(options, ctx) == 0  # type: ignore[arg-type]
    output = json.loads(out.getvalue())
    inner = output.get("hookSpecificOutput", output)
    return str(inner.get("permissionDecision", inner.get("decision", inner.get("permission", "silence"))))  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


CASES = [(client, name) for client in (*CLIENTS, GENERIC) for name in hostile(client)]


@pytest.mark.parametrize(("client", "name"), CASES, ids=[f"{c}-{n}" for c, n in CASES])
def test_what_cannot_be_read_is_stopped_in_the_clients_own_words(client: str, name: str) -> None:
    assert answer_to(client, hostile(client)[name]) == STOPPED[client]


@pytest.mark.parametrize("client", [*CLIENTS, GENERIC])
@pytest.mark.parametrize(
    "line", ["ls \0 x", "ls \x1b[2J", "ls \ud800", "rm -rf src\u202e", "ls $(\0)"]
)
def test_odd_characters_in_a_line_are_no_permission_to_more(client: str, line: str) -> None:
    said = answer_to(client, json.dumps(call_of(client, line)).encode())
    assert said in ("ask", "deny") or (said in ("allow", "silence") and line.startswith("ls"))


@pytest.mark.parametrize("client", [*CLIENTS, GENERIC])
def test_huge_numbers_beside_the_command_do_no_harm(client: str) -> None:
    text = json.dumps(call_of(client, "rm -rf src", timeout=0))
    for number in ("9" * 5_000, "1e999999", "-" + "9" * 4_000, "0.1e-99999"):
        assert answer_to(client, text.replace('"timeout": 0', f'"timeout": {number}').encode()) in ("ask", "deny")  # fmt: skip
