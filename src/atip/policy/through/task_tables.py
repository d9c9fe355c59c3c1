"""Recipes of `just`, and tasks that are data: Taskfile, tox, poe, cargo aliases. Pure."""

from __future__ import annotations

import configparser
import re
import tomllib

from atip.errors import FormatError
from atip.model.reading.yaml_reader import parse_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_RECIPE = re.compile(r"@?([A-Za-z_][\w-]*)((?:\s+[^:]*)?):(?!=)\s*(.*)\Z")
MAX_STEPS = 200


def just_lines(text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
    """Lines of a recipe and of those it depends on; None: imports, modules, settings of the shell, or recipes in other languages."""
    recipes: dict[str, tuple[list[str], list[str]]] = {}
    current = ""
    for line in text.splitlines():
        if line[:1] in (" ", "\t"):
            if current:
                recipes[current][1].append(line.strip().lstrip("@-"))
            continue
        if re.match(r"(import|mod|set\s+(shell|dotenv|script))\b", line):
            return None
        match = _RECIPE.match(line)
        current = match[1] if match else ""
        if match:
            recipes[current] = (re.findall(r"[A-Za-z_][\w-]*", match[3].split("#")[0]), [])
    words = [word for word in argv[1:] if not word.startswith("-") and "=" not in word]
    first = words[0] if words else next(iter(recipes), "")
    lines = _steps(recipes, first)
    if lines is None or any(line.startswith("#!") for line in lines):
        return None
    return tuple(re.sub(r"\{\{[^}]*\}\}", "${just_value}", line) for line in lines)


def _steps(tasks: dict[str, tuple[list[str], list[str]]], name: str) -> list[str] | None:
    """Lines of a task and of what it needs, each once."""
    if name not in tasks:
        return None
    names, seen, lines = [name], set[str](), list[str]()
    while names and len(seen) < MAX_STEPS:
        each = names.pop(0)
        if each in tasks and each not in seen:
            seen.add(each)
            needs, own = tasks[each]
            names += needs
            lines += own
    return lines


def taskfile_lines(text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
    """Commands of a task of `Taskfile.yml`; None: includes, or a form that is not known."""
    try:
        document = parse_yaml(text)
    except FormatError:
        return None
    if not isinstance(document, dict) or "includes" in document:
        return None
    task_blocks = document.get("tasks") or {}
    if not isinstance(task_blocks, dict):
        return None
    tasks: dict[str, tuple[list[str], list[str]]] = {}
    for name, task in task_blocks.items():
        read = _task(task)
        if read is None:
            return None
        tasks[str(name)] = read
    words = [word for word in argv[1:] if not word.startswith("-") and "=" not in word]
    lines = _steps(tasks, words[0] if words else "default")
    return (
        None
        if lines is None
        else tuple(re.sub(r"\{\{[^}]*\}\}", "${task_value}", line) for line in lines)
    )


def _task(task: object) -> tuple[list[str], list[str]] | None:
    if isinstance(task, str):
        return [], [task]
    block: dict[str, object] = (
        {"cmds": task} if isinstance(task, list) else task if isinstance(task, dict) else {}
    )
    needs: list[str] = []
    lines: list[str] = []
    dependencies = block.get("deps") or []
    commands = block.get("cmds") or ([block["cmd"]] if "cmd" in block else [])
    if not isinstance(dependencies, list) or not isinstance(commands, list):
        return None
    for each in dependencies:
        name = each.get("task") if isinstance(each, dict) else each
        if not isinstance(name, str):
            return None
        needs.append(name)
    for command in commands:
        if isinstance(command, str):
            lines.append(command)
        elif isinstance(command, dict) and isinstance(command.get("cmd"), str):
            lines.append(str(command["cmd"]))
        elif isinstance(command, dict) and "task" in command:
            needs.append(str(command["task"]))
        else:
            return None
    return needs, lines


def tox_lines(text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
    """Commands of every environment of `tox.ini`: which ones run is decided by tox."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    names = ("commands_pre", "commands", "commands_post")
    lines = [
        line.strip().removeprefix("-").strip()
        for section in parser.sections()
        if section.startswith("testenv")
        for name in names
        for line in parser.get(section, name, fallback="").replace("\\\n", " ").splitlines()
    ]
    return tuple(re.sub(r"\{[^}]*\}", "${tox_value}", line) for line in lines if line)


def poe_lines(text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
    """The command of a task of `[tool.poe.tasks]`; None: a function, an expression, or an unknown task."""
    tasks = _toml(text, "tool", "poe", "tasks")
    words = [word for word in argv[1:] if not word.startswith("-")]
    return None if tasks is None or not words else _poe(tasks, words[0], 0)


def _poe(tasks: dict[str, object], name: str, depth: int) -> tuple[str, ...] | None:
    task = tasks.get(name)
    if isinstance(task, dict):
        task = task.get("cmd") or task.get("shell") or task.get("sequence")
    if isinstance(task, str):
        return (task,)
    if not isinstance(task, list) or depth > 4:
        return None
    lines: list[str] = []
    for each in task:
        inner = _poe(tasks, each, depth + 1) if isinstance(each, str) else None
        if inner is None:
            return None
        lines += inner
    return tuple(lines)


def cargo_lines(text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
    """The line behind a cargo alias; empty for a word that is not an alias, None for an unreadable file."""
    aliases = _toml(text, "alias")
    word = next((argument for argument in argv[1:] if not argument.startswith(("-", "+"))), "")
    if aliases is None or word not in aliases:
        return () if _toml(text) is not None else None
    value = aliases[word]
    return (f"cargo {value if isinstance(value, str) else ' '.join(map(str, value or ()))}",)  # type: ignore[call-overload]


def _toml(text: str, *path: str) -> dict[str, object] | None:
    try:
        value: object = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None
