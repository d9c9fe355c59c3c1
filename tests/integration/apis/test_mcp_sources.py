"""MCP servers as sources: real ones from the package registries, and one of our own that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import typing

import pytest

from atip.apis.calling import OperationCaller
from atip.apis.config import load_config
from atip.apis.sync.syncing import sync
from atip.errors import ExecutionError, FetchError
from tests.approving import confined_access
from tests.packages import package
from tests.shared import ROOT

pytestmark = pytest.mark.sandbox

BIN = pathlib.Path(sys.executable).parent
NODE = ROOT / ".venv" / "node" / "node_modules" / "@modelcontextprotocol"

SERVER = '''
import os
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("own")
BORN = os.urandom(8).hex()

@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def look(word: str) -> str:
    """Say a word again."""
    return f"{word} from {BORN}"

@server.tool()
def delete_everything() -> str:
    """Looks harmless."""
    return "done"

@server.tool()
def fail() -> str:
    """Always fails."""
    raise ValueError("no")

server.run("stdio")
'''


def configured(folder: pathlib.Path, **servers: dict[str, typing.Any]) -> OperationCaller:
    told = {"sources": {"mcp": {name: {"type": "mcp", **server} for name, server in servers.items()}}, "language": "python"}  # fmt: skip
    (folder / "codegen.config.json").write_text(json.dumps(told))
    access = confined_access(folder)
    report = sync(load_config(str(folder)), access)
    assert report.is_complete, [source.to_json() for source in report.sources]
    return OperationCaller(load_config(str(folder)), access=access)


def own(folder: pathlib.Path) -> dict[str, typing.Any]:
    package("mcp")
    path = folder / "server.py"
    path.write_text(SERVER)
    return {"command": sys.executable, "args": [str(path)]}


def children() -> set[int]:
    """Live processes below this one."""
    parents: dict[int, int] = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    parents[int(folder.name)] = int(parent)
    found: set[int] = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return found - {os.getpid()}
        found |= more


@pytest.mark.proves("ATM-A-01")
def test_tools_are_listed_and_called(tmp_path: pathlib.Path) -> None:
    with configured(tmp_path, own=own(tmp_path)) as box:
        result = box.call("own", "look", {"word": "hi"})
        assert str(result).startswith(("hi from", "{'result': 'hi from"))
        with pytest.raises(ExecutionError) as caught:
            box.call("own", "fail", {})
        assert caught.value.code == "api.mcp-tool"
    lines = (tmp_path / "codegen/own/operations.jsonl").read_text().splitlines()
    told = {each["name"]: each for each in map(json.loads, lines) if "name" in each}
    assert told["delete_everything"]["effects"]["destructive"] is True
    assert told["look"]["effects"]["destructive"] is False


def test_killed_server_fails_the_call_and_serves_the_next(tmp_path: pathlib.Path) -> None:
    with configured(tmp_path, own=own(tmp_path)) as box:
        before = children()
        first = str(box.call("own", "look", {"word": "a"}))
        started = children() - before
        assert started
        for pid in started:
            os.kill(pid, signal.SIGKILL)
        second = ""
        for _ in range(2):
            try:
                second = str(box.call("own", "look", {"word": "a"}))
                break
            except FetchError as error:
                assert error.code == "api.mcp"
        assert second and second != first


@pytest.mark.parametrize(
    "cycles", [5, pytest.param(100, marks=[pytest.mark.soak, pytest.mark.timeout(900)])]
)
def test_no_process_is_left_after_many_cycles(tmp_path: pathlib.Path, cycles: int) -> None:
    caller = configured(tmp_path, own=own(tmp_path))
    caller.close()
    before = children()
    for _ in range(cycles):
        with OperationCaller(load_config(str(tmp_path)), access=confined_access(tmp_path)) as box:
            box.call("own", "look", {"word": "a"})
    assert children() <= before


def test_server_that_does_not_exist_is_a_clear_error(tmp_path: pathlib.Path) -> None:
    package("mcp")
    (tmp_path / "codegen.config.json").write_text(
        json.dumps({"sources": {"mcp": {"no": {"type": "mcp", "command": "no-such-server-here", "args": []}}}})
    )  # fmt: skip
    with pytest.raises(FetchError) as caught:
        sync(load_config(str(tmp_path)), confined_access(tmp_path))
    assert caught.value.code == "api.mcp"


def test_server_sees_only_the_variables_of_its_configuration(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package("mcp")
    monkeypatch.setenv("SOME_SECRET", "do-not-pass")
    path = tmp_path / "env.py"
    path.write_text(
        SERVER.replace('return f"{word} from {BORN}"', "return os.environ.get(word, '-')")
    )
    told = {"command": sys.executable, "args": [str(path)], "env": {"GIVEN": "yes"}}
    with configured(tmp_path, own=told) as box:
        assert "yes" in str(box.call("own", "look", {"word": "GIVEN"}))
        assert "do-not-pass" not in str(box.call("own", "look", {"word": "SOME_SECRET"}))


REAL: list[tuple[str, dict[str, typing.Any], int, str, dict[str, typing.Any]]] = [
    ("time", {"command": str(BIN / "mcp-server-time"), "args": []}, 2, "get_current_time", {"timezone": "UTC"}),
    ("git", {"command": str(BIN / "mcp-server-git"), "args": []}, 10, "git_status", {"repo_path": "repo"}),
    ("memory", {"command": "node", "args": [str(NODE / "server-memory/dist/index.js")]}, 5, "read_graph", {}),
    ("everything", {"command": "node", "args": [str(NODE / "server-everything/dist/index.js"), "stdio"]}, 8, "echo", {"message": "hello"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "server", "least", "tool", "arguments"), REAL)
def test_real_servers_are_listed_and_called(
    tmp_path: pathlib.Path,
    name: str,
    server: dict[str, typing.Any],
    least: int,
    tool: str,
    arguments: dict[str, typing.Any],
) -> None:
    package("mcp")
    program = server["args"][0] if server["command"] == "node" else server["command"]
    if not pathlib.Path(program).exists() or not shutil.which(server["command"]):
        pytest.skip(f"the MCP server `{name}` is not installed")
    if "repo_path" in arguments:
        subprocess.run(["git", "init", "-q", tmp_path / "repo"], check=True)
        arguments = {"repo_path": str(tmp_path / "repo")}
    with configured(tmp_path, **{name: server}) as box:
        lines = (tmp_path / "codegen" / name / "operations.jsonl").read_text().splitlines()
        assert sum(line.startswith('{"name"') for line in lines) >= least
        assert box.call(name, tool, arguments) is not None
