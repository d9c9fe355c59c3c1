"""GraphQL sources: a schema from a file or by introspection, and the endpoint that answers documents.

Values travel as variables, never inside the document, so no value can become syntax.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.apis.documents import LIMITS
from atip.apis.effects import with_effects
from atip.apis.fetching import read_place
from atip.apis.http.calls import HttpCalls, RequestOrigin
from atip.apis.http.credentials import resolve_auth
from atip.apis.http.requests import HttpRequest
from atip.apis.interface import LoadedSource
from atip.codecs.apis.graphql import DEPTH, decode_schema
from atip.errors import ExecutionError, FormatError, UsageError
from atip.model.reading.reader import read_json
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.apis.config import SourceConfig
    from atip.apis.http.calls import CallOutcome
    from atip.apis.interface import ApiAccess
    from atip.model.operation import Api, Operation


def load(config: SourceConfig, access: ApiAccess) -> LoadedSource:
    """Read the schema from the configured file, or query the endpoint for it.

    Raises:
        FormatError: `api.graphql-schema`.
    """
    if "schema" in config.settings:
        data = read_place(str(config.settings["schema"]), config, access)
    else:
        data = json.dumps(_introspect(config, access)).encode()
    text = data.decode("utf-8", "replace")
    document: Any = read_json(data, LIMITS) if text.lstrip()[:1] == "{" else text
    depth = int(config.settings.get("depth", DEPTH))
    api = decode_schema(document, name=config.name, depth=depth)
    api = with_effects(api.replace(servers=(str(config.settings["endpoint"]),)))
    return LoadedSource(api=api, raw=text, digest=f"sha256:{sha256_hex(data)}")


def _introspect(config: SourceConfig, access: ApiAccess) -> Any:
    import asyncio

    import graphql

    async def query() -> Any:
        connection = GraphqlConnection(config, access)
        try:
            return await connection.send("introspection", graphql.get_introspection_query(), {})
        finally:
            await connection.close()

    return asyncio.run(query())


def connect(config: SourceConfig, header: Api, access: ApiAccess) -> GraphqlConnection:
    """A connection to the endpoint."""
    return GraphqlConnection(config, access)


class GraphqlConnection:
    """Sends documents over HTTP."""

    def __init__(self, config: SourceConfig, access: ApiAccess) -> None:
        access.check_online(config.name)
        settings = config.settings
        self._endpoint = str(settings["endpoint"])
        if "://" not in self._endpoint:
            raise FormatError("api.no-server", f"`endpoint` of `{config.name}` is not an address")
        credential = resolve_auth(settings.get("auth"), access.references(config))
        if access.secrets is not None:
            access.secrets(credential.secrets)
        self._http = HttpCalls(
            config.name,
            RequestOrigin(base=self._endpoint, private=bool(settings.get("private"))),
            credential,
            headers=tuple(settings.get("headers", {}).items()),
            timeout_s=config.timeout_s,
            hook=access.hook,
        )

    async def call(self, operation: Operation, arguments: Mapping[str, Any]) -> CallOutcome:
        """
        Raises:
            UsageError: `api.subscription`.
            ExecutionError: `api.graphql` with the errors of the server.
        """
        if operation.method == "SUBSCRIPTION":
            raise UsageError("api.subscription", "a subscription cannot be called over HTTP")
        variables = {
            parameter.name: arguments[parameter.argument]
            for parameter in operation.parameters
            if parameter.argument in arguments
        }
        outcome = await self._post(operation.name, operation.statement, variables)
        answer = outcome.data
        if not isinstance(answer, dict):
            raise ExecutionError("api.graphql", "the server did not send a GraphQL answer")
        errors = answer.get("errors")
        if errors:
            # the server's words: a list of objects with `message`, or anything else
            first = errors[0] if isinstance(errors, list) else errors
            message = first.get("message", "refused") if isinstance(first, dict) else first
            raise ExecutionError(
                "api.graphql",
                str(message)[:500],
                details={"errors": errors, "data": answer.get("data")},
            )
        return outcome.replace(data=answer.get("data"))

    async def send(self, name: str, statement: str, variables: Mapping[str, Any]) -> Any:
        """The raw answer to any document."""
        return (await self._post(name, statement, variables)).data

    async def _post(self, name: str, statement: str, variables: Mapping[str, Any]) -> CallOutcome:
        body = json.dumps({"query": statement, "variables": dict(variables)}, ensure_ascii=False)
        request = HttpRequest(
            method="POST",
            url=self._endpoint,
            headers=(("Content-Type", "application/json"), ("Accept", "application/json")),
            content=body.encode(),
        )
        return await self._http.call(name, request)

    async def close(self) -> None:
        await self._http.close()
