"""The handshake, answered before the SDK is imported: a client waits for `initialize`, and the import takes most of a second.

    opening = answer_opening(read, write)      # reads the first frame; answers it if it is a plain `initialize`
    … import the SDK …
    Frames(descriptor, opening.received)       # the SDK gets every byte all the same
    Writer(descriptor, opening.answer)         # and its own answer to that frame is checked and dropped

Only what the SDK would answer with certainty is answered here: a well-formed request for a revision of the table. Anything
else waits for the SDK. Should the SDK ever answer differently, the connection ends: the client received a wrong answer.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.model.value import Value
from atip.server import surface
from atip.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that begin with a handshake; a test holds them against the SDK's own."""
MAX_FIRST = 65_536


class Opening(Value):
    """The first bytes of a connection, and what was answered to them."""

    received: bytes = b""
    answer: dict[str, Any] | None = None
    """None: nothing was answered yet."""


class HandshakeMismatch(Exception):
    """The SDK did not answer `initialize` as it was answered already."""


def answer_opening(read: Callable[[], bytes], write: Callable[[bytes], object]) -> Opening:
    """Read the first frame and answer it where that is certain.

    Args:
        read: the next bytes of the client; empty at the end.
    """
    received = b""
    while b"\n" not in received and len(received) < MAX_FIRST:
        data = read()
        if not data:
            break
        received += data
    line, end, _ = received.partition(b"\n")
    answer = answer_to(line) if end else None
    if answer is not None:
        write(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
    return Opening(received=received, answer=answer)


def answer_to(line: bytes) -> dict[str, Any] | None:
    """The answer to a plain `initialize`; None for everything that the SDK has to look at."""
    try:
        request = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not _is_plain(request):
        return None
    result = {
        "capabilities": {"tools": {"listChanged": True}},
        "instructions": surface.INSTRUCTIONS,
        "protocolVersion": request["params"]["protocolVersion"],
        "serverInfo": {"name": surface.NAME, "version": __version__},
    }
    return {"jsonrpc": "2.0", "id": request["id"], "result": result}


def _is_plain(request: Any) -> bool:
    if not isinstance(request, dict) or set(request) != {"jsonrpc", "id", "method", "params"}:
        return False
    if (request["jsonrpc"], request["method"]) != ("2.0", "initialize"):
        return False
    number, params = request["id"], request["params"]
    if (
        not isinstance(number, int | str)
        or isinstance(number, bool)
        or not isinstance(params, dict)
    ):
        return False
    info = params.get("clientInfo")
    has_client_info = isinstance(info, dict) and all(
        isinstance(info.get(key), str) for key in ("name", "version")
    )
    plain = set(params) == {"protocolVersion", "capabilities", "clientInfo"}
    plain = plain and isinstance(params["capabilities"], dict)
    return plain and has_client_info and params["protocolVersion"] in REVISIONS
