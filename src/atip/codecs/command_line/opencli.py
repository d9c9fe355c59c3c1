"""OpenCLI documents (opencli.org, 0.1). Reading is in `inference/described/opencli.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.interface import Encoded
from atip.codecs.vocabulary import Vocabulary, find_losses, words
from atip.model.root import lift

if TYPE_CHECKING:
    from atip.model.tool import Argument, Command, Option, Tool

VERSION = "0.1"
VOCABULARY = Vocabulary(
    tool=words("version description homepage license examples"),
    command=words("description aliases hidden examples"),
    option=words("flags description required enum variadic hidden"),
    argument=words("description required enum variadic"),
    own=words("inherited optionalValue"),
    types=words("string boolean array"),
    vendor="x-opencli",
)


def encode(tool: Tool) -> Encoded:
    """Encode a tool as an OpenCLI document."""
    lifted = lift(tool)
    info = _drop_empty(
        title=tool.name,
        version=tool.version or "unknown",
        description=tool.description,
        contact=_drop_empty(url=tool.homepage),
        license=_drop_empty(identifier=tool.license),
    )
    everywhere = [
        _option(global_option, everywhere=True) for global_option in lifted.global_options or ()
    ]
    document = {
        "opencli": VERSION,
        "info": info,
        **_drop_empty(
            arguments=[_argument(argument) for argument in lifted.arguments or ()],
            options=[*everywhere, *(_option(option) for option in lifted.options or ())],
            commands=[_command(name, command) for name, command in (lifted.commands or {}).items()],
            examples=list(lifted.examples or ()),
        ),
        **VOCABULARY.preserved_fields(lifted.extra),
    }
    losses = find_losses(tool, VOCABULARY, "OpenCLI cannot express it")
    return Encoded(data=document, losses=tuple(losses))


def _command(name: str, command: Command) -> dict[str, Any]:
    return _drop_empty(
        name=name,
        aliases=list(command.aliases or ()),
        description=command.description,
        options=[_option(option) for option in command.options or ()],
        arguments=[_argument(argument) for argument in command.arguments or ()],
        commands=[
            _command(subcommand_name, subcommand)
            for subcommand_name, subcommand in (command.commands or {}).items()
        ],
        hidden=command.hidden,
        examples=list(command.examples or ()),
    ) | VOCABULARY.preserved_fields(command.extra)


def _option(option: Option, *, everywhere: bool = False) -> dict[str, Any]:
    preserved = VOCABULARY.preserved_fields(option.extra)
    longest = max(option.flags, key=len)
    inherited = option.own.get("inherited")
    values = preserved.pop("arguments", None)
    if option.takes_value and not values:
        values = [_value(option)]
    return (
        _drop_empty(
            name=longest,
            aliases=[flag for flag in option.flags if flag != longest],
            description=option.description,
            arguments=values,
            required=option.required,
            recursive=inherited is True or (everywhere and inherited is not False),
            hidden=option.hidden,
        )
        | preserved
    )


def _value(option: Option) -> dict[str, Any]:
    minimum = 0 if option.own.get("optionalValue") else 1
    arity = {"minimum": minimum} if option.variadic else {"minimum": minimum, "maximum": 1}
    accepted = [str(choice) for choice in option.enum or ()]
    return _drop_empty(
        name=option.name, required=minimum == 1, arity=arity, acceptedValues=accepted
    )


def _argument(argument: Argument) -> dict[str, Any]:
    minimum = 1 if argument.is_required else 0
    arity = {"minimum": minimum} if argument.variadic else {"minimum": minimum, "maximum": 1}
    document = _drop_empty(
        name=argument.name,
        description=argument.description,
        arity=arity,
        acceptedValues=[str(choice) for choice in argument.enum or ()],
    )
    return {
        **document,
        **VOCABULARY.preserved_fields(argument.extra),
        "required": argument.is_required,
    }


def _drop_empty(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value not in (None, "", [], {}, False)}
