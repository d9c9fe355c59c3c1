"""Configuration of API sources: `codegen.config.json` (ATM `paths.config`), read strictly.

Sources by kind – mcp, openapi, graphql, database, custom – each with its location and authentication. Credentials are
references (`${NAME}`, `file:`, `keyring:`, `command:`), never values that we would write. Unknown keys stop the run:
a misspelt `auth` would send a request without it.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.errors import FormatError, NotFoundError
from atip.model.operation import SOURCE_KINDS
from atip.model.reading.reader import read_json
from atip.model.shapes.check import check_shape
from atip.model.shapes.shape import ANYTHING, Either, Field, Integer, Items, Shape, Table, Text
from atip.model.value import Value
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAME = "codegen.config.json"
MAX_BYTES = 1_000_000

_AUTH = Shape(
    "authentication",
    "how to authenticate; values are references",
    {
        "type": Field(
            Text(choices=("none", "bearer", "apiKey", "basic", "oauth2", "custom")), required=True
        ),
        **{
            key: Field(str)
            for key in (
                *("token", "name", "in", "value", "username", "password", "flow", "tokenUrl"),
                *("authUrl", "clientId", "clientSecret", "refreshToken", "resolver"),
            )
        },
        "scopes": Field(Items(str)),
    },
    closed=True,
)
_COMMON = {
    "type": Field(str, "kind of source; must match the section it is in"),
    "auth": Field(_AUTH),
    "headers": Field(Table(str), "sent with every request"),
    "timeout": Field(Integer(1_000, 300_000), "milliseconds"),
    "disabled": Field(bool, "ignore this source"),
    "hosts": Field(
        Items(str), "additional origins that operations may use and its programs may reach"
    ),
    "reads": Field(Items(str), "paths outside the project that its programs may read"),
    "writes": Field(Items(str), "paths outside the project that its MCP server may write"),
    "private": Field(bool, "the server may have a private address, or use plain http"),
    "description": Field(str, "description"),
}
_KINDS = {
    "mcp": Shape(
        "MCP source",
        "a server over stdio or streamable HTTP",
        {
            **_COMMON,
            "command": Field(str, "program"),
            "args": Field(Items(str), "arguments of the command"),
            "env": Field(Table(str), "environment variables"),
            "url": Field(str, "address of a server over HTTP"),
        },
        closed=True,
    ),
    "openapi": Shape(
        "OpenAPI source",
        "a document and the server that it describes",
        {
            **_COMMON,
            "spec": Field(str, "file or address of the document", required=True),
            "baseUrl": Field(str, "address of the server; the document's first if absent"),
        },
        closed=True,
    ),
    "graphql": Shape(
        "GraphQL source",
        "an endpoint, and its schema if introspection is disabled",
        {
            **_COMMON,
            "endpoint": Field(str, "address", required=True),
            "schema": Field(str, "file with SDL or an introspection response"),
            "depth": Field(Integer(1, 6), "depth of the selected fields"),
        },
        closed=True,
    ),
    "database": Shape(
        "database source",
        "an SQL database",
        {
            **_COMMON,
            "url": Field(str, "SQLAlchemy address; may contain references", required=True),
            "schemas": Field(Items(str), "schemas to expose"),
            "tables": Field(Items(str), "tables to expose; all if absent"),
            "writable": Field(bool, "expose insert, update and delete"),
            "unsafe_superuser": Field(
                bool, "accept a PostgreSQL role that can read files or start programs on the server"
            ),
        },
        closed=True,
    ),
    "custom": Shape(
        "custom source",
        "hand-written operations, or a program that implements them",
        {
            **_COMMON,
            "baseUrl": Field(str, "address"),
            "tools": Field(ANYTHING, "tool definitions with httpMethod and httpPath"),
            "file": Field(str, "file with tool definitions"),
        },
        closed=True,
    ),
}
CONFIG = Shape(
    "API configuration",
    "`codegen.config.json`",
    {
        "$schema": Field(str),
        "name": Field(str, "name of the manifest"),
        "description": Field(str, "what the collection does"),
        "sources": Field(
            Shape(
                "sources",
                "sources by kind and name",
                {kind: Field(Table(shape)) for kind, shape in _KINDS.items()},
                closed=True,
            ),
            required=True,
        ),
        "outputDir": Field(str, "folder of the wrappers"),
        "runtimePackage": Field(str, "path of the runtime"),
        "language": Field(Either({str: str, list: Items(str)}), "python, typescript or both"),
        "typescript": Field(ANYTHING),
        "generation": Field(ANYTHING),
    },
    closed=True,
)


class SourceConfig(Value):
    """One source."""

    name: str
    kind: str
    settings: Mapping[str, Any]
    folder: str
    """Relative files are looked up here."""

    def path(self, key: str) -> str:
        """A file named by the configuration."""
        return os.path.join(self.folder, str(self.settings[key]))

    @property
    def timeout_s(self) -> float:
        """Seconds for one answer."""
        return float(self.settings.get("timeout", 30_000)) / 1000


class ApiConfig(Value):
    """The API configuration of a project."""

    folder: str
    settings: Mapping[str, Any]
    sources: tuple[SourceConfig, ...] = ()

    @property
    def output(self) -> str:
        """Folder of the wrappers, absolute."""
        return os.path.join(self.folder, str(self.settings.get("outputDir", "./codegen")))

    @property
    def languages(self) -> tuple[str, ...]:
        language = self.settings.get("language", ["python", "typescript"])
        return (language,) if isinstance(language, str) else tuple(language)

    def get(self, name: str) -> SourceConfig:
        """A source by name.

        Raises:
            NotFoundError: `api.unknown-source`.
        """
        for source in self.sources:
            if source.name == name:
                return source
        from atip.model.shapes.shape import closest

        names = [source.name for source in self.sources]
        close = closest(name, names)
        hint = f"did you mean `{close}`?" if close else "sources: " + (", ".join(names) or "none")
        raise NotFoundError(
            "api.unknown-source", f"no source `{name}` in the configuration", hint=hint
        )


def load_config(path: str) -> ApiConfig:
    """The configuration in a file, or in the file of that name in a folder.

    Raises:
        NotFoundError: `api.no-config`.
        FormatError: `api.config` with all problems.
    """
    if os.path.isdir(path):
        path = os.path.join(path, FILE_NAME)
    if not os.path.exists(path):
        raise NotFoundError(
            "api.no-config", f"no configuration `{path}`", hint="`atip api init` writes one"
        )
    return decode_config(read_json(read_bytes(path, MAX_BYTES)), os.path.dirname(path) or ".")


def decode_config(value: object, folder: str) -> ApiConfig:
    """Decode a configuration from plain values.

    Raises:
        FormatError: `api.config`.
    """
    problems = [problem for problem in check_shape(value, CONFIG) if problem.severity == "error"]
    if problems or not isinstance(value, dict):
        raise FormatError(
            "api.config", f"{FILE_NAME} has {len(problems)} errors", problems=problems
        )
    sources = tuple(
        SourceConfig(name=name, kind=kind, settings=settings, folder=folder)
        for kind in SOURCE_KINDS
        for name, settings in value["sources"].get(kind, {}).items()
        if not settings.get("disabled")
    )
    return ApiConfig(folder=folder, settings=value, sources=sources)


def encode_config(document: Mapping[str, Any]) -> bytes:
    """Encode the configuration for its file."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
