"""What every kind of source offers, and the table of kinds.

A source file has `load(config, door) -> Loaded` – what the API offers – and `connect(config, door) -> Connection`, which
calls it. Both get a `Door`: the environment and the ways out that the caller allows, so that a source reads no
variable and opens no socket on its own.
"""

from __future__ import annotations

import importlib
import os

from atip.errors import PolicyError
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from atip.apis.config import SourceConfig
    from atip.apis.http_calls import Hook, Outcome
    from atip.model.operation import Api, Operation

    class Connection(Protocol):
        """A way to call operations of one source; belongs to one event loop."""

        async def call(self, operation: Operation, arguments: Mapping[str, Any]) -> Outcome: ...

        async def close(self) -> None: ...

    class Source(Protocol):
        def load(self, config: SourceConfig, door: Door) -> Loaded: ...

        def connect(self, config: SourceConfig, header: Api, door: Door) -> Connection: ...


SOURCES = {
    "mcp": "mcp",
    "openapi": "openapi",
    "graphql": "graphql",
    "database": "database",
    "custom": "custom",
}


class Loaded(Value):
    """What a source offers, and how much an agent would have to read without us."""

    api: Api
    raw: str
    """The document that would be given to a model instead: what `tokenReduction.traditional` counts."""
    digest: str = ""
    """Digest of the raw description, for change detection; empty when there is none."""


class Door(Value):
    """What a source may use of the outside."""

    env: Mapping[str, str]
    offline: bool = False
    hook: Hook | None = None
    secrets: Callable[[tuple[bytes, ...]], None] | None = None
    """Told every secret that is about to be used, so that answers can be redacted."""

    def check_online(self, name: str) -> None:
        """
        Raises:
            PolicyError: `api.offline`.
        """
        if self.offline:
            raise PolicyError(
                "api.offline", f"`{name}` needs the network, and this is offline mode"
            )


def open_door(*, offline: bool = False, hook: Hook | None = None) -> Door:
    """The door of this process."""
    return Door(env=dict(os.environ), offline=offline, hook=hook)


def source_of(kind: str) -> Source:
    """The module that knows a kind of source."""
    module: Any = importlib.import_module(f"atip.apis.sources.{SOURCES[kind]}")
    return module  # type: ignore[no-any-return]
