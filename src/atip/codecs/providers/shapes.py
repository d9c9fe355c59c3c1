"""Provider shapes: the envelope that each provider puts around name, description and parameters.

One small function per envelope; the parameters come from `schema.py`. Implements ATIP 0.6 §8.1, and the
tool objects of MCP with annotations from the ceiling, where unknown counts as the dangerous value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.providers import schema
from atip.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.calls.effects.ceiling import Claim

    Wrap = Callable[[str, str, dict[str, Any], list[str], Sequence[Claim]], dict[str, Any]]
    """Name, description, properties, required keys, and claims of what is called."""

PROVIDERS = ("openai", "anthropic", "gemini", "mcp")
SHAPES = ("chat", "responses")


def dialect_of(provider: str, strict: bool) -> schema.SchemaDialect:
    """The dialect.

    Raises:
        NotFoundError: `compile.unknown-provider`.
        UsageError: `compile.strict` where a provider has no strict mode.
    """
    if provider not in PROVIDERS:
        from atip.model.shapes.shape import closest

        close = closest(provider, PROVIDERS)
        hint = f"did you mean `{close}`?" if close else "providers: " + ", ".join(PROVIDERS)
        raise NotFoundError(
            "compile.unknown-provider", f"unknown provider `{provider[:40]}`", hint=hint
        )
    if provider == "openai":
        return schema.OPENAI_STRICT if strict else schema.OPENAI
    if strict:
        raise UsageError(
            "compile.strict",
            f"`{provider}` has no strict mode",
            hint="only `openai` has a strict mode",
        )
    return {"anthropic": schema.ANTHROPIC, "gemini": schema.GEMINI, "mcp": schema.MCP}[provider]


def wrapper(provider: str, strict: bool, shape: str) -> Wrap:
    """The function that builds one declaration.

    Raises:
        UsageError: `compile.unknown-shape`.
    """
    if shape and (provider != "openai" or shape not in SHAPES):
        raise UsageError("compile.unknown-shape", f"`{provider}` has no shape `{shape[:40]}`")
    if provider == "openai":
        return _responses(strict) if shape == "responses" else _chat(strict)
    return {"anthropic": _anthropic, "gemini": _gemini, "mcp": _mcp}[provider]


def _chat(strict: bool) -> Wrap:
    def wrap(
        name: str, text: str, properties: dict[str, Any], required: list[str], _: Sequence[Claim]
    ) -> dict[str, Any]:
        function: dict[str, Any] = {
            "name": name,
            "description": text,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": False,
            },
        }
        if strict:
            function["strict"] = True
        return {"type": "function", "function": function}

    return wrap


def _responses(strict: bool) -> Wrap:
    def wrap(
        name: str, text: str, properties: dict[str, Any], required: list[str], _: Sequence[Claim]
    ) -> dict[str, Any]:
        return {
            "type": "function",
            "name": name,
            "description": text,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": False,
            },
            "strict": strict,
        }

    return wrap


def _anthropic(
    name: str, text: str, properties: dict[str, Any], required: list[str], _: Sequence[Claim]
) -> dict[str, Any]:
    return {
        "name": name,
        "description": text,
        "input_schema": {"type": "object", "properties": properties, "required": required},
    }


def _gemini(
    name: str, text: str, properties: dict[str, Any], required: list[str], _: Sequence[Claim]
) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": name, "description": text}
    if properties:  # an object without properties is refused; no parameters at all is fine
        declaration["parameters"] = {
            "type": "object",
            "properties": properties,
            "required": required,
        }
    return declaration


def _mcp(
    name: str, text: str, properties: dict[str, Any], required: list[str], claims: Sequence[Claim]
) -> dict[str, Any]:
    return {
        "name": name,
        "description": text,
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
        "annotations": annotations_of(claims),
    }


def annotations_of(claims: Sequence[Claim]) -> dict[str, bool]:
    """Hints of MCP. Unknown is the dangerous value: not read-only, destructive, not idempotent, open."""
    reads = all(claim.only_reads for claim in claims)
    calm = all(claim.only_reads or claim.ceiling.destructive is False for claim in claims)
    return {
        "readOnlyHint": reads,
        "destructiveHint": not calm,
        "idempotentHint": all(claim.ceiling.idempotent is True for claim in claims),
        "openWorldHint": any(claim.ceiling.network is not False for claim in claims),
    }
