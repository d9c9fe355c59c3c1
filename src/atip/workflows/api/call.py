"""APIs for one user: call an operation, approve a configuration, save a synced source as a tool in the store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.apis.calling import CallResult
from atip.apis.config import load_config
from atip.apis.sync.operations import MAX_BYTES, load_operations, operations_path
from atip.codecs.apis.tree import tool_of
from atip.execution.call import CallOptions
from atip.model.reading.encode import encode
from atip.registry.layout import metadata_name
from atip.system.clock import now_iso
from atip.system.digests import sha256_hex
from atip.system.files import read_bytes
from atip.workflows.api.approve import require_approval
from atip.workflows.api.caller import keep_sessions
from atip.workflows.api.operations import make_operation_call, tool_name
from atip.workflows.run.runner import make_runner

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from atip.apis.config import ApiConfig
    from atip.apis.interface import ApiAccess
    from atip.execution.consent import ConsentPrompt
    from atip.workflows.host import Host


def call_operation(
    host: Host,
    folder: str,
    source: str,
    name: str,
    arguments: Mapping[str, Any],
    *,
    preset: str | None = None,
    yes: bool = False,
    ask: ConsentPrompt | None = None,
) -> CallResult:
    """Call an operation of a configured source.

    Args:
        folder: `codegen.config.json` or its folder.
        yes: confirm automatically where the operation is known to destroy nothing and read no secret.

    Raises:
        Denied, NeedsConfirmation: policy.
        AuthRequired: `api.auth-missing`, `api.auth-required`.
        UsageError: `api.invalid-argument` and similar.
    """
    options = CallOptions(assume_yes=yes)
    call = make_operation_call(load_config(folder), source, name, arguments, options)
    answer = make_runner(host, preset=preset, ask=ask).run(call).answer
    assert answer is not None
    return CallResult(
        data=answer.data, status=answer.status, next_page=answer.next_page, problems=answer.problems
    )


def remember_api(host: Host, config: ApiConfig, source: str) -> str:
    """Save a synced source in the store as a tool, so that list, show, search, compile and MCP include it.

    Its name is `SOURCE-api`, because a program with the source's name may exist, too. Returns that name, or an empty
    string when another tool has it.
    """
    name = tool_name(source)
    stored = host.store.find(name)
    if stored is not None and "api" not in (stored.get("x-atip") or {}).get("rung", ""):
        return ""
    path = os.path.abspath(operations_path(config, source))
    digest = f"sha256:{sha256_hex(read_bytes(path, MAX_BYTES))}"
    if stored is not None and stored.get("hash") == digest:
        return name
    origin = {"config": os.path.abspath(config.folder), "source": source}
    tool = tool_of(load_operations(config, source)).replace(
        name=name, extra={"x-atip": {"api": origin}}
    )
    metadata_hash = host.store.save_metadata(metadata_name(digest, "manual"), encode(tool))
    entry = {
        "path": path,
        "hash": digest,
        "source": "manual",
        "lastChecked": now_iso(),
        "x-atip": {
            "rung": "api",
            "metadataHash": metadata_hash,
            "description": tool.description[:120],
        },
    }
    host.store.put({name: entry})
    return name


class Apis:
    """Operations of configured APIs, for one user."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def call(
        self,
        folder: str,
        source: str,
        name: str,
        arguments: Mapping[str, Any],
        *,
        preset: str | None = None,
        yes: bool = False,
        ask: ConsentPrompt | None = None,
    ) -> CallResult:
        """Call an operation of a configured source; arguments and errors as in `call_operation`."""
        return call_operation(
            self._host, folder, source, name, arguments, preset=preset, yes=yes, ask=ask
        )

    def approve(
        self, config: ApiConfig, *, calling: bool = True, ask: ConsentPrompt | None = None
    ) -> None:
        """Return once the user approved what a configuration starts, reads and reaches; see `require_approval`."""
        require_approval(self._host, config, calling=calling, ask=ask)

    @property
    def access(self) -> ApiAccess:
        """Access for the sources of a project: programs that they start are confined."""
        from atip.workflows.api.programs import project_access

        return project_access(self._host)

    def remember(self, config: ApiConfig, source: str) -> str:
        """Save a synced source in the store as a tool; returns its name there, or an empty string."""
        return remember_api(self._host, config, source)

    def keep_sessions(self) -> AbstractContextManager[None]:
        """Within this context, calls to an MCP server share its session."""
        return keep_sessions(self._host)
