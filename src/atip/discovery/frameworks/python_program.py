"""Python programs: their argparse, click, typer or optparse parser, dumped inside the sandbox."""

from __future__ import annotations

import os
import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from atip.discovery.files.content import HEAD
from atip.discovery.files.stubs import head_of, managed_target, parse_stub
from atip.discovery.sources.aliases import Once
from atip.discovery.sources.inference_sources import (
    GENERATOR,
    UNKNOWN_VERSION,
    ask_version,
    version_in,
)
from atip.errors import FormatError
from atip.model.reading.reader import STORE, read_json
from atip.model.tool import Command, Trust
from atip.system.clock import now_iso

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.discovery.files.stubs import Stub
    from atip.discovery.sources.help_tree import Runner
    from atip.discovery.sources.source_order import ProbeSubject
    from atip.model.tool import Tool

METHOD = "parser-introspection"
MAX_COMMANDS = 80
"""Maximum number of commands with their own parser that are probed, each in a process."""
MARK = b"\x1eatip-parser\x1e"
_HERE = os.path.dirname(os.path.abspath(__file__))
SDK = os.path.join(os.path.dirname(os.path.dirname(_HERE)), "sdk")
"""Must be visible inside the sandbox."""
MAX_PIECES = 24
MAX_PIECE = 32_000_000
"""Bytes of one piece of a large tree, unpacked."""
MAX_WEIGHT = 256_000_000
"""Memory that all pieces of a tree may take, estimated; that of the AWS CLI takes 106 million bytes."""
_VALUE_BYTES = 64
WALL_S = 25.0
"""Importing a whole program takes longer than printing a help text; the user requested it (`--learn`)."""


class PythonSource:
    """Loads the entry point of a Python program, confined, and dumps its parser. Runs the tool."""

    source_kind = "framework"
    executes = True

    def __init__(self, open_runner: Callable[[ProbeSubject], Runner]) -> None:
        self._open_runner = open_runner
        self._source = ""
        self._by_entry: Once[Tool | None] = Once()
        """By entry point: `pip`, `pip3` and `pip3.11` are three files that start the same function."""

    def ask(self, subject: ProbeSubject) -> Tool | None:
        script, stub = behind(subject)
        if stub.language != "python" or stub.interpreter is None:
            return None
        entry = _entry_of(script, stub)
        tool = self._by_entry.get(entry, lambda: self._load(subject))
        return tool and tool.replace(name=subject.name)

    def _load(self, subject: ProbeSubject) -> Tool | None:
        tool = self._dump(subject)
        if tool is None or (not tool.commands and _hands_on(tool)):
            tool = self._dump_each_command(subject, tool)
        if tool is None:
            return None
        version = version_in(tool.version)
        if version == UNKNOWN_VERSION:
            version = ask_version(self._open_runner(subject), subject)
        return tool.replace(version=version)

    def _dump(self, subject: ProbeSubject, *path: str) -> Tool | None:
        """The parser that would print the help of a command."""
        tree: dict[str, Any] = {}
        after, weight = "", 0
        for _ in range(MAX_PIECES):
            part = self._piece(subject, after, path)
            weight += weight_of(part)
            # SECURITY: a megabyte of answer may unpack to a thousand; judged before anything is built of it.
            piece = read_piece(part) if weight <= MAX_WEIGHT else None
            if piece is None:
                break
            more = piece.pop("more", None)
            tree = (
                {**piece, "commands": {**_commands(tree), **_commands(piece)}} if after else piece
            )
            if not isinstance(more, str) or more <= after:
                return read_parser(tree, subject.name)
            after = more
        return read_parser(tree, subject.name, is_truncated=True) if tree else None

    def _piece(self, subject: ProbeSubject, after: str, path: tuple[str, ...]) -> bytes:
        """One answer of the hooks: all of a parser, or of a large tree what comes behind `after`; empty without any."""
        script, stub = behind(subject)
        interpreter = str(stub.interpreter)
        if not os.path.isabs(interpreter):
            interpreter = f"/usr/bin/{interpreter}"
        answer = self._open_runner(subject).run(
            [interpreter, "-B", "-c", self.source(), script, SDK, after, *path], wall_s=WALL_S
        )
        start = answer.stdout.rfind(MARK)
        if answer.failure or answer.timed_out or start < 0:
            return b""
        return unpack(answer.stdout[start + len(MARK) :])

    def _dump_each_command(self, subject: ProbeSubject, root: Tool | None) -> Tool | None:
        """A program that dispatches on its first word and has a parser per command: dump each parser."""
        from atip.discovery.sources.help_tree import PATIENT
        from atip.discovery.sources.inference_sources import inferred_tool
        from atip.inference.help import infer_help

        runner = self._open_runner(subject)
        answer = runner.run([subject.program, "--help"], wall_s=PATIENT.answer_s)
        if answer.failure or answer.timed_out:
            return root
        text = max(answer.stdout, answer.stderr, key=len).decode("utf-8", "replace")
        tool = infer_help(text, tool=subject.name)
        names = list(tool.commands or {}) or _choices(root)
        commands: dict[str, Command] = {}
        for name in names[:MAX_COMMANDS]:
            child = self._dump(subject, name)
            entry = (tool.commands or {}).get(name) or Command()
            if child is None or (root is not None and child.options == root.options):
                if not commands and len(names) > 1 and name == names[0] and root is None:
                    return None  # the first has no parser either: its help is all there is
                commands[name] = entry
                continue
            commands[name] = Command(
                description=entry.description or child.description,
                options=child.options or child.global_options,
                arguments=child.arguments,
                commands=child.commands,
            )
        if not any(command.options or command.commands for command in commands.values()):
            return root
        if root is None:
            merged = tool.replace(commands=commands)
            return inferred_tool(subject.name, merged, METHOD, confidence="high")
        return root.replace(
            commands=commands, arguments=None, options=None, global_options=root.options
        )

    def source(self) -> str:
        """The program that runs inside."""
        if not self._source:
            for name in ("python_trees.py", "python_hooks.py"):
                with open(os.path.join(_HERE, name), encoding="utf-8") as file:
                    self._source += file.read()
        return self._source


def _entry_of(script: str, stub: Stub) -> tuple[str, ...]:
    """Equal for two console scripts that start the same function in the same folder; of any other script itself."""
    text = head_of(script)
    if not stub.module or len(text) >= HEAD:
        return (script,)
    return os.path.dirname(script), text.decode("utf-8", "surrogateescape")


def _hands_on(tool: Tool) -> bool:
    """Whether the last positional takes everything that is left: another parser reads it."""
    arguments = tool.arguments or ()
    return len(arguments) > 1 and bool(arguments[-1].variadic) and bool(arguments[0].enum)


def _choices(tool: Tool | None) -> list[str]:
    return (
        [str(choice) for choice in (tool.arguments[0].enum or ())]
        if tool and tool.arguments
        else []
    )


def _without_bare_dash(node: Any) -> None:
    """`-` alone stands for standard input; a parser that calls it an option means a positional."""
    for options in (node.get("options"), node.get("globalOptions")):
        for option in options or []:
            option["flags"] = [flag for flag in option.get("flags", []) if flag != "-"]
        if options:
            options[:] = [option for option in options if option["flags"]]
    for command in (node.get("commands") or {}).values():
        _without_bare_dash(command)


def behind(subject: ProbeSubject) -> tuple[str, Stub]:
    """The script, and how it is started: where a version manager's stub stands before it, the one that it starts."""
    target = subject.stub.target
    if subject.stub.language != "shell" or not target or target != managed_target(subject.path):
        return subject.real_path, subject.stub
    return target, parse_stub(target, head_of(target))


def unpack(data: bytes) -> bytes:
    """The text of an answer, packed or not; empty when it is cut, too large or none."""
    if data[:1] != b"x":  # zlib
        return data
    import zlib

    packer = zlib.decompressobj()
    try:
        text = packer.decompress(data, MAX_PIECE)
    except zlib.error:
        return b""
    return text if packer.eof else b""


def weight_of(text: bytes) -> int:
    """Memory that a document takes, at most about: its text, and so much for every value."""
    return len(text) + _VALUE_BYTES * sum(text.count(mark) for mark in (b",", b"[", b"{"))


def read_piece(data: bytes) -> dict[str, Any] | None:
    """The document in an answer; None when there is none."""
    try:
        document = read_json(data.strip(), STORE)
    except FormatError:
        return None
    return document if isinstance(document, dict) else None


def _commands(piece: dict[str, Any]) -> dict[str, Any]:
    commands = piece.get("commands")
    return commands if isinstance(commands, dict) else {}


_MARKUP = re.compile(r"\[/?(?:[a-z_]+\.[a-z_.]+)?\]|\\(?=\[)")
"""Styles that a parser writes into its usage for a terminal: `[optparse.groups]Usage:[/]`, and `\\[` beside them."""
_TAKES_COMMAND = re.compile(r"\bcommand\b(?![.\w])", re.I)


def _read_usage(usage: str) -> Command:
    """optparse has no positional arguments or nested commands; its usage lines show them."""
    from atip.inference.help.infer import read_synopsis

    text = _MARKUP.sub("", usage).strip().removeprefix("Usage:")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    leading_words = [re.split(r"[\[<(]", line)[0].split() for line in lines]
    shared = zip(*leading_words, strict=False)
    words = tuple(column[0] for column in takewhile(lambda one: len(set(one)) == 1, shared))
    return read_synopsis(lines, words) if words else Command()


def _with_usage(tool: Tool, usage: str) -> Tool:
    parsed = _read_usage(usage)
    if tool.arguments or tool.commands or not (parsed.arguments or parsed.commands):
        return tool
    if not parsed.commands:
        return tool.replace(arguments=parsed.arguments)
    return tool.replace(commands=parsed.commands, options=None, global_options=tool.options)


def read_parser(document: dict[str, Any], name: str, *, is_truncated: bool = False) -> Tool | None:
    """Output of the hooks → Tool; None when it is not metadata. `is_truncated`: the output is incomplete."""
    from atip.model.reading.decode import decode_tool
    from atip.model.shapes.check import check_tool

    usage = str(document.pop("usage", ""))
    if _TAKES_COMMAND.search(usage):
        return None  # optparse has no subcommands: the help of such a program has more
    document = {"atip": {"version": "0.6"}, "version": "", **document, "name": name}
    if any(problem.severity == "error" for problem in check_tool(document, "lenient")):
        return None
    _without_bare_dash(document)
    tool = decode_tool(document)
    if usage:
        tool = _with_usage(tool, usage)
    generation = {
        "method": METHOD,
        "confidence": "high",
        "timestamp": now_iso(),
        "generator": GENERATOR,
        "review": "needed",
        **({"incomplete": "the tree is incomplete"} if is_truncated else {}),
    }
    return tool.replace(
        trust=Trust(source="inferred", verified=False),
        extra={**tool.extra, "_generation": generation},
    )
