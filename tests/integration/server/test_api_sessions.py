"""Tools of another MCP server through ours: what they remember lasts as long as our server, and survives their faults."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from tests.approving import approve
from tests.integration.server.served import parameters, talk, text
from tests.packages import package
from tests.simulators.known_tools import home_with

BIN = pathlib.Path(sys.executable).parent
SERVER = """
import os
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("ledger")
kept = []
BORN = os.urandom(8).hex()
OWN = ToolAnnotations(readOnlyHint=False, destructiveHint=False, openWorldHint=False)

@server.tool(annotations=OWN)
def keep(word: str) -> str:
    "Write a word down, and say all that were."
    if word == "die":
        os._exit(3)
    if word == "no":
        raise ValueError("not this one")
    kept.append(word)
    return f"{BORN} " + ",".join(kept)

server.run()
"""


@pytest.fixture
def home(tmp_path):
    package("mcp")
    box = home_with(tmp_path)
    (tmp_path / "ledger.py").write_text(SERVER)
    told = {"type": "mcp", "command": sys.executable, "args": [str(tmp_path / "ledger.py")]}
    config = {"sources": {"mcp": {"ledger": told}}}
    (tmp_path / "codegen.config.json").write_text(json.dumps(config))
    approve(tmp_path, tmp_path)
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    subprocess.run([BIN / "atip", "api", "sync"], cwd=tmp_path, env=env, check=True)
    rule = {"name": "r", "decision": "allow", "tools": ["ledger-api"], "commands": ["keep"]}
    policy = {"version": "1", "preset": "cautious", "rules": [rule]}
    pathlib.Path(box.places.config, "policy.json").write_text(json.dumps({"policy": policy}))
    return tmp_path


def server_of(answer: str) -> str:
    """Which process answered; inside of a sandbox each has the same number."""
    return re.search(r'"result": "([0-9a-f]{16}) ', answer)[1]


def running(program: pathlib.Path) -> bool:
    for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(program).encode() in line.read_bytes():
                return True
    return False


@pytest.mark.timeout(120)
@pytest.mark.proves("ATIP6-6-03")
def test_a_session_lasts_from_call_to_call_and_ends_with_our_server(home):
    said: list[str] = []

    async def keep(client, word: str) -> str:
        given = {"command": "ledger-api keep", "arguments": {"word": word}}
        return text(await client.call_tool("run", given))

    async def work(client) -> None:
        for word in ("one", "two", "no", "three"):
            said.append(await keep(client, word))
        said.append(await keep(client, "die"))
        said.append(await keep(client, "four"))

    talk(parameters(home), work)
    first = server_of(said[0])
    assert f"{first} one,two" in said[1], said
    assert said[2].startswith("api.mcp-tool")
    assert f"{first} one,two,three" in said[3]  # a tool that says no ends no session
    assert "three" not in said[4]
    last = server_of(said[5])
    assert last != first and f"{last} four" in said[5]  # a server that died is started anew
    assert not running(home / "ledger.py")


def test_a_call_alone_keeps_nothing(home):
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    command = [BIN / "atip", "call", "ledger-api.keep", "word=one", "--json"]
    first, second = (
        subprocess.run(command, cwd=home, env=env, capture_output=True, text=True).stdout
        for _ in range(2)
    )
    assert "one" in first and "one,one" not in second and "one" in second
