"""Host: the user that a workflow works for: paths, store, policy, online or not."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.execution.audit.chain import Audit
    from atip.registry.store import Store
    from atip.system.paths import Places
    from atip.workflows.api.sessions import Sessions


class Host:
    """One user on this machine. Caches no metadata: every workflow reads the store again."""

    def __init__(self, places: Places, *, offline: bool = False, policy: str | None = None) -> None:
        """
        Args:
            offline: never open a socket.
            policy: preset that replaces the configured one.
        """
        self.places = places
        self._store: Store | None = None
        self.offline = offline
        self.policy = policy
        self.sessions: Sessions | None = None
        """Sessions with MCP servers that outlast a call; None: each call opens its own."""
        self.notices: list[str] = []
        """Warnings to show after a scan or a search, such as registries that could not be reached."""

    @property
    def store(self) -> Store:
        """The metadata store on disk; opened on first use."""
        if self._store is None:
            from atip.registry.store import Store

            self._store = Store(self.places)
        return self._store

    @property
    def audit(self) -> Audit:
        """The user's audit chain."""
        from atip.execution.audit.chain import Audit

        return Audit(
            os.path.join(self.places.data, "audit"),
            anchor=os.path.join(self.places.config, "audit-anchor.json"),
        )

    @property
    def outputs(self) -> str:
        """The folder of saved outputs."""
        from atip.execution.output.saved_output import FOLDER

        return os.path.join(self.places.cache, FOLDER)
