"""Access to the HTTP server: who may reach it and by which token. Decided before anything heavy is loaded."""

from __future__ import annotations

import os
import secrets

from atip.errors import UsageError

TOKEN_VARIABLE = "ATIP_MCP_TOKEN"  # noqa: S105 - the name of a variable
MIN_TOKEN = 16
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def refuse_other_hosts(host: str) -> None:
    """
    Raises:
        UsageError: `mcp.not-loopback`.
    """
    # SECURITY: a process that reaches the port reaches the tools of this user.
    if host not in LOOPBACK:
        raise UsageError(
            "mcp.not-loopback",
            f"`{host[:80]}` is not a loopback address",
            hint="serve on 127.0.0.1; use a tunnel or proxy of your own to reach it from elsewhere",
        )


def choose_token() -> tuple[str, bool]:
    """The token, and whether it was generated here and must be shown to the user.

    Raises:
        UsageError: `mcp.weak-token`.
    """
    configured = os.environ.get(TOKEN_VARIABLE, "")
    if not configured:
        return secrets.token_urlsafe(32), True
    if len(configured) < MIN_TOKEN or not configured.isascii() or not configured.isprintable():
        raise UsageError(
            "mcp.weak-token",
            f"`{TOKEN_VARIABLE}` is not a token of at least {MIN_TOKEN} plain characters",
            hint="unset it to have one generated",
        )
    return configured, False
