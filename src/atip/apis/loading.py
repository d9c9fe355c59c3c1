"""API documents for Python callers: bytes → values → an Api with effects, whatever kind the document is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.apis.documents import read_document as read_api_document
from atip.apis.effects import with_effects
from atip.codecs.apis.openapi import decode_api, dialect_of

if TYPE_CHECKING:
    from atip.model.operation import Api

__all__ = ["load_api", "read_api_document"]


def load_api(document: object, *, name: str, origin: str = "") -> Api:
    """The operations of an OpenAPI or Swagger document, or of a GraphQL schema (SDL text or introspection).

    Raises:
        FormatError: `api.not-openapi`, `api.graphql-schema`.
    """
    if isinstance(document, str) or (isinstance(document, dict) and not dialect_of(document)):
        from atip.codecs.apis.graphql import decode_schema, is_schema

        if is_schema(document):
            return with_effects(decode_schema(document, name=name))
    return with_effects(decode_api(document, name=name, origin=origin))
