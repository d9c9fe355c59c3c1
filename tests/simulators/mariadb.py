"""A real MariaDB server on loopback, run by a user without privileges."""

from __future__ import annotations

import contextlib
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time
import typing

import pytest

from tests.simulators.postgres import free_port

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

SERVER = shutil.which("mariadbd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
TABLES = pathlib.Path("/usr/share/mysql")
_BOOTSTRAP = ("mysql_system_tables.sql", "mysql_system_tables_data.sql")
_SMALL = ("--innodb-log-file-size=4M", "--innodb-buffer-pool-size=8M", "--key-buffer-size=1M")
_ENV = {"PATH": "/usr/sbin:/usr/bin:/bin", "LC_ALL": "C"}


@contextlib.contextmanager
def mariadb() -> Iterator[int]:
    """The port of a fresh server with the user `root`, who has no password."""
    if SERVER is None or not (TABLES / _BOOTSTRAP[0]).exists():
        pytest.skip("MariaDB is not installed (mariadb-server-core)")
    # Not below pytest's own folder: that one is closed to other users.
    with tempfile.TemporaryDirectory(prefix="maria", ignore_cleanup_errors=True) as folder:
        yield from _serve(pathlib.Path(folder))


def _serve(data: pathlib.Path) -> Iterator[int]:
    identity: dict[str, typing.Any] = {}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(data, nobody.pw_uid, nobody.pw_gid)
        identity = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    base = [SERVER, "--no-defaults", f"--datadir={data}", f"--tmpdir={data}", *_SMALL]
    _create_tables(base, identity)
    port = free_port()
    command = [
        *(*base, "--bind-address=127.0.0.1", f"--port={port}", f"--socket={data}/socket"),
        *("--skip-name-resolve", "--secure-file-priv=", "--max-connections=20"),
    ]
    server = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_ENV, cwd="/", **identity
    )
    try:
        _wait_for(port, server)
        yield port
    finally:
        server.kill()  # its data goes with it: an orderly end only costs time
        server.wait()


def _create_tables(base: list[typing.Any], identity: dict[str, typing.Any]) -> None:
    """The system tables, as `mariadb-install-db` makes them; that script needs the client package, too."""
    text = ["create database mysql;\nuse mysql;\nset @auth_root_socket=NULL;\n"]
    text += [(TABLES / name).read_text() for name in _BOOTSTRAP]
    command = [*base, "--bootstrap", "--log-warnings=0", "--max-allowed-packet=8M"]
    subprocess.run(
        command, input="".join(text).encode(), check=True, capture_output=True, env=_ENV, cwd="/", **identity
    )  # fmt: skip


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Until the server answers a session, at most ninety seconds."""
    import pymysql

    ends_at = time.monotonic() + 90
    while time.monotonic() < ends_at and server.poll() is None:
        with contextlib.suppress(pymysql.err.OperationalError):
            pymysql.connect(host="127.0.0.1", port=port, user="root").close()
            return
        time.sleep(0.05)
    raise AssertionError("MariaDB did not start")
