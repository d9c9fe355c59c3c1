"""Tool → CMP intents: one per callable command, with a template that keeps values apart. Pure.

Required options, a handful of optional ones that take values, and all positionals become placeholders. Flags
without values cannot be part of a template (C8) and are lost. Unknown effects are written as the cautious value.
"""

from __future__ import annotations

import re
import shlex

from atip.calls.effects.ceiling import claim_of, nodes_along
from atip.codecs.cmp.patterns import patterns_for
from atip.codecs.providers.safety import clean_text
from atip.model.effects import UNKNOWN
from atip.model.tool import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from atip.model.effects import Effects
    from atip.model.tool import Argument, Option, Tool

    Path = tuple[str, ...]

OPTIONAL = 4
"""Optional options in one template; more would cost more context than they are worth."""
MAX_DESCRIPTION = 100
_NAME = re.compile(r"[^A-Za-z0-9_-]+")


def write_intents(tool: Tool, program: str) -> list[dict[str, Any]]:
    """Every intent of a tool, in the order of its commands."""
    used: set[str] = set()
    intents = []
    for path, command in _callable(tool):
        intents.append(_intent(tool, program, path, command, used))
    return intents


def _callable(tool: Tool) -> Iterator[tuple[Path, Command]]:
    """Commands without children; the bare tool when it has none, or arguments of its own."""
    if not tool.commands or tool.arguments:
        root = Command(description=tool.description, arguments=tool.arguments, options=tool.options)
        yield (), root
    for path, command in tool.walk():
        if not command.hidden and (not command.commands or command.arguments):
            yield path, command


def _intent(
    tool: Tool, program: str, path: Path, command: Command, used: set[str]
) -> dict[str, Any]:
    words = [shlex.quote(word) for word in (program, *path)]
    params: dict[str, Any] = {}
    options = _template_options(command.options or ())
    for option in options:
        name = _param_name(option.name, params)
        flag = max(option.flags, key=len)
        words += [f"{flag}={{{name}}}"] if option.type == "boolean" else [flag, f"{{{name}}}"]
        params[name] = _param(option, bool(option.variadic), required=option.is_required)
    for argument in command.arguments or ():
        name = _param_name(argument.name, params)
        words.append(f"{{{name}}}")
        params[name] = _param(argument, bool(argument.variadic), required=argument.is_required)
    intent: dict[str, Any] = {
        "patterns": patterns_for(tool, path, command, used),
        "command": " ".join(words),
    }
    if params:
        intent["params"] = params
    # A template takes its own options and no others: the claim is the ceiling of these.
    nodes = nodes_along(tool, path)
    claim = claim_of(tool, nodes, options, bool(command.arguments))
    intent.update(_behavior(claim.ceiling))
    return intent


def _template_options(options: tuple[Option, ...]) -> list[Option]:
    """Required options first, then a few optional ones; all with values and with a flag."""
    usable = [
        option
        for option in options
        if option.flags
        and option.takes_value
        and not option.hidden
        and not option.deprecated
        and all(_is_plain(flag) for flag in option.flags)
    ]
    required = [option for option in usable if option.is_required]
    optional = [
        option for option in usable if not option.is_required and not option.own.get("runs")
    ]
    return [*required, *optional[:OPTIONAL]]


def _is_plain(flag: str) -> bool:
    return re.fullmatch(r"--?[A-Za-z0-9][A-Za-z0-9_.-]*", flag) is not None


def _param(node: Option | Argument, many: bool, *, required: bool) -> dict[str, Any]:
    kind = "integer" if node.type == "integer" else "string"
    param: dict[str, Any] = {"type": f"array<{kind}>" if many or node.type == "array" else kind}
    if required:
        param["required"] = True
    text = " ".join(clean_text(node.description).split())
    if text:
        param["description"] = (
            text if len(text) <= MAX_DESCRIPTION else text[: MAX_DESCRIPTION - 1] + "…"
        )
    if node.enum and all(isinstance(item, int if kind == "integer" else str) for item in node.enum):
        param["enum"] = list(node.enum)
    return param


def _param_name(name: str, used: dict[str, Any]) -> str:
    base = _NAME.sub("_", name.strip("-<>[]{}. ")) or "value"
    if not (base[0].isalpha() or base[0] == "_"):
        base = f"_{base}"
    unique, number = base, 2
    while unique in used:
        unique, number = f"{base}_{number}", number + 1
    return unique


def _behavior(effects: Effects) -> dict[str, bool]:
    """CMP flags for some effects. Unknown is not safe: such a command asks first and is not retried."""
    destructive = effects.destructive is True or effects.reversible is False
    harmless = effects is not UNKNOWN and effects.destructive is False
    behavior: dict[str, bool] = {}
    if destructive or not harmless:
        behavior["confirm"] = True
    if destructive or harmless:
        behavior["destructive"] = destructive
    if effects.idempotent is not True:
        behavior["idempotent"] = False
    return behavior
