"""OpenAPI sources: a document from a file or an address, and the server it describes.

The address of the server is pinned when the configuration names it; a document alone may only lead to a public https
server. Documents are JSON or YAML, bounded, and fetched through the one HTTP client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.apis.documents import read_document
from atip.apis.effects import with_effects
from atip.apis.fetching import read_place
from atip.apis.http.calls import HttpCalls, RequestOrigin
from atip.apis.http.credentials import resolve_auth
from atip.apis.http.requests import build_request
from atip.apis.interface import LoadedSource
from atip.codecs.apis.openapi import decode_api
from atip.errors import FormatError
from atip.system.digests import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.apis.config import SourceConfig
    from atip.apis.http.calls import CallOutcome
    from atip.apis.interface import ApiAccess
    from atip.model.operation import Api, Operation


def load(config: SourceConfig, access: ApiAccess) -> LoadedSource:
    """Read the document.

    Raises:
        FormatError: `api.not-openapi` and errors of the readers.
        FetchError: when it cannot be fetched.
    """
    return load_bytes(config, read(config, access))


def read(config: SourceConfig, access: ApiAccess) -> bytes:
    """The bytes of the document."""
    return read_place(str(config.settings["spec"]), config, access)


def load_bytes(config: SourceConfig, data: bytes) -> LoadedSource:
    """Read the document from bytes."""
    place = str(config.settings["spec"])
    origin = place if "://" in place else ""
    api = with_effects(decode_api(read_document(data), name=config.name, origin=origin))
    return LoadedSource(
        api=api, raw=data.decode("utf-8", "replace"), digest=f"sha256:{sha256_hex(data)}"
    )


def connect(config: SourceConfig, header: Api, access: ApiAccess) -> OpenApiConnection:
    """A connection to the server.

    Raises:
        FormatError: `api.no-server` when neither configuration nor document has its address.
        AuthRequired: `api.auth-missing`.
    """
    return OpenApiConnection(config, header, access)


class OpenApiConnection:
    """Calls operations over HTTP."""

    def __init__(self, config: SourceConfig, header: Api, access: ApiAccess) -> None:
        access.check_online(config.name)
        settings = config.settings
        self._base = base_of(config, header)
        credential = resolve_auth(settings.get("auth"), access.references(config))
        if access.secrets is not None:
            access.secrets(credential.secrets)
        self._http = HttpCalls(
            config.name,
            RequestOrigin(
                base=self._base,
                private=bool(settings.get("private")),
                others=tuple(settings.get("hosts", ())),
            ),
            credential,
            headers=tuple(settings.get("headers", {}).items()),
            timeout_s=config.timeout_s,
            hook=access.hook,
        )

    async def call(self, operation: Operation, arguments: Mapping[str, Any]) -> CallOutcome:
        return await self._http.call(
            operation.name, build_request(operation, arguments, self._base)
        )

    async def close(self) -> None:
        await self._http.close()


def base_of(config: SourceConfig, header: Api) -> str:
    """The pinned address: the configured one, or the document's own, https before anything else."""
    base_url = config.settings.get("baseUrl")
    if base_url:
        return str(base_url)
    servers = sorted(header.servers, key=lambda server: not server.startswith("https://"))
    absolute = [server for server in servers if "://" in server]
    if not absolute:
        raise FormatError(
            "api.no-server",
            f"the document of `{config.name}` has no server address",
            hint="set `baseUrl` of the source",
        )
    return absolute[0]
