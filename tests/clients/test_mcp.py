"""Real clients reach our MCP server: find, describe and run, by what each calls them."""

from __future__ import annotations

import pathlib

import pytest

from tests.clients.drivers import DRIVERS
from tests.clients.recorder import MCP, MODES
from tests.clients.test_modes import installed
from tests.clients.world import World
from tests.simulators.models.script import ToolCall

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(600), pytest.mark.clients]
TOOL = """#!/bin/sh
case "$1" in
  --agent) cat <<'J'
{"atip": {"version": "0.6"}, "name": "greet", "version": "1.0.0", "description": "Greets people",
 "commands": {"say": {"description": "Say a greeting aloud", "effects": {"network": false, "idempotent": true,
 "filesystem": {"read": false, "write": false, "delete": false}, "subprocess": false},
 "arguments": [{"name": "who", "type": "string", "required": true, "description": "Whom"}]}}}
J
  ;;
  say) echo "good morning, $2";;
esac
"""


# two clients start servers while they already work
WAITS: dict[str, list[str | ToolCall]] = {
    "claude-code": [ToolCall("WaitForMcpServers", {})],
    "codex": ["sleep 6"],
}


@pytest.mark.parametrize("name", sorted(DRIVERS))
def test_find_describe_and_run(name: str, tmp_path: pathlib.Path) -> None:
    driver = installed(name)
    world = World(tmp_path, driver.own_state)
    tools = world.home / ".local/bin"
    tools.mkdir(parents=True)
    (tools / "greet").write_text(TOOL)
    (tools / "greet").chmod(0o755)
    world.atip("scan", "--path", str(tools))
    world.atip("mcp", "config", name, "--write")
    world.atip("guard", "install", name)
    script = driver.script(
        [
            *WAITS.get(name, ()),
            ToolCall(MCP[name].format("find"), {"query": "say a greeting"}),
            ToolCall(MCP[name].format("describe"), {"command": "greet say"}),
            ToolCall(MCP[name].format("run"), {"command": "git status", "argv": ["--short"]}),
        ]
    )
    mode = "exec, bypass" if name == "codex" else MODES[name][-1]
    printed = driver.run(world, script, mode)
    assert len(script.results) == len(script.steps), printed[-3000:]
    found, described, ran = list(script.results.values())[-3:]
    assert "greet say" in found, script.results
    assert "Whom" in described, script.results
    assert "notes.txt" in ran, script.results
