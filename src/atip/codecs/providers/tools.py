"""Provider tools: functions → the list for a request, within a budget, and calls back to arguments.

Strategy A: one function per command. Strategy B: one per group with an `action`. `auto` takes A where it fits,
then shorter descriptions, then B, then fewer groups, and lists what it left out and how to compile it.
`CompiledTools.undo` turns a model's arguments back into the tool's own. Implements ATIP 0.6 §7.1, §8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.calls.effects.ceiling import function_claim
from atip.calls.functions import function_table
from atip.calls.names import parameter_key
from atip.calls.offering import offered_table
from atip.codecs.providers import shapes as provider_shapes
from atip.codecs.providers.compiled import CompiledTools as CompiledTools
from atip.codecs.providers.compiled import OmittedCommand as OmittedCommand
from atip.codecs.providers.compiled import estimate as estimate
from atip.codecs.providers.compiled import tokens_of as tokens_of
from atip.codecs.providers.safety import claim_suffix, clean_text, describe, shorten
from atip.codecs.providers.schema import PropertyBuilder
from atip.errors import UsageError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.calls.functions import Function
    from atip.codecs.providers.compiled import Count, Undo
    from atip.codecs.providers.schema import SchemaDialect
    from atip.model.tool import Tool

STRATEGIES = ("auto", "discrete", "action")
_EXAMPLES, _MAX_EXAMPLE = 3, 200
_MAX_CHOICES = 1_000
"""Choices of one function in all its enums; further ones are not sent, only checked in calls."""


class Extras(Value):
    """Optional parts of descriptions (§8)."""

    creates: bool = False
    """`CREATES: …` among the flags (A28)."""
    examples: bool = False


NO_EXTRAS = Extras()


def compile_tools(
    tools: Iterable[Tool],
    provider: str,
    *,
    strict: bool = False,
    shape: str = "",
    strategy: str = "discrete",
    max_tokens: int | None = None,
    max_functions: int | None = None,
    count: Count | None = None,
    extras: Extras = NO_EXTRAS,
) -> CompiledTools:
    """Compile for `openai`, `anthropic`, `gemini` or `mcp`.

    Args:
        shape: for OpenAI, `chat` (default) or `responses`.
        max_tokens: budget; `strategy="auto"` is implied.
        count: tokens of a text; a quarter of its characters unless given.
        extras: optional parts of the descriptions of single commands; not used for groups.

    Raises:
        UsageError: `compile.unknown-provider`, `compile.unknown-strategy`, `compile.strict`.
    """
    if strategy not in STRATEGIES:
        raise UsageError(
            "compile.unknown-strategy",
            f"unknown strategy `{strategy[:40]}`",
            hint="strategies: " + ", ".join(STRATEGIES),
        )
    dialect = provider_shapes.dialect_of(provider, strict)
    wrap = provider_shapes.wrapper(provider, strict, shape)
    table = offered_table(function_table(tools))
    if max_tokens is None and max_functions is None and strategy != "action":
        return _discrete(provider, dialect, wrap, table, 0, extras)
    from atip.codecs.providers.budget import choose

    def attempt(
        functions: Mapping[str, Function], grouping: int | None, brief: int
    ) -> CompiledTools:
        if grouping is None:
            return _discrete(provider, dialect, wrap, functions, brief, extras)
        return _group(provider, dialect, wrap, functions, grouping, brief)

    if strategy == "action" and max_tokens is None and max_functions is None:
        return attempt(table, -1, 0)
    return choose(attempt, table, max_tokens, max_functions, count or estimate, strategy)


def compile_functions(
    table: Mapping[str, Function], provider: str, *, brief: bool = False
) -> CompiledTools:
    """Compile functions by name, one declaration each; `brief` leaves out descriptions of parameters."""
    dialect = provider_shapes.dialect_of(provider, False)
    wrap = provider_shapes.wrapper(provider, False, "")
    return _discrete(provider, dialect, wrap, offered_table(table), -1 if brief else 0)


def _discrete(
    provider: str,
    dialect: SchemaDialect,
    wrap: Any,
    table: Mapping[str, Function],
    brief: int,
    extras: Extras = NO_EXTRAS,
) -> CompiledTools:
    maker = PropertyBuilder(dialect, brief=brief)
    declarations: list[dict[str, Any]] = []
    undo: dict[str, Undo] = {}
    losses: list[tuple[str, str]] = []
    limit = dialect.max_description
    make = maker.property_of
    plain_keys, everything = dialect.plain_keys, dialect.nullable
    for name, function in table.items():
        properties: dict[str, Any] = {}
        required: list[str] = []
        changes: dict[str, tuple[str, str]] = {}
        choices = 0
        for key, item in function.parameters.items():
            schema, how, is_required = make(item)
            provider_key = key
            if plain_keys and "-" in key:
                provider_key = key.replace("-", "_")
                if provider_key in function.parameters or provider_key in properties:
                    provider_key = parameter_key(
                        provider_key, {**function.parameters, **properties}
                    )
                changes[provider_key] = (key, how)
            elif how:
                changes[provider_key] = (key, how)
            if "enum" in schema:
                choices += len(schema["enum"])
                if choices > _MAX_CHOICES:
                    schema = {field: value for field, value in schema.items() if field != "enum"}
            properties[provider_key] = schema
            if is_required or everything:
                required.append(provider_key)
        if changes:
            undo[name] = changes
            losses += [(name, f"`{key}` is sent as text") for key, how in changes.values() if how]
        claim = function_claim(function)
        text = _text(function, brief)
        if extras.examples and not brief:
            text += _examples(function)
        text = describe(text, claim_suffix(claim, with_creates=extras.creates), limit)
        declarations.append(wrap(name, text, properties, required, (claim,)))
    return CompiledTools(
        provider=provider,
        declarations=declarations,
        functions=table,
        undo=undo,
        losses=tuple(losses),
        nullable=dialect.nullable,
    )


def _group(
    provider: str,
    dialect: SchemaDialect,
    wrap: Any,
    table: Mapping[str, Function],
    grouping: int,
    brief: int,
) -> CompiledTools:
    from atip.codecs.providers.groups import declare_groups

    maker = PropertyBuilder(dialect, brief=brief)
    groups, ungrouped = declare_groups(list(table.values()), maker, grouping, brief)
    single = _discrete(
        provider, dialect, wrap, {function.name: function for function in ungrouped}, brief
    )
    declarations = [
        wrap(group.name, group.description, group.properties, group.required, group.claims)
        for group in groups
    ]
    return single.replace(
        declarations=[*declarations, *single.declarations],
        groups={group.name: group for group in groups},
        strategy="action",
    )


def _text(function: Function, brief: int) -> str:
    text = clean_text(function.description) or f"Run `{clean_text(function.line)}`"
    command = function.command
    if command is not None and command.deprecated:
        note = command.deprecated if isinstance(command.deprecated, str) else ""
        text = f"Deprecated{': ' + clean_text(note) if note else ''}. {text}"
    return shorten(text, 2 * brief if brief > 0 else 80) if brief else text


def _examples(function: Function) -> str:
    """Examples of a command as one more sentence of its description."""
    examples = function.command.examples if function.command is not None else function.tool.examples
    texts = [
        clean_text(example)[:_MAX_EXAMPLE].replace("`", "'")
        for example in (examples or ())[:_EXAMPLES]
    ]
    return " Examples: " + "; ".join(f"`{text}`" for text in texts) if texts else ""


def undo_call(
    compiled: CompiledTools, name: str, arguments: Mapping[str, Any]
) -> tuple[Function, dict[str, object]] | None:
    """Convert a model's call to a function and its arguments; None for a name that was not offered.

    Only shapes are undone here; `calls.build` checks the arguments.
    """
    function = compiled.functions.get(name)
    if function is not None:
        changes = compiled.undo.get(name, {})
        return function, _restore(arguments, changes, compiled.nullable)
    group = compiled.groups.get(name)
    if group is None:
        return None
    action = arguments.get(group.action_key)
    action_function = group.actions.get(action) if isinstance(action, str) else None
    if action_function is None:
        return None
    rest = {key: value for key, value in arguments.items() if key != group.action_key}
    return action_function, _restore(rest, group.undo[str(action)], True)


def _restore(arguments: Mapping[str, Any], changes: Undo, nullable: bool) -> dict[str, object]:
    values: dict[str, object] = {}
    for provider_key, value in arguments.items():
        key, how = changes.get(provider_key, (provider_key, ""))
        if value is None and nullable:
            continue
        values[key] = _value(value, how) if how else value
    return values


def _value(value: Any, how: str) -> object:
    if isinstance(value, list):
        return [_value(part, how) for part in value]
    if how == "strip":
        return _strip(value)
    if not isinstance(value, str):
        return value
    import json

    try:
        return json.loads(value)
    except ValueError:
        return value  # invalid JSON stays text; the type check reports it with a path


def _strip(value: Any) -> object:
    if isinstance(value, dict):
        return {key: _strip(child) for key, child in value.items() if child is not None}
    return [_strip(child) for child in value] if isinstance(value, list) else value
