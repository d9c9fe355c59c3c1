"""Recorder: a simulated network. Every name resolves, every connection is accepted and recorded, nothing is sent out.

The sockets lie in the run's own network namespace, which has no interface but the loopback. Names get addresses of 127.64.0.0/10
from our resolver; a connection to any address but the program's own loopback is made *for* the program, by the tracer, to
our stand-in. It logs host, port, TLS server name and the first bytes, and answers nothing, or what a script says.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING

from atip.model.value import Value
from atip.sandbox.network.hello import read_question, server_name
from atip.sandbox.tracing.calls import read_address, signed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.sandbox.tracing.calls import TracedThread

STAND_IN = ("127.0.0.54", 1)
FIRST_BYTES = 256
SILENCE_S = 0.5
"""A server that speaks first would do so now; a client that waits for it gets the end."""
MAX_CONTACTS = 200
_FIRST_ADDRESS = 0x7F400001  # 127.64.0.1
_GETFD = 438
_ANSWERED, _NO_SUCH_NAME = 0x8180, 0x8183
_ADDRESS_RECORD = 1
_TTL_S = 60
_PAUSE_S = 0.01


class Contact(Value):
    """One connection that was tried."""

    host: str
    """A name where one was looked up, else the address."""
    port: int
    tls: str = ""
    """Server name of a TLS greeting."""
    first: bytes = b""
    answered: bool = False

    def to_json(self) -> dict[str, object]:
        escaped = self.first.decode("latin-1").encode("unicode_escape").decode("ascii")
        return {
            "host": self.host,
            "port": self.port,
            "tls": self.tls,
            "first": escaped,
            "answered": self.answered,
        }


class Recorder:
    """The stand-in of one run. `take` is called by the backend, `connect` by the tracer."""

    def __init__(self, answers: Mapping[str, bytes] | None = None) -> None:
        """
        Args:
            answers: `host:port` or `host` → what is sent back after the first bytes.
        """
        self._answers = dict(answers or {})
        self._names: dict[str, str] = {}
        self._meant: dict[int, tuple[str, int]] = {}
        """Local port of a connection → what the program wanted."""
        self._registered = threading.Condition()
        self._contacts: list[Contact] = []
        self._sockets: list[socket.socket] = []
        self._servers: list[threading.Thread] = []
        self._talks: list[threading.Thread] = []
        self._end = -1
        """Readable once the program has ended."""
        self._lookups: dict[str, None] = {}
        self._libc = ctypes.CDLL(None, use_errno=True)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        return tuple(self._contacts)

    @property
    def lookups(self) -> tuple[str, ...]:
        """Names that were looked up."""
        return tuple(self._lookups)

    def named(self, address: str) -> str:
        """The name that an address of ours stands for; else the address."""
        return self._names.get(address, address)

    def take(self, channel: socket.socket) -> None:
        """Take the sockets that the launcher inside has opened, and serve them.

        Raises:
            OSError: they were not handed over.
        """
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 2)
        if len(descriptors) != 2:
            raise OSError("the network recorder could not be started")
        self._sockets = [socket.socket(fileno=number) for number in descriptors]
        self._end = os.eventfd(0)
        for serve, endpoint in zip((self._resolve, self._accept), self._sockets, strict=True):
            endpoint.setblocking(False)
            server = threading.Thread(target=self._serve, args=(endpoint, serve), daemon=True)
            self._servers.append(server)
            server.start()

    def close(self) -> None:
        """The program has ended: what it still had under way is written down, then the sockets are closed."""
        if self._servers:
            os.eventfd_write(self._end, 1)
        for server in self._servers:
            server.join()
        for talk in self._talks:  # complete: only a server adds to it, and they have ended
            talk.join(2 * SILENCE_S)
        for endpoint in self._sockets:
            endpoint.close()
        if self._servers:
            os.close(self._end)
            self._servers = []

    def connect(self, caller: TracedThread, arguments: list[int]) -> int | None:
        """Make a connection in the program's place; 0 or the error number. None: it may go on by itself."""
        try:
            address = read_address(caller.memory(arguments[1], min(arguments[2], 128)))
            if address is None or self._is_own(address[0]):
                return None
            with self._fetch_socket(caller, signed(arguments[0])) as sock:
                return self._redirect(sock, address)
        except (OSError, ValueError, struct.error):
            return None

    def _is_own(self, address: str) -> bool:
        """The program's own loopback, where its own servers listen."""
        local = address.startswith("127.") or address in ("[::1]", "[::]", "0.0.0.0")  # noqa: S104
        return local and address not in self._names

    def _fetch_socket(self, caller: TracedThread, number: int) -> socket.socket:
        with open(f"/proc/{caller.pid}/status", "rb") as file:
            process = next(int(line.split()[1]) for line in file if line.startswith(b"Tgid:"))
        handle = os.pidfd_open(process)
        try:
            descriptor = self._libc.syscall(_GETFD, handle, number, 0)
        finally:
            os.close(handle)
        if descriptor < 0:
            raise OSError(ctypes.get_errno(), "pidfd_getfd")
        return socket.socket(fileno=descriptor)

    def _redirect(self, sock: socket.socket, target: tuple[str, int]) -> int:
        place = STAND_IN[0] if sock.family == socket.AF_INET else f"::ffff:{STAND_IN[0]}"
        if sock.type != socket.SOCK_STREAM:
            if target[1]:  # 0 only asks for the way
                self._note(Contact(host=self.named(target[0]), port=target[1]))
            return sock.connect_ex((place, STAND_IN[1]))
        with self._registered:  # the accepting thread waits until the port is known
            result = sock.connect_ex((place, STAND_IN[1]))
            self._meant[sock.getsockname()[1]] = target
            self._registered.notify_all()
        return result

    def _note(self, contact: Contact) -> None:
        if len(self._contacts) < MAX_CONTACTS and contact not in self._contacts:
            self._contacts.append(contact)

    def _serve(self, endpoint: socket.socket, serve: Callable[[socket.socket], None]) -> None:
        """Serve until the program has ended and nothing waits any more."""
        poll = select.poll()
        poll.register(endpoint, select.POLLIN)
        poll.register(self._end, select.POLLIN)
        while any(number == endpoint.fileno() for number, _ in poll.poll()):
            try:
                serve(endpoint)
            except (ValueError, struct.error):  # a hostile question; the next one may be plain
                continue
            except OSError:  # the client has gone, or we have no descriptor left for it now
                time.sleep(_PAUSE_S)

    # --- names -------------------------------------------------------------------------------------

    def _resolve(self, endpoint: socket.socket) -> None:
        query, sender = endpoint.recvfrom(4096)
        question = read_question(query)
        if question is None:
            return
        name, kind, end = question
        is_forward = not name.endswith(".arpa")
        if is_forward:
            self._lookups[name] = None
        answer = b""
        if is_forward and kind == _ADDRESS_RECORD:
            address = socket.inet_aton(self._address(name))
            answer = struct.pack(">HHHIH4s", 0xC00C, 1, 1, _TTL_S, 4, address)
        code = _ANSWERED if is_forward else _NO_SUCH_NAME
        head = query[:2] + struct.pack(">HHHHH", code, 1, 1 if answer else 0, 0, 0)
        endpoint.sendto(head + query[12:end] + answer, sender)

    def _address(self, name: str) -> str:
        for address, other in self._names.items():
            if other == name:
                return address
        address = socket.inet_ntoa(struct.pack(">I", _FIRST_ADDRESS + len(self._names)))
        self._names[address] = name
        return address

    # --- connections -------------------------------------------------------------------------------

    def _accept(self, gate: socket.socket) -> None:
        client, peer = gate.accept()
        talk = threading.Thread(target=self._talk, args=(client, peer[1]), daemon=True)
        self._talks.append(talk)
        talk.start()

    def _talk(self, client: socket.socket, port: int) -> None:
        with self._registered:
            self._registered.wait_for(lambda: port in self._meant, timeout=1.0)
            address, target_port = self._meant.pop(port, ("", 0))
        if not target_port:
            client.close()
            return
        host = self.named(address)
        answer = self._answers.get(f"{host}:{target_port}", self._answers.get(host, b""))
        with client, contextlib.suppress(OSError):
            client.settimeout(SILENCE_S)
            first = b""
            with contextlib.suppress(TimeoutError):
                first = client.recv(4096)
            if answer:
                client.sendall(answer)
            self._note(
                Contact(
                    host=host,
                    port=target_port,
                    tls=server_name(first),
                    first=first[:FIRST_BYTES],
                    answered=bool(answer),
                )
            )
            client.shutdown(socket.SHUT_WR)
            while answer and client.recv(4096):  # read on, or a reset would overtake the answer
                pass
