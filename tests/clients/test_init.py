"""`atip init` on a machine with three real clients: one command, all three call us, and `--remove` takes back what it wrote.

Each client plays a scripted model on loopback: it asks our MCP server, reads, and tries to destroy, which no person is there to allow.
"""

from __future__ import annotations

import json
import pathlib
import typing

import pytest

from tests.clients.recorder import MCP, MODES
from tests.clients.test_mcp import TOOL, WAITS
from tests.clients.test_modes import installed
from tests.clients.world import World
from tests.simulators.models.script import ToolCall

if typing.TYPE_CHECKING:
    from tests.clients.drivers import Driver

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(600)]
THREE = ("claude-code", "codex", "gemini-cli")
OWN_TEXT = {
    ".claude/settings.json": '{\n    "cleanupPeriodDays":20\n}\n',
    ".codex/config.toml": "# mine\nhide_agent_reasoning = true\n",
    ".gemini/settings.json": '{"ui": {"hideTips": true}}',
    "work/AGENTS.md": "# Rules\nBe kind.\n",
}
OWN_WORDS = ("mine", "cleanupPeriodDays", "hide_agent_reasoning", "hideTips", "Be kind.")
MARKS = ("mcp_servers.atip", "atip guard", '"atip"', "atip search")
"""What only an entry of ours holds."""


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("gemini-cli",), id="gemini-cli"),
        pytest.param(THREE, id="all-three", marks=pytest.mark.clients),
    ],
)
def test_one_command_sets_clients_up_and_takes_everything_back(names, tmp_path):
    drivers = [installed(name) for name in names]
    world = machine(tmp_path, drivers)
    before = settings(world)
    set_up(world, drivers)
    after = settings(world)
    assert {path for path in after if before.get(path) != after[path]} >= {"work/AGENTS.md"}
    # nothing happened since: every file is what it was, byte for byte, and new ones are gone
    assert world_json(world, "init", "--remove", "--yes", "--json")["edited"] == []
    assert settings(world) == before
    set_up(world, drivers)
    for driver in drivers:
        calls_us(driver, world)
    used = settings(world)
    world_json(world, "init", "--remove", "--yes", "--json")
    left = settings(world)
    for path, data in left.items():
        assert not [mark for mark in MARKS if mark.encode() in data], path
    for path in used:
        if used[path] == after.get(path) and path in before:
            assert left[path] == before[path], path
    for path, text in own_text(drivers).items():
        assert all(word.encode() in left[path] for word in OWN_WORDS if word in text), path


def own_text(drivers: list[Driver]) -> dict[str, str]:
    folders = {driver.own_state[0] for driver in drivers} | {"work"}
    return {path: text for path, text in OWN_TEXT.items() if path.split("/")[0] in folders}


def machine(root: pathlib.Path, drivers: list[Driver]) -> World:
    """A home with settings of a person's own, and a tool that describes itself."""
    world = World(root, [path for driver in drivers for path in driver.own_state])
    for name, text in own_text(drivers).items():
        path = world.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for driver in drivers:
        driver.prepare(world, "http://127.0.0.1:9")
    tools = world.home / ".local/bin"
    tools.mkdir(parents=True)
    (tools / "greet").write_text(TOOL)
    (tools / "greet").chmod(0o755)
    world.atip("scan", "--path", str(tools))
    return world


def set_up(world: World, drivers: list[Driver]) -> None:
    """The clients are found by their programs, as on a person's machine."""
    paths = [str(driver.path.parent) for driver in drivers]
    steps = world_json(world, "init", "--yes", "--no-scan", "--json", PATH=":".join([*paths, world.variables()["PATH"]]))["steps"]  # fmt: skip
    assert len([step for step in steps if "judge every shell line" in step]) == len(drivers), steps


def world_json(world: World, *words: str, **variables: str) -> dict[str, typing.Any]:
    return typing.cast("dict[str, typing.Any]", json.loads(world.atip(*words, **variables)))


def settings(world: World) -> dict[str, bytes]:
    """Settings of clients and the note: what a person wrote, and what `init` may change."""
    suffixes = (".json", ".toml", ".md")
    found = {}
    for folder in (".claude", ".codex", ".gemini", "work"):
        for path in [*(world.home / folder).glob("*")]:
            if path.is_file() and path.suffix in suffixes:
                found[path.relative_to(world.home).as_posix()] = path.read_bytes()
    state = world.home / ".claude.json"
    return {**found, **({".claude.json": state.read_bytes()} if state.exists() else {})}


def calls_us(driver: Driver, world: World) -> None:
    """The client reaches MCP server and guard: found by intent, allowed to read, kept from destroying."""
    notes = world.work / "notes.txt"
    script = driver.script(
        [
            *WAITS.get(driver.name, ()),
            ToolCall(MCP[driver.name].format("find"), {"query": "say a greeting"}),
            "git status --short",
            "rm -rf notes.txt",
        ]
    )
    mode = "exec, bypass" if driver.name == "codex" else MODES[driver.name][-1]
    printed = driver.run(world, script, mode)
    assert len(script.results) == len(script.steps), printed[-3000:]
    found, status, removed = list(script.results.values())[-3:]
    assert "greet say" in found and "notes.txt" in status, script.results
    assert notes.exists(), removed
    log = world_json(world, "guard", "log", "--client", driver.name, "--json", "--last", "50")
    decided = {row["line"]: row["decision"] for row in log["decisions"]}
    assert decided["git status --short"] == "allow" and decided["rm -rf notes.txt"] != "allow", log
