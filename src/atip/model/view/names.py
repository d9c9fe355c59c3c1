"""Resolve names of commands, in every spelling of A40: `pr`, `pr.create`, `pr create`, `a,b`.

Aliases and a leading tool name are understood. Does not look at what a command is.
"""

from __future__ import annotations

from atip.errors import NotFoundError
from atip.model.shapes.shape import closest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

    from atip.model.tool import Command, Path, Tool


def resolve(tool: Tool, names: Sequence[str]) -> tuple[Path, ...]:
    """Paths of the requested commands, in any spelling of A40.

    Raises:
        NotFoundError: `view.unknown-command`.
    """
    paths: dict[Path, None] = {}
    for name in names:
        full_path = _find(tool, name)
        if full_path is not None:
            paths[full_path] = None
            continue
        for part in name.split(","):
            if part.strip():
                paths[_find(tool, part) or _unknown(tool, part)] = None
    return tuple(paths)


def _find(tool: Tool, text: str) -> Path | None:
    words = text.split()
    commands: Mapping[str, Command] = tool.commands or {}
    if words[:1] == [tool.name] and tool.name not in commands:
        words = words[1:]
        if not words:
            return ("",) if "" in commands else None
    path: Path = ()
    for word in words:
        step = _step(commands, word)
        if step is None:
            return None
        path += step
        for name in step:
            commands = commands[name].commands or {}
    return path or None


def _step(commands: Mapping[str, Command], word: str) -> Path | None:
    """The names that one word stands for: a name, an alias, or names joined by dots."""
    exact = _name_of(commands, word)
    if exact is not None:
        return (exact,)
    end = word.rfind(".")
    while end > 0:
        head = _name_of(commands, word[:end])
        if head is not None:
            rest = _step(commands[head].commands or {}, word[end + 1 :])
            if rest is not None:
                return (head, *rest)
        end = word.rfind(".", 0, end)
    return None


def _name_of(commands: Mapping[str, Command], word: str) -> str | None:
    if word in commands:
        return word if word else None
    return next(
        (name for name, command in commands.items() if word in (command.aliases or ())), None
    )


def _unknown(tool: Tool, text: str) -> NoReturn:
    text = " ".join(text.split())
    last = text.replace(".", " ").split()[-1:]
    paths = [" ".join(path) for path, _command in tool.walk()]
    close = next((path for path in paths if path.split()[-1:] == last), None)
    close = close or closest(text.replace(".", " "), paths)
    hint = f"did you mean `{close}`?" if close else "top level: " + ", ".join(tool.commands or {})
    raise NotFoundError(
        "view.unknown-command", f"`{tool.name}` has no command `{text[:80]}`", hint=hint[:400]
    )
