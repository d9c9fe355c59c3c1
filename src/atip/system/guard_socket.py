"""The hook's side of `guard serve`: pass a request to the server of this user, and fall back at anything unusual.

    answer, request = call_server(words)    # answer None: judge here

Runs before everything else, so it imports only what Python has already loaded, and one module for the socket.

SECURITY: an answer counts only from a process of the same user, through a socket and a folder that only this user can write. Anything
else – another owner, a wider mode, a link, another version, half an answer, a timeout – counts as no answer.
"""

from __future__ import annotations

import os
import stat
import sys

import atip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER, NAME = "agent-tools", "guard.sock"
LIMIT_S = 3.0
"""Leaves time to judge here within the hook's own limit."""
MAX_BYTES = 4_000_000
MAX_PATH = 107
FIELDS = 5
_CREDENTIALS = 12


def socket_path(env: Mapping[str, str]) -> str:
    """Path of the socket of this user's server."""
    base = env.get("XDG_RUNTIME_DIR", "")
    if not base.startswith("/"):
        base = f"/run/user/{os.geteuid()}"
    if not os.path.isdir(base):
        home = env.get("HOME", "")
        base = f"{home}/.local/share" if home.startswith("/") else ""
    return f"{base}/{FOLDER}/{NAME}" if base else ""


def own_stamp() -> bytes:
    """Identifies this installation and its version."""
    path = atip.__file__ or ""
    status = os.stat(path)
    return (
        f"1 {sys.executable} {path} {status.st_ino} {status.st_size} {status.st_mtime_ns}".encode()
    )


def call_server(words: Sequence[str]) -> tuple[bytes | None, bytes | None]:
    """The server's answer, or None; and what was read from standard input, or None."""
    path = socket_path(os.environ)
    if not path or len(path) > MAX_PATH or not is_private(path):
        return None, None
    request = sys.stdin.buffer.read(MAX_BYTES)
    try:
        return _exchange(path, _message(words, request)), request
    except (OSError, ValueError, AttributeError):  # no such kernel interface: no server
        return None, request


def is_private(path: str) -> bool:
    """Whether socket and folder belong to this user alone."""
    try:
        folder, status = os.lstat(os.path.dirname(path)), os.lstat(path)
    except OSError:
        return False
    owners = {folder.st_uid, status.st_uid}
    modes = (stat.S_IMODE(folder.st_mode) | stat.S_IMODE(status.st_mode)) & 0o077
    kinds = stat.S_ISDIR(folder.st_mode) and stat.S_ISSOCK(status.st_mode)
    return kinds and owners == {os.geteuid()} and not modes


def _message(words: Sequence[str], request: bytes) -> bytes:
    variables = (os.fsencode(key) + b"=" + os.fsencode(value) for key, value in os.environ.items())
    fields = (
        own_stamp(),
        os.fsencode(os.getcwd()),
        b"\0".join(os.fsencode(word) for word in words),
        b"\0".join(variables),
        request,
    )
    return b"".join(len(field).to_bytes(4, "big") + field for field in fields)


def _exchange(path: str, message: bytes) -> bytes | None:
    import _socket  # the core of `socket`, which takes half of Python's start-up time to import

    if len(message) > MAX_BYTES:
        return None
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        line.settimeout(LIMIT_S)
        line.connect(path)
        if peer_of(line)[1] != os.geteuid():
            return None
        line.sendall(message)
        line.shutdown(_socket.SHUT_WR)
        return _answer(receive(line, MAX_BYTES))
    finally:
        line.close()


def peer_of(line) -> tuple[int, int]:  # type: ignore[no-untyped-def]
    """Process and user at the other end, from the kernel."""
    import _socket

    credentials = line.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _CREDENTIALS)
    return (
        int.from_bytes(credentials[:4], sys.byteorder, signed=True),
        int.from_bytes(credentials[4:8], sys.byteorder),
    )


def receive(line, limit: int) -> bytes:  # type: ignore[no-untyped-def]
    """Read until the other end closes."""
    received = bytearray()
    while len(received) <= limit:
        part = line.recv(65536)
        if not part:
            return bytes(received)
        received += part
    raise ValueError("too long")


def _answer(received: bytes) -> bytes | None:
    """SECURITY: a partial answer does not count."""
    (answer,) = split_fields(received, 1)
    return answer or None


def split_fields(data: bytes, count: int) -> list[bytes]:
    """
    Raises:
        ValueError: not exactly this many.
    """
    fields = []
    while data:
        end = 4 + int.from_bytes(data[:4], "big")
        if len(data) < end:
            raise ValueError("cut off")
        fields.append(data[4:end])
        data = data[end:]
    if len(fields) != count:
        raise ValueError("not that many fields")
    return fields
