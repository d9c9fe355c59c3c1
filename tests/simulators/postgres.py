"""A real PostgreSQL server on loopback, run by a user without privileges."""

from __future__ import annotations

import contextlib
import os
import pathlib
import pwd
import socket
import subprocess
import tempfile
import time
import typing

import pytest

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@contextlib.contextmanager
def postgres() -> Iterator[int]:
    """The port of a fresh server. User `tester`, database `postgres`, no password."""
    if not PROGRAMS:
        pytest.skip("PostgreSQL is not installed")
    # Not below pytest's own folder: that one is closed to other users, and PostgreSQL refuses to run as root.
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        yield from _serve(pathlib.Path(folder))


def _serve(data: pathlib.Path) -> Iterator[int]:
    programs = PROGRAMS[-1].parent
    identity: dict[str, typing.Any] = {}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(data, nobody.pw_uid, nobody.pw_gid)
        identity = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    quiet: dict[str, typing.Any] = {"env": {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, "cwd": "/"}
    initdb = [programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8"]  # fmt: skip
    subprocess.run(initdb, check=True, capture_output=True, **quiet, **identity)
    port = free_port()
    command = [
        *(programs / "postgres", "-D", data, "-p", str(port), "-k", data, "-h", "127.0.0.1", "-F"),
        *("-c", "shared_buffers=1MB", "-c", "max_connections=10"),
    ]
    server = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **quiet, **identity
    )
    try:
        wait_for(port, server)
        yield port
    finally:
        server.terminate()
        server.wait(timeout=20)


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Until the server accepts sessions (its port opens earlier), at most thirty seconds."""
    ready = [PROGRAMS[-1].parent / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
    ends_at = time.monotonic() + 30
    while time.monotonic() < ends_at and server.poll() is None:
        if subprocess.run(ready, check=False).returncode == 0:
            return
        time.sleep(0.05)
    raise AssertionError("PostgreSQL did not start")
