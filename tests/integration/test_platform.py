"""The platform of ATIP §13.3, from a scan to the answers: programs run directly, and a real MCP server does the rest."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

from tests.approving import approve

pytestmark = pytest.mark.sandbox
ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(sys.executable).parent

BOAT = """#!/usr/bin/python3
import json, sys
SAFE = {"network": False, "destructive": False, "idempotent": True, "subprocess": False, "creates": [],
        "modifies": [], "deletes": [], "cost": {"billable": False}, "filesystem": {"read": False, "write": False, "delete": False}}
META = {"atip": {"version": "0.6"}, "name": "boat", "version": "1.0", "description": "Ship things", "commands": {
    "load": {"description": "Load a crate", "effects": SAFE,
             "arguments": [{"name": "crate", "type": "string", "description": "what"}]},
    "sink": {"description": "Sink the boat", "effects": {"destructive": True, "reversible": False}}}}
if "--agent" in sys.argv:
    print(json.dumps(META)); sys.exit()
if "--help" in sys.argv:
    print("usage: boat {load,sink}\\n  --agent  print ATIP metadata as JSON"); sys.exit()
print("ran", *sys.argv[1:])
"""
SERVER = """
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
server = MCPServer("ledger")

@server.tool(annotations=ToolAnnotations(readOnlyHint=False, destructiveHint=False, openWorldHint=False))
def keep(word: str) -> str:
    "Write a word down."
    return f"kept {word}"

server.run()
"""


def call(number: int, name: str, **arguments: str) -> dict:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call{number}", "type": "function", "function": function}


@pytest.mark.proves("ATIP6-13-03")
def test_a_platform_runs_programs_itself_and_asks_a_server_for_the_rest(tmp_path):
    tmp_path.chmod(0o755)
    tools, home, work = (tmp_path / name for name in ("bin", "home", "work"))
    for folder in (tools, home, work):
        folder.mkdir()
    (tools / "boat").write_text(BOAT)
    (tools / "boat").chmod(0o755)
    (work / "ledger.py").write_text(SERVER)
    server = {"type": "mcp", "command": sys.executable, "args": [str(work / "ledger.py")]}
    (work / "codegen.config.json").write_text(json.dumps({"sources": {"mcp": {"ledger": server}}}))
    # A tool's own word that it is harmless is not enough; the user's is.
    rules = [
        {"name": f"allow {tool}", "decision": "allow", "tools": [tool], "commands": [command]}
        for tool, command in (("boat", "load"), ("ledger-api", "keep"))
    ]
    policy = {"version": "1", "preset": "cautious", "rules": rules}
    settings = home / ".config/agent-tools"
    settings.mkdir(parents=True)
    (settings / "policy.json").write_text(json.dumps({"policy": policy}))
    env = {"HOME": str(home), "PATH": f"{BIN}:/usr/bin:/bin"}
    approve(work, home)
    subprocess.run([BIN / "atip", "api", "sync"], cwd=work, env=env, check=True)
    calls = [
        call(1, "boat_load", crate="tea; rm -rf /"),
        call(2, "boat_sink"),
        call(3, "ledger-api_keep", word="one"),
        call(4, "boat_load"),
    ]
    response = {"choices": [{"message": {"role": "assistant", "tool_calls": calls}}]}
    done = subprocess.run(
        [sys.executable, ROOT / "examples/ai_platform.py", tools],
        input=json.dumps(response), cwd=work, env=env, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    said = {
        one["tool_call_id"]: one["content"] for one in map(json.loads, done.stdout.splitlines())
    }
    assert list(said) == ["call1", "call2", "call3", "call4"], done
    assert "ran load tea; rm -rf /" in said["call1"]
    assert "ran" not in said["call2"] and json.loads(said["call2"])["error"]["code"].startswith(
        "consent."
    )
    assert "kept one" in said["call3"]
    assert "error" in said["call4"]  # a needed argument is missing: told, not run
