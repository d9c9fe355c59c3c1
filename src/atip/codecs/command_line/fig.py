"""Fig completion specs as JSON (`export default` it, and it is a spec). Reading is in `inference/described/fig.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.interface import Encoded
from atip.codecs.vocabulary import Vocabulary, find_losses, words
from atip.model.effects import join
from atip.model.reading.decode import decode_effects
from atip.model.reading.usage_effects import word_of
from atip.model.root import lift
from atip.model.tool import MISSING, Command

if TYPE_CHECKING:
    from atip.model.effects import Effects
    from atip.model.tool import Argument, Option, Tool

VOCABULARY = Vocabulary(
    tool=words("description"),
    command=words("description aliases hidden deprecated"),
    option=words("flags description required default enum variadic exclusive deprecated hidden"),
    argument=words("description required default variadic"),
    own=words("inherited optionalValue"),
    types=words("string boolean file directory array"),
    alarms=words("destructive"),
    vendor="x-fig",
)
_TEMPLATES = {"file": "filepaths", "directory": "folders"}


def encode(tool: Tool) -> Encoded:
    """Encode a tool as a spec. Effects are reduced to `isDangerous`, which asks before a command is inserted."""
    lifted = lift(tool)
    root = Command(
        description=tool.description,
        commands=lifted.commands,
        arguments=lifted.arguments,
        options=lifted.options,
        extra=lifted.extra,
    )
    document = _command((tool.name,), root, lifted.effects, top=True)
    everywhere = [_option(option, everywhere=True) for option in lifted.global_options or ()]
    if everywhere:
        document["options"] = [*everywhere, *document.get("options", [])]
    losses = find_losses(tool, VOCABULARY, "a Fig spec cannot express it")
    return Encoded(data=document, losses=tuple(losses))


def _command(
    names: tuple[str, ...], command: Command, tool_effects: Effects, *, top: bool = False
) -> dict[str, Any]:
    effects = join(command.effects, tool_effects)
    subcommands = [
        _command((name, *(child.aliases or ())), child, tool_effects)
        for name, child in (command.commands or {}).items()
    ]
    return _drop_empty(
        name=names[0] if len(names) == 1 else list(names),
        description=command.description,
        subcommands=subcommands,
        options=[_option(option) for option in command.options or ()],
        args=_one_or_many([_argument(argument) for argument in command.arguments or ()]),
        hidden=command.hidden,
        deprecated=_deprecated(command.deprecated),
        isDangerous=None if top else word_of(effects) == "destructive" or None,
    ) | VOCABULARY.preserved_fields(command.extra)


def _option(option: Option, *, everywhere: bool = False) -> dict[str, Any]:
    preserved = VOCABULARY.preserved_fields(option.extra)
    values = preserved.pop("args", None)
    if option.takes_value and not values:
        values = [_value(option)]
    effects = decode_effects(option.own.get("effects") or {})
    inherited = option.own.get("inherited")
    return (
        _drop_empty(
            name=option.flags[0] if len(option.flags) == 1 else list(option.flags),
            description=option.description,
            args=_one_or_many(values or []),
            isRequired=option.required or None,
            isRepeatable=preserved.pop("isRepeatable", None) or option.variadic or None,
            isPersistent=inherited is True or (everywhere and inherited is not False),
            exclusiveOn=[f"--{name}" for name in option.exclusive or ()],
            hidden=option.hidden,
            deprecated=_deprecated(option.deprecated),
            isDangerous=word_of(effects) == "destructive" or None,
        )
        | preserved
    )


def _value(option: Option) -> dict[str, Any]:
    return _drop_empty(
        name=option.name,
        suggestions=[str(choice) for choice in option.enum or ()],
        template=_TEMPLATES.get(option.type),
        default=_default(option.default),
        isOptional=option.own.get("optionalValue") or None,
    )


def _argument(argument: Argument) -> dict[str, Any]:
    return _drop_empty(
        name=argument.name,
        description=argument.description,
        suggestions=[str(choice) for choice in argument.enum or ()],
        template=_TEMPLATES.get(argument.type),
        default=_default(argument.default),
        isOptional=None if argument.is_required else True,
        isVariadic=argument.variadic or None,
    ) | VOCABULARY.preserved_fields(argument.extra)


def _drop_empty(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value not in (None, "", [], False)}


def _one_or_many(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _default(value: object) -> str | None:
    return None if value is MISSING or not isinstance(value, str | int | float) else str(value)


def _deprecated(reason: bool | str | None) -> Any:
    return {"description": reason} if isinstance(reason, str) and reason else reason or None
