"""Documents that others wrote about a program → Tool, for converting: deterministic, exact, with every loss.

Unlike `learning.read_text` nothing is added (no curated knowledge, no time stamp): the result has only what the document contains.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atip.codecs.interface import Decoded, Loss, decoder
from atip.errors import FormatError
from atip.model.tool import Tool, Trust

if TYPE_CHECKING:
    from atip.model.tool import Command, Option

SHELLS = {"completion-bash": "bash", "completion-zsh": "zsh", "completion-fish": "fish"}
READABLE = ("usage", "fig", "opencli", "man", *SHELLS)
MAX_BYTES = 20_000_000


def read_format(data: bytes | dict[str, Any], source: str, *, origin: str = "") -> Decoded:
    """A document of any format that can be read.

    Args:
        origin: where it came from; a format without a name of the program takes the file's.

    Raises:
        NotFoundError: `convert.unknown-format`.
        UsageError: `convert.one-way`.
        FormatError: the document is not of that format.
    """
    if source in READABLE:
        return read_document(source, data, origin=origin)
    decoded: Decoded = decoder(source)(data, origin=origin)
    return decoded


def read_document(kind: str, data: bytes | dict[str, Any], *, origin: str = "") -> Decoded:
    """A document of one of READABLE.

    Raises:
        FormatError: `infer.other-format` when it is not of that kind.
    """
    text = _text(data)
    if kind in SHELLS or kind == "man":
        from atip.discovery.sources.inference_sources import read_root_command

        name = _name("", origin)
        return Decoded(
            tool=make_tool(name, read_root_command(SHELLS.get(kind, kind), text, name), "")
        )
    from atip.inference.described import describe

    description = describe(text, kind, _name("", origin))
    if description is None:
        raise FormatError(
            "infer.other-format",
            f"this is not a description in the format `{kind}`",
            hint="name another format with --from",
        )
    losses = tuple(Loss(path=item.path, message=item.message) for item in description.unread)
    tool = make_tool(
        description.name or _name("", origin), description.command, description.version
    )
    return Decoded(tool=tool.replace(**dict(description.more)), losses=losses)


def make_tool(name: str, command: Command, version: str) -> Tool:
    """A tool out of its root command."""
    root = _with_descriptions(name, command)
    extra = {key: value for key, value in command.extra.items() if key != "x-atip"}
    has_commands = bool(root.commands)
    return Tool(
        name=name,
        version=version or "unknown",
        description=root.description,
        trust=Trust(source="inferred", verified=False),
        commands=root.commands,
        arguments=root.arguments,
        options=None if has_commands else root.options,
        global_options=_of_every_command(root.options) if has_commands else None,
        effects=command.effects,
        examples=command.examples,
        extra=extra,
    )


def _of_every_command(options: tuple[Option, ...] | None) -> tuple[Option, ...] | None:
    """Options of the root may stand before any command; `inherited` marks those that may follow it."""
    return options and tuple(
        option.replace(extra={**option.extra, "x-atip": {"inherited": False, **option.own}})
        for option in options
    )


def _with_descriptions(name: str, command: Command) -> Command:
    """The name replaces a missing description: a published document must describe everything (A7)."""
    return command.replace(
        description=command.description or name,
        commands=command.commands
        and {n: _with_descriptions(n, c) for n, c in command.commands.items()},
        options=command.options
        and tuple(
            option.replace(description=option.description or option.name)
            for option in command.options
        ),
        arguments=command.arguments
        and tuple(
            argument.replace(description=argument.description or argument.name)
            for argument in command.arguments
        ),
    )


def _text(data: bytes | dict[str, Any]) -> str:
    if isinstance(data, bytes):
        return data[:MAX_BYTES].decode("utf-8", "replace")
    import json

    return json.dumps(data)


def _name(declared: str, origin: str) -> str:
    """The name of a program, from its document or from the name of the file."""
    label = declared or origin.replace("\\", "/").rpartition("/")[2].lstrip("_").split(".")[0]
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", label).strip("-.") or "tool"
