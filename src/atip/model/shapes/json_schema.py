"""JSON Schemas in documents: the only user of the validator, which never fetches anything.

A parameter may carry a full JSON Schema (ATIP 0.1 §3.2.5, A35). References are resolved inside the schema
only; sizes are bounded; patterns run on the linear-time engine of the validator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_NODES = 2_000
MAX_DEPTH = 24
MAX_ERRORS = 8


class SchemaError(FormatError):
    """The schema itself is not usable."""


def compile_schema(schema: Mapping[str, Any], *, max_nodes: int = MAX_NODES) -> Any:
    """A checker for `schema_problems`.

    Raises:
        SchemaError: `schema.too-large`, `schema.remote-reference`, `schema.invalid`.
    """
    _bound(schema, max_nodes)
    import jsonschema_rs

    try:
        return jsonschema_rs.Draft202012Validator(
            dict(schema),
            retriever=_refuse,
            pattern_options=jsonschema_rs.RegexOptions(size_limit=1 << 20),
        )
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise SchemaError("schema.invalid", f"not a JSON Schema: {str(error)[:200]}") from error


def schema_problems(checker: Any, value: object) -> list[tuple[tuple[str | int, ...], str]]:
    """Path and message of each problem of a value."""
    problems: list[tuple[tuple[str | int, ...], str]] = []
    for error in checker.iter_errors(value):
        problems.append((tuple(error.instance_path), error.message[:300]))
        if len(problems) >= MAX_ERRORS:
            break
    return problems


def _refuse(address: str) -> Any:
    # SECURITY: a schema must not make us read files or talk to hosts.
    raise ValueError(f"references outside the schema are not followed: {address[:120]}")


def _bound(schema: object, max_nodes: int) -> None:
    count = 0
    stack: list[tuple[object, int]] = [(schema, 0)]
    while stack:
        node, depth = stack.pop()
        count += 1
        if count > max_nodes or depth > MAX_DEPTH:
            raise SchemaError("schema.too-large", "the schema is too large or too deep")
        if isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str) and not reference.startswith("#"):
                raise SchemaError(
                    "schema.remote-reference",
                    f"`$ref` points outside the schema: {reference[:120]}",
                )
            stack.extend((child, depth + 1) for child in node.values())
        elif isinstance(node, list):
            stack.extend((child, depth + 1) for child in node)
