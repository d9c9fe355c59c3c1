"""Curated facts for a program that only has the name of the curated one: they warn, and never make it look safer. Pure."""

from __future__ import annotations

from atip.calls.effects.facts import weakened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.model.tool import Command, Tool


def as_warning(curated: Tool) -> Tool:
    """Keep only the dangers of curated facts: a program of that name may be another one."""

    def warned(command: Command) -> Command:
        subcommands = command.commands
        return command.replace(
            effects=weakened(command.effects),
            commands=subcommands
            and {name: warned(subcommand) for name, subcommand in subcommands.items()},
            extra={**command.extra, "x-atip": _without("rest", command)},
        )

    commands = curated.commands
    claims = as_claims(curated)
    return claims.replace(
        effects=weakened(curated.effects),
        commands=commands and {name: warned(command) for name, command in commands.items()},
        extra={**claims.extra, "x-atip": _without("rest", claims)},
    )


def as_claims(tool: Tool) -> Tool:
    """The same facts as claims: they may raise effects and never lower them."""
    return tool.replace(extra={**tool.extra, "x-atip": _without("curated", tool)})


def _without(key: str, node: Tool | Command) -> dict[str, object]:
    return {name: value for name, value in node.own.items() if name != key}
