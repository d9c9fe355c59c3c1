"""HTTP: streamable HTTP on the loopback interface, behind a gate.

    (1) the name in `Host` must be a loopback name with our port: a page on another site that rebinds its name to
        this machine is refused
    (2) an `Origin`, where there is one, must be our own
    (3) every request carries the bearer token; a session id is not an authentication

Also notifies runs when the client of their request disconnects. Implements the transport rules of MCP.
"""

from __future__ import annotations

import contextlib
import hmac
import signal
import sys
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from atip.errors import UsageError
from atip.server.runs import client_gone
from atip.server.transport.access import refuse_other_hosts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, MutableMapping

    from atip.server.app import App

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Asgi = Callable[[Message, Receive, Send], Awaitable[None]]

PATH = "/mcp"
_MAX_BODY = 8 * 1024 * 1024


class Gate:
    """Stands in front of every request; see the numbered rules above."""

    def __init__(self, inner: Asgi, token: str) -> None:
        self._inner, self._token = inner, token.encode()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        status, reason = self._check(scope)
        if status:
            await _answer(send, status, reason)
            return
        gone = anyio.Event()

        async def watched() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                gone.set()
            return message

        mark = client_gone.set(gone)
        try:
            await self._inner(scope, watched, send)
        finally:
            client_gone.reset(mark)

    def _check(self, scope: Message) -> tuple[int, str]:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        names = own_names(scope["server"][1])
        if len(headers.get("host", ())) != 1 or headers["host"][0].lower() not in names:  # (1)
            return 421, "this host name is not served here"
        origins = headers.get("origin", [])
        if any(origin.lower() not in {f"http://{name}" for name in names} for origin in origins):
            return 403, "this origin is not allowed"  # (2)
        authorization = headers.get("authorization", [])
        scheme, _, token = (authorization[0] if len(authorization) == 1 else "").partition(" ")
        # SECURITY: any process and any page of this machine can reach the port; only the token identifies the client.
        is_right = hmac.compare_digest(token.encode(), self._token)
        if scheme.lower() != "bearer" or not is_right:  # (3)
            return 401, "a bearer token is required"
        return 0, ""


def own_names(port: int) -> set[str]:
    """Accepted values of `Host`."""
    return {f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"}


async def _answer(send: Send, status: int, reason: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode() + b"\n"})


class _Uvicorn(uvicorn.Server):
    """Leaves signals to us, so that runs are ended before the process is."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def run_http(app: App, token: str, *, is_new: bool, host: str = "127.0.0.1", port: int = 0) -> int:
    """Serve until a signal ends it; a new token is printed once.

    Raises:
        UsageError: `mcp.not-loopback`, `mcp.port`.
    """
    refuse_other_hosts(host)
    if not anyio.run(_serve, app, host, port, token, is_new):
        raise UsageError(
            "mcp.port", f"port {port} cannot be used", hint="omit `--port` to use a free one"
        )
    return 0


async def _serve(app: App, host: str, port: int, token: str, is_new: bool) -> bool:
    """Serve until a signal; False when the port could not be bound."""
    # The gate judges Host and Origin by the port that was really bound, so the inner check is not needed.
    inner = app.server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        max_request_body_size=_MAX_BODY,
        max_sessions=64,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    gate: Any = Gate(inner, token)
    server = _Uvicorn(
        uvicorn.Config(
            gate, host=host, port=port, log_level="error", access_log=False, lifespan="on",
            timeout_graceful_shutdown=2, ws="none",
        )
    )  # fmt: skip
    async with anyio.create_task_group() as group:
        group.start_soon(_stop_on_signal, server)
        group.start_soon(app.watch)
        group.start_soon(_tell, server, host, token, is_new)
        with contextlib.suppress(SystemExit):  # uvicorn's way of saying that it cannot bind
            await server.serve()
        group.cancel_scope.cancel()
    return bool(server.started)


async def _tell(server: uvicorn.Server, host: str, token: str, is_new: bool) -> None:
    while not server.started:
        if server.should_exit:
            return
        await anyio.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    address = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"atip mcp: http://{address}:{port}{PATH}\n")
    if is_new:
        sys.stderr.write(f"atip mcp: Authorization: Bearer {token}\n")
    sys.stderr.flush()


async def _stop_on_signal(server: uvicorn.Server) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        async for _ in signals:
            server.should_exit = True
