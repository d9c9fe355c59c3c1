"""The surface that a model pays for: the same words for any number of tools, and few of them."""

from __future__ import annotations

import json

import anyio
import mcp_types as types
import pytest
from mcp import Client

from atip.server import surface
from atip.server.app import App
from atip.server.runs import Bounds
from atip.system.tokens import EXACT, find_counter
from tests.simulators.known_tools import document, home_with

MAX_TOKENS = 350


def count(text: str) -> int:
    name, counter = find_counter()
    if name != EXACT:
        pytest.skip("the exact tokenizer is not here (extra `tokens`)")
    return counter(text)


def listed(app: App, mode: str) -> bytes:
    """What the official client gets, as bytes."""
    made: list[bytes] = []

    async def main() -> None:
        async with Client(app.server, mode=mode) as client:
            result = await client.list_tools()
            shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in result.tools]
            instructions = client.instructions or ""
            made.append(json.dumps([shown, instructions], separators=(",", ":")).encode())

    anyio.run(main)
    return made[0]


def app_with(tmp_path, number: int) -> App:
    box = home_with(tmp_path / str(number), *(document(f"tool{n}") for n in range(number)))
    assert len(box.list()) == number
    return App(box, Bounds(root=str(tmp_path)))


def test_the_surface_is_byte_identical_and_within_its_budget_for_any_number_of_tools(tmp_path):
    apps = {number: app_with(tmp_path, number) for number in (10, 1_000, 10_000)}
    for mode in ("legacy", "auto"):
        surfaces = {number: listed(app, mode) for number, app in apps.items()}
        assert len(set(surfaces.values())) == 1
        for found in surfaces.values():
            assert count(found.decode()) <= MAX_TOKENS


def test_there_are_exactly_three_tools_that_the_protocol_accepts():
    tools = [types.Tool.model_validate(tool, by_name=False) for tool in surface.tools()]
    assert [tool.name for tool in tools] == ["find", "describe", "run"]
    assert all(tool.annotations is not None for tool in tools)


def test_schemas_are_schemas():
    import jsonschema

    for tool in surface.tools():
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])


MAX_IN_ALL = 900


def test_finding_one_command_and_calling_it_stays_within_its_budget(tmp_path):
    """However many options and words the tools have."""
    options = [
        {"name": f"some-long-option-{n}", "flags": [f"--some-long-option-{n}"], "type": "enum",
         "enum": ["first-choice", "second-choice", "third-choice"], "description": "Changes something " * 9}
        for n in range(200)
    ]  # fmt: skip
    commands = {
        f"list-{n}": {
            "description": "List the open pull requests of a repository " * 9,
            "options": options,
        }
        for n in range(20)
    }
    box = home_with(tmp_path, *(document(f"tool{n}", commands=commands) for n in range(10)))
    app = App(box, Bounds(root=str(tmp_path)))
    asked = {"query": "list open pull requests"}
    costs: list[int] = []

    async def main() -> None:
        async with Client(app.server) as client:
            answer = await client.call_tool("find", asked)
            said = "\n".join(
                part.text for part in answer.content if isinstance(part, types.TextContent)
            )
            assert len(said.splitlines()) == 7, "five commands in a block"
            costs.append(count(said))

    anyio.run(main)
    costs.append(count(listed(app, "auto").decode()))
    costs.append(count(json.dumps({"name": "find", "arguments": asked})))
    run = {"command": "tool1 list-1", "argv": ["--some-long-option-1", "first-choice"]}
    costs.append(count(json.dumps({"name": "run", "arguments": run})))
    assert sum(costs) <= MAX_IN_ALL - 40, "and the frame of the answer"
