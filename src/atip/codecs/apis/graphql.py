"""GraphQL schemas as an Api: one operation for each field of Query and Mutation, with a document that selects enough.

Reads SDL or an introspection answer. Documents select scalars and a few levels of objects, bounded in depth and in
number, so that an answer fits a context; fields that need arguments of their own are left out. Subscriptions are
listed and cannot be called over HTTP. Implements ATM §A.3. Pure; needs the extra `api` (graphql-core).
"""

from __future__ import annotations

from typing import Any

from atip.codecs.apis.graphql_selection import Selection, input_schema
from atip.errors import AtipError, FormatError
from atip.model.operation import Api, Operation, Parameter
from atip.model.text.identifiers import ARGUMENTS, slug, unique

DEPTH = 2
KINDS = {"query": "QUERY", "mutation": "MUTATION", "subscription": "SUBSCRIPTION"}


def is_schema(document: object) -> bool:
    """Whether this looks like SDL or an introspection answer."""
    if isinstance(document, str):
        return "type " in document and "{" in document
    return isinstance(document, dict) and "__schema" in (document.get("data") or document)


def decode_schema(document: object, *, name: str, depth: int = DEPTH) -> Api:
    """The operations of a schema.

    Args:
        document: SDL text, or the answer to an introspection query.
        depth: how many levels of objects a document selects.

    Raises:
        FormatError: `api.graphql-schema`.
        AtipError: `api.missing-extra`.
    """
    schema = _build(document)
    names: set[str] = set()
    definitions: dict[str, Any] = {}
    operations = []
    for kind, root in (
        ("query", schema.query_type),
        ("mutation", schema.mutation_type),
        ("subscription", schema.subscription_type),
    ):
        for field_name, field in (root.fields if root is not None else {}).items():
            operations.append(_operation(kind, field_name, field, names, definitions, depth))
    return Api(
        name=name,
        kind="graphql",
        title=name,
        description=schema.description or "",
        operations=tuple(operations),
        definitions=definitions,
    )


def _operation(
    kind: str, field_name: str, field: Any, names: set[str], definitions: dict[str, Any], depth: int
) -> Operation:
    selection = Selection(depth=depth).of(field.type)
    used: set[str] = set()
    parameters, declared, passed = [], [], []
    for argument_name, argument in field.args.items():
        parameters.append(_parameter(argument_name, argument, used, definitions))
        declared.append(f"${argument_name}: {argument.type}")
        passed.append(f"{argument_name}: ${argument_name}")
    head = f"({', '.join(declared)})" if declared else ""
    arguments = f"({', '.join(passed)})" if passed else ""
    body = f" {selection.text}" if selection.text else ""
    text = (field.description or "").strip()
    return Operation(
        name=unique(slug(field_name), names, (kind,)),
        original=field_name,
        summary=text.split("\n", 1)[0],
        description=text,
        parameters=tuple(parameters),
        output={"type": ["object", "null"], "properties": {field_name: selection.schema}},
        method=KINDS[kind],
        statement=f"{kind} {field_name}{head} {{ {field_name}{arguments}{body} }}",
        category=kind,
        deprecated=field.deprecation_reason is not None,
    )


def _parameter(name: str, argument: Any, used: set[str], definitions: dict[str, Any]) -> Parameter:
    import graphql

    schema = input_schema(argument.type, definitions)
    has_default = argument.default_value is not graphql.Undefined
    return Parameter(
        argument=unique(slug(name, "value", ARGUMENTS), used),
        name=name,
        place="variable",
        schema=schema,
        required=graphql.is_non_null_type(argument.type) and not has_default,
        description=(argument.description or "").strip(),
        deprecated=argument.deprecation_reason is not None,
    )


def _build(document: object) -> Any:
    try:
        import graphql
    except ImportError as error:
        raise AtipError(
            "api.missing-extra",
            "reading GraphQL needs the package graphql-core",
            hint='pip install "atip-cli[api]"',
        ) from error
    try:
        if isinstance(document, str):
            return graphql.build_schema(document, assume_valid=True)
        assert isinstance(document, dict)
        introspection: Any = document.get("data") or document
        return graphql.build_client_schema(introspection, assume_valid=True)
    except (graphql.GraphQLError, TypeError, ValueError, KeyError, RecursionError) as error:
        raise FormatError(
            "api.graphql-schema", f"not a GraphQL schema: {str(error)[:300]}"
        ) from error
