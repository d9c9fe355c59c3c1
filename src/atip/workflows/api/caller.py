"""The caller of one API call: shared by a session, or opened for this call."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from atip.errors import AtipError, AuthRequired, FetchError
from atip.workflows.api.sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atip.apis.calling import Cleaner, OperationCaller
    from atip.apis.config import ApiConfig
    from atip.workflows.host import Host

STATEFUL = "mcp"
"""The kind of source with sessions."""


@contextlib.contextmanager
def keep_sessions(host: Host) -> Iterator[None]:
    """Within this context, calls of `host` to an MCP server share its session."""
    host.sessions = sessions = Sessions()
    try:
        yield
    finally:
        host.sessions = None
        sessions.close()


@contextlib.contextmanager
def open_caller(
    host: Host, config: ApiConfig, source: str, clean: Cleaner
) -> Iterator[OperationCaller]:
    """A caller for one call: shared where sessions are kept, else opened for this call."""
    from atip.apis.calling import OperationCaller
    from atip.apis.sync.operations import operations_path
    from atip.workflows.api.programs import project_access

    access = project_access(host)
    if host.sessions is None or config.get(source).kind != STATEFUL:
        with OperationCaller(config, access=access, clean=clean) as caller:
            yield caller
        return
    synced = os.stat(operations_path(config, source))
    stamp = (repr(config.settings), synced.st_mtime_ns, synced.st_size)
    # By source: the failure of one server does not end the others.
    key = f"{config.folder}\0{source}"
    caller = host.sessions.take(
        key, stamp, lambda: OperationCaller(config, access=access, clean=clean)
    )
    try:
        yield caller
    except BaseException as error:
        # After a tool error, a refusal or bad arguments the session continues. Anything else may have broken it.
        if isinstance(error, FetchError | AuthRequired) or not isinstance(error, AtipError):
            host.sessions.drop(key, caller)
        raise
