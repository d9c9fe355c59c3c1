"""`agent(app)`: typer programs answer, and are otherwise unchanged."""

from __future__ import annotations

import enum
import json
import pathlib
from typing import Annotated, Literal

import pytest
import typer
from typer.testing import CliRunner

from atip.model.shapes.check import check_tool
from atip.sdk import READ_ONLY, agent, effects
from tests.unit.sdk.asking import ask


class Shade(enum.Enum):
    light = "bright"
    dark = "dim"


def make() -> typer.Typer:
    app = typer.Typer(help="Paints walls")

    @app.command()
    @effects(READ_ONLY, network=True)
    def look(
        wall: Annotated[pathlib.Path, typer.Argument(help="which wall")],
        shade: Annotated[Shade, typer.Option(help="how bright")] = Shade.dark,
        unit: Annotated[Literal["m", "cm"], typer.Option(help="measure")] = "m",
        layers: Annotated[int, typer.Option(min=1, max=5, envvar="LAYERS", help="how many")] = 2,
        folder: Annotated[
            pathlib.Path, typer.Option(file_okay=False, help="pictures")
        ] = pathlib.Path("."),
        colours: Annotated[list[str] | None, typer.Option(help="which")] = None,
        wet: Annotated[bool, typer.Option(help="still wet")] = False,
        verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, help="more")] = 0,
    ) -> None:
        """Look at a wall."""
        typer.echo(f"{wall} {shade.value} {unit} {layers} {wet} {verbose}")

    rooms = typer.Typer(help="Rooms")

    @rooms.command(hidden=True, deprecated=True)
    def demolish(name: str) -> None:
        """Take it down."""

    app.add_typer(rooms, name="rooms")
    return app


@pytest.mark.proves("ATIP6-3.1-01", "ATIP6-2-02")
def test_typer_app_answers_with_all_it_knows(monkeypatch, capsysbinary):
    document = ask(monkeypatch, capsysbinary, agent(make(), version="1"), "--agent")
    assert (document["name"], document["description"]) == ("tool", "Paints walls")
    assert check_tool(document, "strict") == []
    look = document["commands"]["look"]
    found = {option["name"]: option for option in look["options"]}
    assert look["arguments"][0]["type"] == "file"
    assert found["shade"]["enum"] == ["bright", "dim"] and found["shade"]["default"] == "dim"
    assert found["unit"]["enum"] == ["m", "cm"]
    assert found["layers"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 5}
    assert found["layers"]["envVar"] == "LAYERS"
    assert found["folder"]["type"] == "directory"
    assert found["colours"]["variadic"] is True
    assert found["wet"]["exclusive"] == ["no-wet"]
    assert found["verbose"]["type"] == "boolean" and found["verbose"]["variadic"] is True
    assert look["effects"] == {**READ_ONLY, "network": True}
    demolish = document["commands"]["rooms"]["commands"]["demolish"]
    assert demolish["hidden"] is demolish["deprecated"] is True


def test_typer_program_is_unchanged_without_the_flag():
    words = ["look", "east", "--layers", "3", "-vv"]
    plain, wrapped = (CliRunner().invoke(app, words) for app in (make(), agent(make())))
    assert plain.output == wrapped.output == "east dim m 3 False 2\n"
    assert "--agent" in CliRunner().invoke(agent(make()), ["--help"]).output


def test_commands_added_after_the_line_are_described(monkeypatch, capsysbinary):
    app = agent(typer.Typer(help="Late"), version="1")

    @app.command()
    def one(name: str) -> None:
        """The only one."""

    document = ask(monkeypatch, capsysbinary, app, "--agent")
    assert document["arguments"][0]["name"] == "name"

    @app.command()
    def two() -> None:
        """A second one."""

    document = ask(monkeypatch, capsysbinary, app, "--agent", "--commands=two")
    assert list(document["commands"]) == ["two"]
    assert isinstance(app, typer.Typer)


def test_runner_of_typer_gets_the_answer_too():
    result = CliRunner().invoke(agent(make(), version="1", name="tool"), ["--agent", "--depth=1"])
    document = json.loads(result.stdout)
    assert document["partial"] is True
    assert document["commands"]["rooms"]["x-atip"] == {"omittedCommands": 1}
