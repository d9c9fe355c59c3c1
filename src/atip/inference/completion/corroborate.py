"""Check of a completion script against the program's own documents. Pure.

A script is written once for every system and every version: it names flags of other systems' programs of that name,
of older releases, of commands whose place the reader could not tell. Help and manual page belong to the program that is
installed. Where they evidently list everything, a fact that only the script tells is not one; where they are shorter
than the script, nothing is denied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.model.tool import Command, Option, Tool

SCRIPT = "completion"
"""The source in the evidence of facts from scripts."""


def corroborate(tool: Tool, documents: Sequence[Tool]) -> Tool:
    """The merged description, without what only a script tells and the documents would have told."""
    shared = {flag for document in documents for flag in _flags(document.global_options)}
    own = shared | {flag for document in documents for flag in _flags(document.options)}
    return tool.replace(
        options=_options(tool.options, own),
        global_options=_options(tool.global_options, own),
        commands=_commands(tool.commands, documents, shared),
    )


def _command(command: Command, documents: Sequence[Command], shared: set[str]) -> Command:
    if not documents:
        return command
    told = {flag for document in documents for flag in _flags(document.options)}
    return command.replace(
        options=_options(command.options, told | shared) if told else command.options,
        commands=_commands(command.commands, documents, shared | told),
    )


def _options(options: Sequence[Option] | None, told: set[str]) -> tuple[Option, ...] | None:
    """Flags of a script count if they are told, or if too little is told to deny them."""
    named = {flag for option in options or () if _is_of_script(option) for flag in option.flags}
    if not _is_whole(named, told):
        return tuple(options) if options else None
    kept = []
    for option in options or ():
        flags = tuple(flag for flag in option.flags if flag in told or flag not in named)
        if flags:
            kept.append(option.replace(flags=flags))
    return tuple(kept) or None


def _commands(
    commands: Mapping[str, Command] | None,
    documents: Sequence[Tool] | Sequence[Command],
    shared: set[str],
) -> Mapping[str, Command] | None:
    if not commands:
        return commands
    told: dict[str, list[Command]] = {}
    for document in documents:
        for name, command in (document.commands or {}).items():
            for spelling in (name, *(command.aliases or ())):
                told.setdefault(spelling, []).append(command)
    named = {name for name, command in commands.items() if _is_of_script(command)}
    speaks = any(document.options or document.arguments for document in documents)
    denies_bare = _is_whole(named, set(told)) if told else speaks
    # Help often shows only the most useful commands; one that a script describes needs more to be denied.
    denies_all = bool(told) and 5 * len(named & told.keys()) >= 4 * len(named)
    kept: dict[str, Command] = {}
    for name, command in commands.items():
        is_bare = not (command.description or command.options or command.commands)
        is_denied = denies_all or (is_bare and denies_bare)
        if name in told or name not in named or not is_denied:
            kept[name] = _command(command, told.get(name, []), shared)
    return kept or None


def _is_whole(named: set[str], told: set[str]) -> bool:
    """Whether the documents list everything: they bear out half of the script, are not much shorter than it, or
    contradict it in everything (it is another program's)."""
    borne = len(named & told)
    return bool(told) and (2 * borne >= len(named) or 2 * len(told) >= len(named) or not borne)


def _flags(options: Sequence[Option] | None) -> set[str]:
    return {flag for option in options or () for flag in option.flags}


def _is_of_script(one: Option | Command) -> bool:
    evidence = one.own.get("evidence")
    return isinstance(evidence, dict) and evidence.get("source") == SCRIPT
