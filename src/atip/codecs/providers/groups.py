"""Provider groups: strategy B, one function per group of commands with an `action` that picks one.

Parameters of all actions are merged into one object and are optional; the same name with the same schema is shared,
with another schema it gets a key of its own. What each action does, and its safety flags, stand in the
description of `action`, so that none is lost. Implements ATIP 0.6 §8.2 rule 3, strategy B.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.calls.effects.ceiling import function_claim
from atip.calls.names import function_name, parameter_key
from atip.codecs.providers.safety import (
    claim_flags,
    claim_suffix,
    clean_text,
    describe,
    shorten,
    suffix,
)
from atip.codecs.providers.schema import nullable
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.calls.effects.ceiling import Claim
    from atip.calls.functions import Function
    from atip.codecs.providers.schema import PropertyBuilder

ACTION = "action"
ITSELF = "."
"""The action that is the group itself."""
_MAX_ACTIONS = 200
_MAX_CHOICES = 700
"""Choices of all parameters of a group; together with its actions they stay below the limit of strict mode."""


class FunctionGroup(Value):
    """One function for several commands."""

    name: str
    description: str
    properties: dict[str, Any]
    required: list[str]
    action_key: str
    actions: Mapping[str, Function]
    undo: Mapping[str, Mapping[str, tuple[str, str]]]
    """Per action: provider's key → (our key, how)."""
    claims: Sequence[Claim]
    """Of every action."""


def declare_groups(
    functions: list[Function], maker: PropertyBuilder, level: int, brief: int
) -> tuple[list[FunctionGroup], list[Function]]:
    """Group functions by the first `level` words of the path, -1: by all but the last word.

    Returns the groups, and the functions that would be alone in theirs.
    """
    members_by_group: dict[tuple[str, tuple[str, ...]], list[Function]] = {}
    groups = {_group_of(function, level) for function in functions}
    for function in functions:
        itself = (function.tool.name, function.path)
        # a group that runs by itself is one of its own actions
        key = itself if itself in groups else _group_of(function, level)
        members_by_group.setdefault(key, []).append(function)
    grouped: list[FunctionGroup] = []
    ungrouped: list[Function] = []
    for (tool, path), members in members_by_group.items():
        if len(members) == 1:
            ungrouped += members
            continue
        for start in range(0, len(members), _MAX_ACTIONS):
            part = members[start : start + _MAX_ACTIONS]
            name = function_name(tool, path)
            if start:
                name = function_name(tool, (*path, f"part-{start // _MAX_ACTIONS + 1}"))
            grouped.append(_Group(name, path, part, maker, brief).declare())
    return grouped, ungrouped


def _group_of(function: Function, level: int) -> tuple[str, tuple[str, ...]]:
    most = len(function.path) - 1
    depth = most if level < 0 else min(level, most)
    return function.tool.name, function.path[: max(depth, 0)]


class _Group:
    """Builder of one group."""

    def __init__(
        self,
        name: str,
        path: tuple[str, ...],
        members: list[Function],
        maker: PropertyBuilder,
        brief: int,
    ) -> None:
        self.name, self.path, self.members = name, path, members
        self.claims = {function.name: function_claim(function) for function in members}
        self.maker, self.brief = maker, brief
        self.choices = 0
        self.properties: dict[str, Any] = {ACTION: {}}
        self.origin: dict[str, dict[str, Any]] = {}
        self.undo: dict[str, dict[str, tuple[str, str]]] = {}

    def declare(self) -> FunctionGroup:
        actions = {self._word(function): function for function in self.members}
        for word, function in actions.items():
            self.undo[word] = self._parameters(function)
        self.properties[ACTION] = {
            "type": "string",
            "enum": list(actions),
            "description": self._action_text(actions),
        }
        flags = [claim_flags(claim) for claim in self.claims.values()]
        dangers = (any(flag[i] for flag in flags) for i in range(5))
        together = (*dangers, all(flag[5] for flag in flags))
        everything = self.maker.dialect.nullable
        return FunctionGroup(
            name=self.name,
            description=describe(
                self._text(), suffix(together), self.maker.dialect.max_description
            ),
            properties=self.properties,
            required=list(self.properties) if everything else [ACTION],
            action_key=ACTION,
            actions=actions,
            undo=self.undo,
            claims=tuple(self.claims.values()),
        )

    def _word(self, function: Function) -> str:
        return clean_text(" ".join(function.path[len(self.path) :])) or ITSELF

    def _text(self) -> str:
        group = self.members[0].tool.find(self.path) if self.path else None
        text = group.description if group is not None else self.members[0].tool.description
        text = clean_text(text) or f"Commands of `{self.members[0].tool.name}`"
        return shorten(text, 120) if self.brief else text

    def _action_text(self, actions: Mapping[str, Function]) -> str:
        lines = []
        for word, function in actions.items():
            text = clean_text(function.description)
            text = shorten(text, 60) if self.brief >= 0 else ""
            flags = claim_suffix(self.claims[function.name])
            line = f"{word}: {text} {flags}".rstrip().rstrip(":")
            required = [k for k, item in function.parameters.items() if item.is_required]
            if required:
                line += f" (needs {', '.join(required[:6])})"
            lines.append(line)
        return "; ".join(lines)

    def _parameters(self, function: Function) -> dict[str, tuple[str, str]]:
        changes: dict[str, tuple[str, str]] = {}
        dialect = self.maker.dialect
        for key, item in function.parameters.items():
            schema, how, required = self.maker.property_of(item)
            if required and dialect.nullable:
                schema = nullable(schema)
            undocumented = {k: v for k, v in schema.items() if k != "description"}
            provider_key = key.replace("-", "_") if dialect.plain_keys else key
            if provider_key in changes or (
                provider_key in self.properties and self.origin.get(provider_key) != undocumented
            ):
                provider_key = parameter_key(
                    f"{self._word(function)}_{provider_key}".replace(" ", "_"), self.properties
                )
                provider_key = (
                    provider_key.replace("-", "_") if dialect.plain_keys else provider_key
                )
            if provider_key not in self.properties:
                self.choices += len(schema.get("enum", ()))
                if self.choices > _MAX_CHOICES:
                    schema = {field: value for field, value in schema.items() if field != "enum"}
                self.properties[provider_key] = schema
                self.origin[provider_key] = undocumented
            changes[provider_key] = (key, how)
        return changes
