"""A bundle on disk and a program that exists only as a table of answers."""

from __future__ import annotations

import pathlib
import typing

from atip.bundles.documents.loading import load_bundle
from atip.bundles.spawning import CommandOutput
from atip.bundles.surfaces.interface import settle
from atip.codecs.climd.document import render_document
from atip.errors import AtipError

MANIFEST: dict[str, typing.Any] = {
    "name": "Demo",
    "id": "demo",
    "description": "A demo.",
    "version": "1.2.0",
    "bin": "demo",
    "install": [{"method": "pip", "package": "demo"}],
    "version_check": {"cmd": "demo --version", "parse": r"demo (\S+)", "range": ">=1.2 <2"},
    "sandbox": {
        "network": {"egress": []},
        "fs": {"read": ["./**"], "write": []},
        "exec": {"allow": False},
        "env": {"pass": []},
    },
    "commands": {"list": "./tools/list/TOOL.md"},
}
TOOL: dict[str, typing.Any] = {
    "name": "List",
    "id": "demo.list",
    "description": "Lists.",
    "version": "1.0.0",
    "inputs": {"type": "object", "properties": {"name": {"type": "string"}}},
    "outputs": {"type": "object"},
    "approval": "auto",
    "runner": {"cli": "../../CLI.md", "argv": ["list", "${input.name | optional('--name')}"]},
}


def write_bundle(folder: pathlib.Path, tool=None, extra=None, **changes) -> pathlib.Path:
    """A bundle's folder; `changes` are fields of its manifest, None takes one away."""
    fields = {key: value for key, value in {**MANIFEST, **changes}.items() if value is not None}
    files = {
        "CLI.md": render_document(fields),
        "tools/list/TOOL.md": render_document({**TOOL, **(tool or {})}),
        **(extra or {}),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def make_bundle(folder: pathlib.Path, tool=None, extra=None, **changes):
    """The same, loaded leniently."""
    return load_bundle(str(write_bundle(folder, tool, extra, **changes)), workspace=str(folder))


class FakeSpawner:
    """Answers commands from a table: text → exit code, (exit code, output), or a function of the values."""

    def __init__(self, answers=None, env=None) -> None:
        self.answers = answers or {}
        self.env = env or {}
        self.ran: list[str] = []
        self.confinements: list[typing.Any] = []
        self.stdins: list[bytes] = []

    def run(
        self, command, confinement, *, timeout_s, values=None, stdin=b"", cwd=None, attended=False
    ) -> CommandOutput:
        self.ran.append(command)
        self.confinements.append(confinement)
        self.stdins.append(stdin)
        answer = self.answers.get(command, 0)
        if callable(answer):
            answer = answer(values or {})
        code, out = answer if isinstance(answer, tuple) else (answer, "")
        return CommandOutput(exit_code=code, stdout=out)


class FakeSurface:
    """A person who answers from a table and notes what was shown."""

    name = "fake"

    def __init__(self, answers=None, can_ask=True, on_open=None) -> None:
        self.answers = answers or {}
        self.can_ask = can_ask
        self.on_open = on_open
        self.asked: list[str] = []
        self.shown: list[str] = []
        self.opened: list[str] = []

    def ask(self, question) -> str:
        self.asked.append(question.id)
        value = settle(question, self.answers.get(question.id))
        if value is None:
            raise AtipError("setup.cancelled", "no answer")
        return value

    def show(self, text: str) -> None:
        self.shown.append(text)

    def open(self, url: str) -> None:
        self.opened.append(url)
        if self.on_open is not None:
            self.on_open(url)

    def close(self) -> None:
        return
