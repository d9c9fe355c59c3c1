"""Curated knowledge as a metadata source, and as a layer over all others.

What is stored carries the effects that knowledge adds, but not its private tables: those are merged
again, from the package itself, whenever a tool is used, so that no file can pretend to be curated.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from atip.inference.knowledge import merge_knowledge
from atip.inference.namesakes import as_claims, as_warning
from atip.knowledge.reading import load
from atip.model.effects import UNKNOWN
from atip.model.root import lift, lower
from atip.model.tool import Argument, Command, Option, Tool, Trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.discovery.sources.source_order import ProbeSubject

_OF_MACOS = (" on macOS", " of macOS")
"""Endings of the pack's summaries of programs that exist on macOS only."""
_STORED = ("effects", "runs", "evidence", "conflicts", "mentioned", "registry", "signer", "join")
"""Keys of our vendor block that may be written to disk."""


class KnowledgeSource:
    """A tool that only our own knowledge describes."""

    source_kind = "knowledge"
    executes = False

    def fingerprint(self, subject: ProbeSubject) -> str:
        """Nothing: knowledge changes with our release only."""
        return ""

    def ask(self, subject: ProbeSubject) -> Tool | None:
        entry = load(subject.name)
        # SECURITY: `sample` of macOS only reads; a program of that name on Linux is another one, with unknown effects.
        if entry is None or is_of_other_system(entry):
            return None
        trust = Trust(source="inferred", verified=False)
        entry = entry.replace(name=subject.name, version="unknown", trust=trust)
        # The pack's effects at the root are those of the bare tool; they are merged over as such.
        return entry.replace(effects=UNKNOWN) if entry.commands else entry


def is_of_other_system(entry: Tool) -> bool:
    """Whether a curated program exists on macOS only, and this machine is another."""
    return entry.description.endswith(_OF_MACOS) and sys.platform != "darwin"


def with_knowledge(tool: Tool, *, is_namesake: bool = False) -> Tool:
    """The tool's own description merged with our knowledge; for use, not for storage.

    Args:
        is_namesake: the entry of this name is about another program. SECURITY: its facts then only warn; `act` that compares
            genomes is not known to be harmless because another `act` is.
    """
    entry = load(tool.name)
    normalized = lift(tool)
    if entry is None:
        return normalized
    if is_namesake:
        return as_claims(merge_knowledge(normalized, as_warning(entry)))
    return merge_knowledge(normalized, entry)


def storable(tool: Tool, *, is_namesake: bool = False) -> Tool:
    """The tool with knowledge's effects written in, as plain ATIP. `is_namesake` as for `with_knowledge`."""
    merged = lower(with_knowledge(tool, is_namesake=is_namesake))
    return merged.replace(
        options=_options(merged.options),
        global_options=_options(merged.global_options),
        commands=_commands(merged.commands),
        extra=_extra(merged.extra),
    )


def _commands(commands: Mapping[str, Command] | None) -> Mapping[str, Command] | None:
    if commands is None:
        return None
    return {
        name: command.replace(
            description=command.description or name or "run it",
            arguments=_arguments(command.arguments),
            options=_options(command.options),
            commands=_commands(command.commands),
            extra=_extra(command.extra),
        )
        for name, command in commands.items()
    }


def _options(options: tuple[Option, ...] | None) -> tuple[Option, ...] | None:
    """Options as plain ATIP; a missing description is made from the name, as publishing needs one (A7)."""
    return options and tuple(
        option.replace(
            description=option.description or _words(option.name), extra=_extra(option.extra)
        )
        for option in options
    )


def _arguments(arguments: tuple[Argument, ...] | None) -> tuple[Argument, ...] | None:
    return arguments and tuple(
        argument.replace(
            description=argument.description or _words(argument.name), extra=_extra(argument.extra)
        )
        for argument in arguments
    )


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").strip() or name


def _extra(extra: Mapping[str, object]) -> Mapping[str, object]:
    extension = extra.get("x-atip")
    if not isinstance(extension, dict):
        return extra
    stored = {key: value for key, value in extension.items() if key in _STORED and value}
    rest = {key: value for key, value in extra.items() if key != "x-atip"}
    return {**rest, "x-atip": stored} if stored else rest
