"""What a Python program's hooks answer is put together, whatever comes: pieces, a piece that fails, nonsense."""

from __future__ import annotations

import json
import types
import zlib

import pytest

from atip.discovery.files.stubs import Stub
from atip.discovery.frameworks import python_program
from atip.discovery.frameworks.python_program import (
    MARK,
    MAX_PIECES,
    PythonSource,
    read_piece,
    unpack,
    weight_of,
)
from atip.discovery.sources.source_order import ProbeSubject

SUBJECT = ProbeSubject(
    name="boat",
    path="/bin/boat",
    real_path="/bin/boat",
    digest="sha256:0",
    stub=Stub(interpreter="/usr/bin/python3", language="python"),
)


class Answering:
    """Tells a piece for the name after which it is asked; anything else fails."""

    def __init__(self, pieces: dict[str, object]) -> None:
        self.pieces = pieces
        self.asked: list[str] = []

    def run(self, argv, *, wall_s=None):
        after = argv[6] if len(argv) > 6 else None
        self.asked.append(after)
        piece = self.pieces.get(after)
        packed = zlib.compress(json.dumps(piece).encode())
        out = b"noise" + MARK + packed if piece is not None else b""
        return types.SimpleNamespace(
            exit_code=0, stdout=out, stderr=b"", timed_out=False, truncated=False, failure=""
        )


def piece(*names: str, more: object = None) -> dict:
    told = {"name": "tool", "description": "Boats", "commands": {n: {} for n in names}}
    return {**told, "more": more} if more is not None else told


def test_pieces_become_one_tree():
    runner = Answering({"": piece("a", "b", more="b"), "b": piece("c", more="c"), "c": piece("d")})
    tool = PythonSource(lambda _: runner).ask(SUBJECT)
    assert list(tool.commands) == ["a", "b", "c", "d"]
    assert "incomplete" not in tool.extra["_generation"]
    assert runner.asked[:3] == ["", "b", "c"]


def test_a_piece_that_fails_leaves_what_was_told_and_says_so():
    runner = Answering({"": piece("a", "b", more="b")})
    tool = PythonSource(lambda _: runner).ask(SUBJECT)
    assert list(tool.commands) == ["a", "b"]
    assert tool.extra["_generation"]["incomplete"]


def test_a_program_that_never_ends_telling_is_not_asked_for_ever():
    class Endless(Answering):
        def run(self, argv, *, wall_s=None):
            self.pieces = {argv[6]: piece("a", more=f"{argv[6]}z")} if len(argv) > 6 else {}
            return super().run(argv, wall_s=wall_s)

    runner = Endless({})
    PythonSource(lambda _: runner).ask(SUBJECT)
    assert len([after for after in runner.asked if after is not None]) == MAX_PIECES


@pytest.mark.parametrize(
    "told",
    [
        {"more": "b"},
        {"name": "tool", "description": "x", "commands": 1, "more": "b"},
        {"name": "tool", "description": "x", "commands": {"a": 1}},
        {"name": "tool", "description": "x", "options": [1]},
        {"name": "tool", "description": "x", "globalOptions": {"flags": 3}},
        {"name": 1, "description": ["x"], "more": 7},
        [1],
        "text",
    ],
    ids=str,
)
def test_nonsense_is_no_metadata_and_no_crash(told):
    tool = PythonSource(lambda _: Answering({"": told, "b": told})).ask(SUBJECT)
    assert tool is None or not tool.commands


@pytest.mark.parametrize(
    "data", [b"", b"x\x9cnot packed", zlib.compress(b"[" * 100), zlib.compress(b'{"a": 1}')[:-3]]
)
def test_an_answer_that_is_none_is_not_taken_for_one(data):
    assert read_piece(unpack(data)) is None


def test_a_packed_answer_cannot_fill_the_memory(monkeypatch):
    monkeypatch.setattr(python_program, "MAX_PIECE", 1000)
    assert unpack(zlib.compress(b"b" * 900)) == b"b" * 900
    assert unpack(zlib.compress(b"b" * 9000)) == b""
    # many small values weigh more than one long text
    assert weight_of(b"[],[],[]") > 20 * weight_of(b"12345678")


def test_pieces_that_weigh_too_much_together_are_not_read(monkeypatch):
    pieces = {"": piece("a", more="a"), "a": piece("b", more="b"), "b": piece("c")}
    one = weight_of(json.dumps(pieces[""]).encode())
    monkeypatch.setattr(python_program, "MAX_WEIGHT", 2 * one)
    tool = PythonSource(lambda _: Answering(pieces)).ask(SUBJECT)
    assert list(tool.commands) == ["a", "b"]
    assert tool.extra["_generation"]["incomplete"]


def test_usage_lines_of_optparse_tell_positionals_and_nested_commands():
    usage = (
        "\n[optparse.groups]Usage:[/]   \n  pip install \\[options] <requirement specifier> ...\n"
        "  pip install \\[options] -r <requirements file> ...\n"
    )
    install = python_program.read_parser({"usage": usage, "options": []}, "pip")
    assert [
        (argument.name, argument.required, argument.variadic) for argument in install.arguments
    ] == [("requirement specifier", False, True)]
    usage = "Usage: \n  pip cache dir\n  pip cache list [<pattern>]\n  pip cache remove <pattern>\n"
    assert list(python_program.read_parser({"usage": usage, "options": []}, "pip").commands) == [
        "dir",
        "list",
        "remove",
    ]
    assert (
        python_program.read_parser({"usage": "Usage: x <command> [args]", "options": []}, "x")
        is None
    )


def test_console_scripts_that_start_the_same_function_are_loaded_once(tmp_path):
    script = "#!/usr/bin/python3\nfrom boat.cli import main\nmain()\n"
    for name, text in (("boat", script), ("boat3", script), ("ship", script.replace("cli", "up"))):
        (tmp_path / name).write_text(text)
    stub = Stub(interpreter="/usr/bin/python3", language="python", module="boat.cli")
    runner = Answering({"": piece("load")})
    source = PythonSource(lambda _: runner)
    names = ("boat", "boat3", "ship")
    paths = {name: str(tmp_path / name) for name in names}
    tools = [
        source.ask(SUBJECT.replace(name=n, path=paths[n], real_path=paths[n], stub=stub))
        for n in names
    ]
    assert [tool.name for tool in tools] == ["boat", "boat3", "ship"]
    assert tools[0].commands == tools[1].commands
    assert runner.asked.count("") == 2
