"""Facts → model values: what every reader of a self-description uses to make options and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.completion.tree import is_command_name, is_flag
from atip.inference.help import prose
from atip.model.tool import BOOLEAN, MISSING, Argument, Command, Option
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MAX_DEPTH = 12
_KINDS = {
    "bool": BOOLEAN, "boolean": BOOLEAN, "flag": BOOLEAN, "int": "integer", "integer": "integer",
    "int32": "integer", "int64": "integer", "uint": "integer", "long": "integer", "number": "number",
    "float": "number", "float64": "number", "double": "number", "decimal": "number", "path": "file",
    "file": "file", "filename": "file", "dir": "directory", "directory": "directory", "url": "url",
}  # fmt: skip


RUNS = "runs a program; code does not travel in metadata"


class Unread(Value):
    """A place of a document that does not arrive in the model."""

    path: str
    message: str


def rest(node: Mapping[str, Any], known: frozenset[str], vendor: str) -> dict[str, Any]:
    """Keys of a node beyond `known`, as one vendor field; empty when there are none."""
    others = {key: value for key, value in node.items() if key not in known}
    return {vendor: others} if others else {}


def text(value: Any) -> str:
    """One line of text; empty for anything that is none."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, or of one object."""
    items = value if isinstance(value, list) else [value]
    return [one for one in items if isinstance(one, dict)]


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object; otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def words(value: Any) -> tuple[str, ...]:
    """The words of a list, or one word."""
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(str(one) for one in items if isinstance(one, str | int | float) and str(one))


def pairs(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, object) of a mapping of objects, or of a list of objects with a `name`."""
    if isinstance(value, dict):
        yield from ((str(key), one) for key, one in value.items() if isinstance(one, dict))
    for one in dicts(value) if isinstance(value, list) else []:
        names = words(one.get("name"))
        if names:
            yield names[0], one


def kind_of(name: Any, placeholder: str = "", description: str = "") -> str:
    """A type of §3.7 for the type name of another format."""
    kind = _KINDS.get(str(name or "").lower().rsplit(".", 1)[-1])
    return kind or prose.type_of(placeholder, description)


def option(
    flags: Iterable[str],
    *,
    takes_value: bool,
    description: Any = "",
    kind: Any = "",
    placeholder: str = "",
    choices: Any = None,
    default: Any = None,
    required: Any = None,
    repeats: Any = None,
    hidden: Any = None,
    env: Any = None,
    deprecated: Any = None,
    own: Mapping[str, Any] | None = None,
) -> Option | None:
    """An option, or None when no usable flag is left."""
    spellings = tuple(dict.fromkeys(flag for flag in flags if is_flag(flag)))
    if not spellings:
        return None
    line = text(description)
    enum = words(choices) if choices and takes_value else ()
    plain = default if isinstance(default, str | int | float | bool) else None
    longest = next((flag for flag in spellings if flag.startswith("--")), spellings[-1])
    return Option(
        name=longest.lstrip("-"),
        flags=tuple(sorted(spellings, key=lambda flag: flag.startswith("--"))),
        type=_value_kind(kind, placeholder, line, enum) if takes_value else BOOLEAN,
        description=line,
        required=True if required is True else None,
        default=plain if takes_value and plain not in (None, "") else MISSING,
        enum=enum or None,
        env_var=env if isinstance(env, str) and env else None,
        variadic=True if repeats else None,
        deprecated=deprecated if isinstance(deprecated, bool | str) and deprecated else None,
        hidden=True if hidden is True else None,
        extra={"x-atip": dict(own)} if own else {},
    )


def _value_kind(kind: Any, placeholder: str, description: str, enum: tuple[str, ...]) -> str:
    if enum:
        return "enum"
    value_kind = kind_of(kind, placeholder, description)
    return "string" if value_kind == BOOLEAN else value_kind


def argument(
    name: Any,
    *,
    description: Any = "",
    kind: Any = "",
    required: bool = True,
    repeats: Any = None,
    choices: Any = None,
    default: Any = None,
) -> Argument:
    """A positional."""
    label = text(name).strip("<>[]. ") or "value"
    enum = words(choices) if choices else ()
    plain = default if isinstance(default, str | int | float) else None
    return Argument(
        name=label,
        type=_value_kind(kind, label, text(description), enum),
        description=text(description),
        required=None if required else False,
        default=plain if plain not in (None, "") else MISSING,
        variadic=True if repeats else None,
        enum=enum or None,
    )


def command(
    *,
    description: Any = "",
    options: Iterable[Option | None] = (),
    arguments: Iterable[Argument] = (),
    commands: Mapping[str, Command] | None = None,
    aliases: Any = None,
    hidden: Any = None,
    deprecated: Any = None,
    examples: Any = None,
    kind: str = "",
) -> Command:
    """A command; what is empty is left out."""
    own = {"evidence": {"source": "framework", "part": kind}}
    return Command(
        description=text(description),
        commands={n: c for n, c in (commands or {}).items() if is_command_name(n)} or None,
        arguments=tuple(arguments) or None,
        options=tuple(one for one in options if one is not None) or None,
        aliases=words(aliases) or None if aliases else None,
        hidden=True if hidden is True else None,
        deprecated=deprecated if isinstance(deprecated, bool | str) and deprecated else None,
        examples=words(examples) or None if examples else None,
        extra={"x-atip": own},
    )


def add_dashes(name: str) -> str:
    """`x` → `-x`, `long` → `--long`; a name that has its dashes keeps them."""
    if name.startswith("-"):
        return name
    return f"-{name}" if len(name) == 1 else f"--{name}"
