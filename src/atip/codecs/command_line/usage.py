"""Usage specs (usage.jdx.dev, KDL): written with effects, which only ever rise from command to flag.

Reading is in `inference/described/usage/usage_spec.py`; what it preserved in `x-usage` is written back here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.command_line.kdl_text import block, line
from atip.codecs.interface import Encoded, Loss
from atip.codecs.vocabulary import Vocabulary, find_losses, words
from atip.model.effects import join
from atip.model.problems import render_path
from atip.model.reading.decode import decode_effects
from atip.model.reading.encode import encode_effects
from atip.model.reading.usage_effects import effects_of, word_of
from atip.model.root import bare_effects, lift
from atip.model.tool import BOOLEAN, Command

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.model.effects import Effects
    from atip.model.tool import Argument, Option, Tool

    Place = tuple[str | int, ...]

VOCABULARY = Vocabulary(
    tool=words("version description homepage license examples"),
    command=words("description aliases hidden deprecated examples effects"),
    option=words(
        "flags description required default enum envVar variadic exclusive deprecated hidden"
    ),
    argument=words("description required default enum variadic"),
    own=words("inherited optionalValue effects bare"),
    types=words("string boolean array"),
    vendor="x-usage",
)
MIN_VERSION = "2.0"


def encode(tool: Tool) -> Encoded:
    """Encode a tool as the text of a `.usage.kdl` file."""
    writer = _Writer(lift(tool))
    data = "\n".join(writer.document()) + "\n"
    return Encoded(data=data, losses=(*writer.losses, *_field_losses(tool)))


def _field_losses(tool: Tool) -> list[Loss]:
    losses = find_losses(tool, VOCABULARY, "a usage spec cannot express it")
    return [loss for loss in losses if not loss.path.startswith("$.effects.")]


class _Writer:
    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.losses: list[Loss] = []

    def document(self) -> list[str]:
        tool = self.tool
        head = [
            ("min_usage_version", MIN_VERSION), ("name", tool.name), ("bin", tool.name),
            ("version", tool.version), ("about", tool.description), ("license", tool.license),
            ("repository", tool.homepage),
        ]  # fmt: skip
        lines = [line(key, [value]) for key, value in head if value and value != "unknown"]
        root = Command(
            commands=tool.commands,
            arguments=tool.arguments,
            examples=tool.examples,
            extra=tool.extra,
        )
        word = self._word(bare_effects(tool), ())
        if word and not tool.commands:
            self.losses.append(
                _loss((), "effects", "a usage spec cannot state effects at its root")
            )
        for option in tool.global_options or ():
            lines += self._flag(option, ("globalOptions", option.name), everywhere=True)
        return lines + self._body(root.replace(options=tool.options), ())

    def _word(self, effects: Effects, place: Place) -> str:
        """The effect word, and a loss for each effect that it does not express."""
        word = word_of(effects)
        expressed = _facts(encode_effects(effects_of(word)))
        for fact in sorted(_facts(encode_effects(effects)) - expressed):
            name = fact[0]
            self.losses.append(_loss((*place, "effects"), name, f"reduced to the word `{word}`"))
        return word

    def _body(self, command: Command, place: Place) -> list[str]:
        preserved = VOCABULARY.preserved_fields(command.extra)
        lines = [line("alias", command.aliases)] if command.aliases else []
        for option in command.options or ():
            lines += self._flag(option, (*place, "options", option.name))
        for argument in command.arguments or ():
            lines += self._argument(argument)
        lines += _examples(command.examples or (), preserved.get("examples"))
        lines += _nodes(preserved.get("nodes"))
        for name, child in (command.commands or {}).items():
            lines += self._command(name, child, (*place, "commands", name))
        return lines

    def _command(self, name: str, command: Command, place: Place) -> list[str]:
        word = self._word(join(command.effects, self.tool.effects), place)
        properties = _properties(
            help=command.description,
            hide=command.hidden or None,
            deprecated=_reason(command.deprecated),
            effect=word,
        )
        preserved = _plain_values(VOCABULARY.preserved_fields(command.extra))
        head = line("cmd", [name], {**properties, **preserved})
        return block(head, self._body(command, place))

    def _flag(self, option: Option, place: Place, *, everywhere: bool = False) -> list[str]:
        flags = [flag for flag in option.flags if flag.startswith("--") or len(flag) == 2]
        for flag in set(option.flags) - set(flags):
            self.losses.append(_loss(place, "flags", f"`{flag}` is not a flag of a usage spec"))
        if not flags:
            return []
        preserved, metadata = VOCABULARY.preserved_fields(option.extra), option.own
        # in an ATIP document the list that contains an option says whether it is global
        inherited = metadata.get("inherited")
        is_global = inherited is True or (everywhere and inherited is not False)
        is_switch = option.type == BOOLEAN
        properties = _properties(
            help=option.description,
            required=option.required or None,
            default=_default(option.default),
            env=option.env_var,
            var=option.variadic or None,
            count=(option.variadic or None) if is_switch else None,
            hide=option.hidden or None,
            deprecated=_reason(option.deprecated),
            effect=word_of(decode_effects(metadata.get("effects") or {})),
        )
        properties.update({"global": True} if is_global else {})
        head = line("flag", [" ".join(flags)], {**properties, **_plain_values(preserved)})
        return block(head, self._below_flag(option, preserved))

    def _below_flag(self, option: Option, preserved: Mapping[str, Any]) -> list[str]:
        lines = []
        if option.exclusive:
            lines.append(line("conflicts", [_flag_name(name) for name in option.exclusive]))
        if option.type != BOOLEAN:
            name = option.name
            is_optional = option.own.get("optionalValue") is True
            spelled = preserved.get("value") or (f"[{name}]" if is_optional else f"<{name}>")
            inner = preserved.get("arg") or {}
            children = [*_choices(option.enum, preserved), *_nodes(inner.get("nodes"))]
            lines += block(line("arg", [spelled], _plain_values(inner)), children)
        return lines + _nodes(preserved.get("nodes"))

    def _argument(self, argument: Argument) -> list[str]:
        preserved = VOCABULARY.preserved_fields(argument.extra)
        metadata = argument.extra.get("x-atip")
        effects = metadata.get("effects") if isinstance(metadata, dict) else None
        name = argument.name
        spelled = f"<{name}>" if argument.is_required else f"[{name}]"
        properties = _properties(
            help=argument.description,
            default=_default(argument.default),
            var=argument.variadic or None,
            effect=word_of(decode_effects(effects or {})),
        )
        head = line(
            "arg", [preserved.get("spelled") or spelled], {**properties, **_plain_values(preserved)}
        )
        return block(head, [*_choices(argument.enum, preserved), *_nodes(preserved.get("nodes"))])


def _properties(**properties: object) -> dict[str, object]:
    return {key: value for key, value in properties.items() if value not in (None, "")}


def _plain_values(preserved: Mapping[str, Any]) -> dict[str, Any]:
    properties = preserved.get("properties")
    return dict(properties) if isinstance(properties, dict) else {}


def _default(value: object) -> object:
    return value if isinstance(value, str | int | float) else None


def _reason(deprecated: bool | str | None) -> str | None:
    return (deprecated if isinstance(deprecated, str) else "deprecated") if deprecated else None


def _flag_name(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"--{name}"


def _choices(enum: tuple[object, ...] | None, preserved: Mapping[str, Any]) -> list[str]:
    rich = preserved.get("choices")
    if isinstance(rich, dict):
        return _nodes([rich])
    return [line("choices", [str(value) for value in enum])] if enum else []


def _examples(examples: Iterable[str], preserved: Any) -> list[str]:
    rich = {
        str(entry["values"][-1]).strip(): entry for entry in preserved or [] if entry.get("values")
    }
    lines = []
    for text in examples:
        entry = rich.get(text, {"values": [text]})
        more = {key: value for key, value in entry.items() if key != "values"}
        lines.append(line("example", entry["values"], more))
    return lines


def _nodes(preserved: Any) -> list[str]:
    lines: list[str] = []
    for node in preserved if isinstance(preserved, list) else []:
        if isinstance(node, dict) and isinstance(node.get("name"), str):
            head = line(node["name"], node.get("values") or (), node.get("properties"))
            lines += block(head, _nodes(node.get("children")))
    return lines


def _facts(effects: Mapping[str, Any], place: str = "") -> set[tuple[str, str]]:
    facts: set[tuple[str, str]] = set()
    for key, value in effects.items():
        if isinstance(value, dict):
            facts |= _facts(value, f"{place}{key}.")
        else:
            facts.add((f"{place}{key}", repr(value)))
    return facts


def _loss(place: Place, field: str, message: str) -> Loss:
    return Loss(path=f"{render_path(place)}.{field}", message=message)
