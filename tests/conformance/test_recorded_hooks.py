"""What real clients sent to their hook (`python -m tests.clients.recorder`) is understood and answered as it was when it was recorded."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.cli.run import atip
from tests.clients.recorder import FOLDER, HOME, said
from tests.clients.world import World

CLIENTS = sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def load(client: str) -> list[dict]:
    return [json.loads(line) for line in (FOLDER / f"{client}.jsonl").read_text().splitlines()]


def test_every_client_that_can_be_installed_is_recorded() -> None:
    assert CLIENTS == ["claude-code", "codex", "gemini-cli", "opencode"]
    for client in CLIENTS:
        words = {row["says"] for row in load(client)}
        assert "none" in words and words & {"deny", "ask"}, (client, words)


@pytest.mark.parametrize("client", CLIENTS)
def test_recorded_inputs_are_answered_as_recorded(client: str, tmp_path: pathlib.Path) -> None:
    world = World(tmp_path)
    world.atip("mcp", "config", client, "--write")
    for row in load(client):
        asked = json.dumps(row["input"]).replace(HOME, str(world.home))
        done = atip("guard", "--for", client, home=world.home, stdin=asked, cwd=world.work)
        assert (done.code, said(done.document)) == (0, row["says"]), (row, done)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_recorded_input_with_a_hostile_line_is_not_let_through(
    client: str, tmp_path: pathlib.Path
) -> None:
    world = World(tmp_path)
    for row in load(client):
        output = json.loads(json.dumps(row["input"]).replace(HOME, str(world.home)))
        place = output if "line" in output else output.get("tool_input", {})
        name = "line" if "line" in place else "command"
        if name not in place or str(output.get("hook_event_name", "")).startswith("Post"):
            continue
        place[name] = "rm -rf ~"
        done = atip("guard", "--for", client, home=world.home, stdin=json.dumps(output))
        assert said(done.document) == "deny", (row, done)
