"""Interface of every kind of source, and the table of kinds.

A source file has `load(config, access) -> LoadedSource` – the operations of the API – and `connect(config, header, access) -> Connection`, which
calls it. Both get an `ApiAccess`: the environment and the access that the caller allows, so that a source reads no
variable, opens no socket and starts no program on its own.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any, Protocol

from atip.apis.http.credentials import References
from atip.errors import PolicyError, SandboxError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.apis.config import SourceConfig
    from atip.apis.http.calls import CallOutcome, Hook
    from atip.model.operation import Api, Operation
    from atip.sandbox.run import OnOutput
    from atip.sandbox.running import RunningProcess

    Programs = Callable[["SourceConfig", "ProgramOrder", OnOutput], RunningProcess]

    class Connection(Protocol):
        """Calls operations of one source; belongs to one event loop."""

        async def call(self, operation: Operation, arguments: Mapping[str, Any]) -> CallOutcome: ...

        async def close(self) -> None: ...

    class Source(Protocol):
        def load(self, config: SourceConfig, access: ApiAccess) -> LoadedSource: ...

        def connect(self, config: SourceConfig, header: Api, access: ApiAccess) -> Connection: ...


SOURCES = {
    "mcp": "mcp",
    "openapi": "openapi",
    "graphql": "graphql",
    "database": "database",
    "custom": "custom",
}


class LoadedSource(Value):
    """The operations of a source, and its raw description."""

    api: Api
    raw: str
    """The raw description that a model would read otherwise: `tokenReduction.traditional` counts it."""
    digest: str = ""
    """Digest of the raw description, for change detection; empty when there is none."""


class ProgramOrder(Value):
    """A program that a configuration names, to be started confined."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = {}
    stdin_fd: int = -1
    serves: bool = False
    """True: it runs for the whole session and may write to the project. False: it prints one short answer."""


class ApiAccess(Value):
    """Access to environment, network and programs for a source."""

    env: Mapping[str, str]
    offline: bool = False
    hook: Hook | None = None
    secrets: Callable[[tuple[bytes, ...]], None] | None = None
    """Called with every secret before its use, so that answers can be redacted."""
    programs: Programs | None = None
    """Starts a program that a configuration names, confined; None: none can be started."""

    def start(
        self, source: SourceConfig, order: ProgramOrder, on_output: OnOutput
    ) -> RunningProcess:
        """
        Raises:
            SandboxError: `api.not-confined`, and when the confinement cannot be enforced here.
        """
        # SECURITY: the author of the project controls the command; it is not started outside a sandbox.
        if self.programs is None:
            raise SandboxError(
                "api.not-confined",
                f"`{source.name}` starts `{order.argv[0]}`, and no sandbox is available",
                hint="call it through `atip api call`, or pass an `ApiAccess` with `programs`",
            )
        return self.programs(source, order, on_output)

    def references(self, source: SourceConfig) -> References:
        """Resolver for the references of a source."""

        def start(argv: tuple[str, ...], on_output: OnOutput) -> RunningProcess:
            return self.start(source, ProgramOrder(argv=argv), on_output)

        return References(env=self.env, folder=source.folder, start=start)

    def check_online(self, name: str) -> None:
        """
        Raises:
            PolicyError: `api.offline`.
        """
        if self.offline:
            raise PolicyError("api.offline", f"`{name}` needs the network, but offline mode is on")


def open_access(*, offline: bool = False, hook: Hook | None = None) -> ApiAccess:
    """Access with the environment of this process."""
    return ApiAccess(env=dict(os.environ), offline=offline, hook=hook)


def source_of(kind: str) -> Source:
    """The module for a kind of source."""
    module: Any = importlib.import_module(f"atip.apis.sources.{SOURCES[kind]}")
    return module  # type: ignore[no-any-return]
