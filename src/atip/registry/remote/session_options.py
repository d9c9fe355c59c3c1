"""Options of a session with remote registries."""

from __future__ import annotations

from atip.registry.remote.fetch import SESSION_S
from atip.system.clock import now as clock_now


class RegistrySessionOptions:
    """Options for all registry queries of one session."""

    def __init__(
        self,
        *,
        offline: bool = False,
        refresh: bool = False,
        background: bool = False,
        expiry_s: float = 86400.0,
        policy_requires: bool = False,
        session_s: float = SESSION_S,
        approve: frozenset[str] = frozenset(),
        now: float | None = None,
    ) -> None:
        """
        Args:
            refresh: fetch again even what is fresh (`--refresh`, `ATIP_REFRESH`).
            background: not started by the user; a registry that failed is left alone for a while.
            expiry_s: how long an answer is fresh.
            policy_requires: an organization's policy wants signatures.
            approve: digests of binaries whose weaker descriptions a person has approved.
        """
        self.offline = offline
        self.refresh = refresh
        self.background = background
        self.expiry_s = expiry_s
        self.policy_requires = policy_requires
        self.session_s = session_s
        self.approve = approve
        self.now = clock_now() if now is None else now
