"""Test whether an entry of a client's configuration starts a server: start it once, and query it.

A client shows a server that cannot start as a red dot, if at all; this reports the problem when the entry is written.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from atip.errors import AtipError, UsageError
from atip.system.programs.captured import capture

if TYPE_CHECKING:
    from collections.abc import Sequence

START_S = 60.0
MAX_ANSWER = 100_000
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "atip mcp config", "version": "1"},
    },
}


def check_starts(command: str, args: Sequence[str]) -> None:
    """Start the server that an entry names, ask for `initialize`, and let it end.

    Raises:
        UsageError: `mcp.entry-does-not-start`.
    """
    line = json.dumps(_INITIALIZE).encode() + b"\n"
    try:
        answer = capture([command, *args], timeout_s=START_S, max_bytes=MAX_ANSWER, stdin=line)
    except AtipError as error:
        raise _refusal(command, error.message) from error
    if b'"serverInfo"' not in answer.stdout:
        raise _refusal(command, f"it ended with status {answer.exit_code} and did not answer")


def _refusal(command: str, why: str) -> UsageError:
    return UsageError(
        "mcp.entry-does-not-start",
        f"nothing was written: `{command} mcp serve` does not start: {why}",
        hint="pip install 'atip-cli[mcp]' in the environment of that program, or give another program with `--command`",
    )
