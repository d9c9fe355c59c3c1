"""Operands: what to hand to a command of which only the description is known. Data, and the choice among it. Pure."""

from __future__ import annotations

import functools
import os
import shlex
from typing import TYPE_CHECKING, Any

from atip.model.reading.yaml_reader import read_yaml
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.model.tool import Argument, Option

_BY_WORD = (
    # words of a positional's or option's name and description → operands, the likeliest first
    (("dest", "target", "output", "outfile", "new", "to"), ("new.txt",)),
    (("dir", "directory", "folder", "path"), ("d",)),
    (("archive", "tarball"), ("archive.tar", "archive.zip")),
    (("zip",), ("archive.zip",)),
    (("image", "picture", "png"), ("image.png",)),
    (("pdf",), ("document.pdf",)),
    (("audio", "sound", "wav"), ("sound.wav",)),
    (("json",), ("data.json",)),
    (("csv",), ("data.csv",)),
    (("yaml", "yml"), ("data.yaml",)),
    (("xml",), ("data.xml",)),
    (("html",), ("page.html",)),
    (("markdown",), ("notes.md",)),
    (("database", "db"), ("data.db",)),
    (
        ("url", "uri", "host", "hostname", "server", "domain", "remote"),
        ("http://www.example.org/", "www.example.org"),
    ),
    (("pattern", "regex", "regexp", "expression", "string", "word", "name"), ("alpha",)),
    (("source", "src"), ("source.c", "text.txt")),
    (("script", "program"), ("script.py", "script.sh")),
    (("device", "disk", "partition"), ("disk.img",)),
    (("command", "cmd"), ("true",)),
    (("mode",), ("644",)),
    (("pid",), ("1",)),
    (("user", "login"), ("probe",)),
    (("group",), ("probe",)),
    (
        (
            "num",
            "n",
            "number",
            "count",
            "size",
            "bytes",
            "lines",
            "width",
            "columns",
            "level",
            "seconds",
            "secs",
            "time",
            "timeout",
            "delay",
            "depth",
            "port",
            "jobs",
            "limit",
        ),
        ("1",),
    ),
    (("format", "style", "type"), ("text",)),
    (("file", "files", "filename", "input", "infile"), ("text.txt",)),
)
_GENERIC = (
    "", "text.txt", "text.txt new.txt", "d", "text.txt other.txt", "source.c", "archive.tar", "archive.zip",
    "image.png", "data.json", "www.example.org", "alpha text.txt", "program", "disk.img", "document.pdf", "1",
)  # fmt: skip
_OF_COMMAND = ("", "text.txt", "alpha", "alpha text.txt", "d", "www.example.org")
MAX_BASES = 6
MAX_VALUES = 2


class Recipe(Value):
    """Words behind a command, where it starts, and the sample that it reads."""

    words: tuple[str, ...]
    folder: str = ""
    stdin: str = ""


def parse_recipe(text: str) -> Recipe:
    """`@repo -n 1 file < other`."""
    words = shlex.split(text)
    folder = stdin = ""
    if words and words[0].startswith("@"):
        folder = words.pop(0)[1:]
    if len(words) >= 2 and words[-2] == "<":
        stdin = words[-1]
        words = words[:-2]
    return Recipe(words=tuple(words), folder=folder, stdin=stdin)


@functools.cache
def _load_file() -> dict[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "recipes.yaml"), "rb") as file:
        document = read_yaml(file.read())
    assert isinstance(document, dict)
    return document


def load_environment(name: str) -> dict[str, str]:
    """Variables that the cases of a tool run with, of `recipes.yaml`; most have none."""
    return {key: _text(value) for key, value in _load_file()["environment"].get(name, {}).items()}


@functools.cache
def load_recipes() -> dict[str, tuple[Recipe, ...]]:
    """`tool command` → recipes, of `recipes.yaml`."""
    document = _load_file()
    recipes: dict[str, tuple[Recipe, ...]] = {}
    for name, rows in document["recipes"].items():
        lines = rows if isinstance(rows, list) else [rows]
        recipes[str(name)] = tuple(parse_recipe(_text(line)) for line in lines)
    for name, others in document["like"].items():
        for other in str(others).split() if isinstance(others, str) else ():
            recipes.update(
                {
                    f"{other}{key[len(name) :]}": value
                    for key, value in list(recipes.items())
                    if key == name or key.startswith(f"{name} ")
                }
            )
    return recipes


def _text(line: object) -> str:
    return str(line).lower() if isinstance(line, bool) else str(line)


def bases(name: str, path: tuple[str, ...], arguments: Sequence[Argument]) -> Iterator[Recipe]:
    """Operands to try, the likeliest first: those that fit the positionals, then what often fits."""
    required = [argument for argument in arguments if argument.is_required]
    if required:
        yield Recipe(words=tuple(_operand(operand) for operand in required))
    elif arguments:
        yield Recipe(words=(_operand(arguments[0]),))
    texts = _OF_COMMAND if path else _GENERIC
    for text in texts:
        yield Recipe(words=tuple(text.split()))


def _operand(argument: Argument) -> str:
    if argument.enum:
        return str(argument.enum[0])
    return _by_word(argument.name, argument.description)[0]


def values(option: Option) -> list[str]:
    """Values to try for an option, the likeliest first."""
    if option.enum:
        return [str(value) for value in option.enum[:MAX_VALUES]]
    if option.type in ("integer", "number"):
        return ["1", "4"]
    if option.type == "directory":
        return ["d", "new"]
    if option.type == "file":
        return ["text.txt", "new.txt"]
    words = f"{option.name} {option.schema.get('metavar', '') if option.schema else ''}"
    candidates = [*_by_word(words, option.description), "1", "text.txt", "alpha"]
    return list(dict.fromkeys(candidates))[:MAX_VALUES]


def _by_word(name: str, description: str) -> tuple[str, ...]:
    for text in (name, description[:60]):
        mentioned = {part.strip("s") for part in _split(text)} | set(_split(text))
        for words, operands in _BY_WORD:
            if mentioned.intersection(words):
                return operands
    return ("text.txt",)


def _split(text: str) -> list[str]:
    lower = "".join(letter if letter.isalnum() else " " for letter in text.lower())
    return lower.split()
