"""Patterns for CMP from a command's curated intents, description and name. Pure.

A pattern is a short request in plain words. No two intents of one tool get the same one, so that an exact
pattern always selects its own command.
"""

from __future__ import annotations

import re

from atip.codecs.providers.safety import clean_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.model.tool import Command, Tool

    Path = tuple[str, ...]

MOST = 5
MAX_WORDS = 9
_VERBS = {
    "add": "create", "apply": "set", "build": "make", "cat": "show", "check": "verify", "clone": "copy",
    "close": "end", "commit": "save", "config": "configure", "connect": "join", "copy": "duplicate", "cp": "copy",
    "create": "make", "delete": "remove", "deploy": "publish", "describe": "show", "diff": "compare",
    "disable": "turn off", "download": "get", "edit": "change", "enable": "turn on", "exec": "run",
    "export": "save", "fetch": "download", "find": "search", "format": "tidy", "get": "show", "import": "load",
    "info": "show", "init": "create", "inspect": "show", "install": "add", "kill": "stop", "list": "show",
    "log": "show", "login": "sign in", "logout": "sign out", "logs": "show", "ls": "list", "merge": "join",
    "move": "rename", "mv": "move", "new": "create", "open": "view", "print": "show", "prune": "clean up",
    "publish": "release", "pull": "download", "push": "upload", "read": "show", "rebase": "move",
    "remove": "delete", "rename": "move", "reset": "restore", "restart": "start again", "restore": "recover",
    "rm": "delete", "run": "execute", "scale": "resize", "search": "find", "send": "deliver", "set": "change",
    "show": "view", "start": "begin", "stats": "show", "status": "show", "stop": "end", "sync": "update",
    "test": "check", "top": "watch", "uninstall": "remove", "unlock": "open", "update": "upgrade",
    "upgrade": "update", "upload": "send", "validate": "check", "verify": "check", "view": "show", "watch": "follow",
}  # fmt: skip
_CUT = re.compile(r"[.;:(\n]|, (?:or|and|by|using|with) | by default")
_SPACES = re.compile(r"\s+")


def patterns_for(tool: Tool, path: Path, command: Command, used: set[str]) -> list[str]:
    """Return up to MOST patterns that are not in `used`, and add them to it. Never empty."""
    patterns: list[str] = []
    for phrase in _phrases(tool, path, command):
        text = _SPACES.sub(" ", clean_text(phrase)).strip().lower()
        # a description must not be read as a regular expression
        if text and text not in used and not text.startswith("re:") and len(patterns) < MOST:
            used.add(text)
            patterns.append(text)
    if not patterns:
        line = " ".join((tool.name, *path)).lower()
        used.add(line)
        patterns.append(line)
    return patterns


def _phrases(tool: Tool, path: Path, command: Command) -> Iterator[str]:
    intents = tool.own.get("intents")
    if isinstance(intents, dict):
        yield from (str(phrase) for phrase in intents.get(" ".join(path), ()) or ())
    sentence = _sentence(command.description or ("" if path else tool.description))
    if sentence:
        yield sentence
        yield from _reword(sentence)
    yield from _from_names(path or (tool.name,))


def _sentence(description: str) -> str:
    """The first clause, at most MAX_WORDS words."""
    words = _CUT.split(description.strip(), maxsplit=1)[0].split()
    return " ".join(words[:MAX_WORDS])


def _reword(sentence: str) -> Iterator[str]:
    verb, _, rest = sentence.lower().partition(" ")
    if rest and verb in _VERBS:
        yield f"{_VERBS[verb]} {rest}"


def _from_names(path: Path) -> Iterator[str]:
    """`pr list` → `list pr`, `show pr`; a name without a verb as it is."""
    words = [word for name in path for word in re.split(r"[-_.\s]+", name) if word]
    verbs = [word for word in words if word.lower() in _VERBS]
    if len(words) > 1 and verbs:
        rest = [word for word in words if word != verbs[-1]]
        yield " ".join((verbs[-1], *rest))
        yield " ".join((_VERBS[verbs[-1].lower()], *rest))
    yield " ".join(words)
