"""Operation: one call that an API offers, whatever stands behind it – HTTP, GraphQL, SQL or an MCP server.

Every source of ATM (§A.1–A.4) is read into these values; wrappers, requests, the manifest and the Tool
tree are made of them alone. Schemas are kept as the document wrote them, references included;
`definitions` of the Api resolves them. Nothing here is sent anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.effects import UNKNOWN
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.effects import Effects

NONE: Mapping[str, Any] = {}

SOURCE_KINDS = ("mcp", "openapi", "graphql", "database", "custom")
"""ATM §7.9.1, in the order in which a manifest lists them."""

AUTH_TYPES = ("none", "bearer", "apiKey", "basic", "oauth2", "custom")
"""ATM §9.4."""


class Parameter(Value):
    """A value that travels beside the body."""

    argument: str
    """The name by which a caller gives it: unique in its operation."""
    name: str
    """The name on the wire."""
    place: str
    """`path`, `query`, `header`, `cookie`, `variable` (GraphQL), `column` (SQL), `argument` (MCP)."""
    schema: Mapping[str, Any] = NONE
    required: bool = False
    description: str = ""
    style: str = "form"
    explode: bool = True
    allow_reserved: bool = False
    media_type: str = ""
    """Set when the value is serialized by a media type (OpenAPI `content`) instead of a style."""
    deprecated: bool = False


class Body(Value):
    """The body of a request. Always passed as the argument `argument`."""

    argument: str
    media_type: str
    schema: Mapping[str, Any] = NONE
    required: bool = False
    description: str = ""
    encoding: Mapping[str, Any] = NONE
    """OpenAPI's per-property encoding of form and multipart bodies."""
    other_media_types: tuple[str, ...] = ()
    """Other media types that the operation accepts; `media_type` is the one we send."""


class AuthScheme(Value):
    """One way to authenticate. Never holds a credential (ATM §16.1)."""

    name: str
    type: str
    """One of AUTH_TYPES."""
    place: str = ""
    """For `apiKey`: header, query or cookie."""
    parameter: str = ""
    """For `apiKey`: the name of that header, query parameter or cookie."""
    scheme: str = ""
    """For HTTP schemes other than bearer and basic."""
    scopes: tuple[str, ...] = ()
    description: str = ""


class Operation(Value):
    """One thing an API can do."""

    name: str
    """snake_case, unique in its Api, safe as an identifier in Python and TypeScript (T3)."""
    original: str
    """`operationId`, field name, table operation or MCP tool name, as the source wrote it."""
    summary: str = ""
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    output: Mapping[str, Any] | None = None
    """Schema of a successful answer; None when the source does not say."""
    output_media_type: str = ""
    method: str = ""
    path: str = ""
    server: str = ""
    """Set where the operation has an address of its own (OpenAPI `servers` below the root)."""
    security: tuple[tuple[str, ...], ...] = ()
    """Alternatives of schemes needed together; an empty alternative means that none is needed."""
    statement: str = ""
    """The GraphQL document or the SQL template that is sent."""
    effects: Effects = UNKNOWN
    category: str = ""
    deprecated: bool = False
    extra: Mapping[str, Any] = NONE


class Api(Value):
    """An API as read from one source."""

    name: str
    kind: str
    """One of SOURCE_KINDS."""
    title: str = ""
    description: str = ""
    version: str = ""
    servers: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    schemes: tuple[AuthScheme, ...] = ()
    definitions: Mapping[str, Any] = NONE
    """Named schemas: reference as written (`#/components/schemas/User`) → schema."""
    dialect: str = ""
    """Schema dialect: `openapi-3.0`, `openapi-3.1`, `swagger-2.0`, or `` for JSON Schema."""
    lost: tuple[str, ...] = ()
    """Parts that could not be read, one line each, with their place."""

    def find(self, name: str) -> Operation | None:
        """The operation of that name, ours or the source's own."""
        for operation in self.operations:
            if operation.name == name:
                return operation
        return next(
            (operation for operation in self.operations if operation.original == name), None
        )
