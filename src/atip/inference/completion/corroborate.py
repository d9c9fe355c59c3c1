"""Check of a completion script against the program's own documents. Pure.

A script is written once for every system and every version: it names flags of other systems' programs of that name,
of older releases, of commands whose place is unclear. Help and manual page belong to the program that is
installed. Where they evidently list everything, a fact that only the script has is wrong; where they are shorter
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
    """The merged description, without facts that only a script has and the documents would list."""
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
    flags = {flag for document in documents for flag in _flags(document.options)}
    return command.replace(
        options=_options(command.options, flags | shared) if flags else command.options,
        commands=_commands(command.commands, documents, shared | flags),
    )


def _options(options: Sequence[Option] | None, documented: set[str]) -> tuple[Option, ...] | None:
    """Flags of a script count if documented, or if the documents list too little to deny them."""
    scripted = {flag for option in options or () if _is_of_script(option) for flag in option.flags}
    if not _is_whole(scripted, documented):
        return tuple(options) if options else None
    confirmed = []
    for option in options or ():
        flags = tuple(flag for flag in option.flags if flag in documented or flag not in scripted)
        if flags:
            confirmed.append(option.replace(flags=flags))
    return tuple(confirmed) or None


def _commands(
    commands: Mapping[str, Command] | None,
    documents: Sequence[Tool] | Sequence[Command],
    shared: set[str],
) -> Mapping[str, Command] | None:
    if not commands:
        return commands
    by_name: dict[str, list[Command]] = {}
    for document in documents:
        for name, command in (document.commands or {}).items():
            for spelling in (name, *(command.aliases or ())):
                by_name.setdefault(spelling, []).append(command)
    scripted = {name for name, command in commands.items() if _is_of_script(command)}
    speaks = any(document.options or document.arguments for document in documents)
    denies_bare = _is_whole(scripted, set(by_name)) if by_name else speaks
    # Help often shows only the most useful commands; one that a script describes needs more to be denied.
    denies_all = bool(by_name) and 5 * len(scripted & by_name.keys()) >= 4 * len(scripted)
    confirmed: dict[str, Command] = {}
    for name, command in commands.items():
        is_bare = not (command.description or command.options or command.commands)
        is_denied = denies_all or (is_bare and denies_bare)
        if name in by_name or name not in scripted or not is_denied:
            confirmed[name] = _command(command, by_name.get(name, []), shared)
    return confirmed or None


def _is_whole(scripted: set[str], documented: set[str]) -> bool:
    """Whether the documents list everything: they confirm half of the script, are not much shorter than it, or
    contradict it in everything (it is another program's)."""
    shared = len(scripted & documented)
    return bool(documented) and (
        2 * shared >= len(scripted) or 2 * len(documented) >= len(scripted) or not shared
    )


def _flags(options: Sequence[Option] | None) -> set[str]:
    return {flag for option in options or () for flag in option.flags}


def _is_of_script(one: Option | Command) -> bool:
    evidence = one.own.get("evidence")
    return isinstance(evidence, dict) and evidence.get("source") == SCRIPT
