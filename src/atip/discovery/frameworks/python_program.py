"""Python programs: their argparse, click, typer or optparse parser, dumped inside the sandbox."""

from __future__ import annotations

import os

from atip.discovery.learning import GENERATOR, ask_version
from atip.errors import FormatError
from atip.model.reader import STORE, read_json
from atip.model.tool import Trust
from atip.system.clock import now_iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from atip.discovery.help_tree import Runner
    from atip.discovery.ladder import Subject
    from atip.model.tool import Tool

MARK = b"\x1eatip-parser\x1e"
_HERE = os.path.dirname(os.path.abspath(__file__))
SDK = os.path.join(os.path.dirname(os.path.dirname(_HERE)), "sdk")
"""Must be visible inside the sandbox."""
WALL_S = 25.0
"""Importing a whole program takes longer than printing a help text; the person asked for it (`--learn`)."""


class PythonAsker:
    """Loads the entry point of a Python program, confined, and asks its parser. Runs the tool."""

    rung = "framework"
    executes = True

    def __init__(self, open_runner: Callable[[Subject], Runner]) -> None:
        self._open_runner = open_runner
        self._source = ""

    def ask(self, subject: Subject) -> Tool | None:
        if subject.stub.language != "python" or subject.stub.interpreter is None:
            return None
        interpreter = subject.stub.interpreter
        if not os.path.isabs(interpreter):
            interpreter = f"/usr/bin/{interpreter}"
        answer = self._open_runner(subject).run(
            [interpreter, "-B", "-c", self.source(), subject.real_path, SDK], wall_s=WALL_S
        )
        start = answer.stdout.rfind(MARK)
        if answer.failure or answer.timed_out or start < 0:
            return None
        tool = read_parser(answer.stdout[start + len(MARK) :], subject.name)
        return tool and tool.replace(version=ask_version(self._open_runner(subject), subject))

    def source(self) -> str:
        """The program that runs inside."""
        if not self._source:
            with open(os.path.join(_HERE, "python_hooks.py"), encoding="utf-8") as file:
                self._source = file.read()
        return self._source


def read_parser(data: bytes, name: str) -> Tool | None:
    """What the hooks wrote → Tool; None when it is not metadata."""
    from atip.model.check import check_tool
    from atip.model.decode import decode_tool

    try:
        document: Any = read_json(data.strip(), STORE)
    except FormatError:
        return None
    if not isinstance(document, dict):
        return None
    if "command" in str(document.pop("usage", "")).lower():
        return None  # optparse knows no subcommands: the help of such a program tells more
    document = {"atip": {"version": "0.6"}, "version": "", **document, "name": name}
    if any(problem.severity == "error" for problem in check_tool(document, "lenient")):
        return None
    tool = decode_tool(document)
    generation = {
        "method": "parser-introspection",
        "confidence": "high",
        "timestamp": now_iso(),
        "generator": GENERATOR,
        "review": "needed",
    }
    return tool.replace(
        trust=Trust(source="inferred", verified=False),
        extra={**tool.extra, "_generation": generation},
    )
