"""Every kind of effect is seen with its system call; the network leads to a stand-in and nowhere else."""

from __future__ import annotations

import pathlib
import socket
import threading

import pytest

from tests.cli.run import atip
from tests.integration.execution.desk import Desk

pytestmark = pytest.mark.sandbox

SCRIPT = """
echo x > made; echo y > a.txt; chmod 600 a.txt; mv made other; rm b.txt
cat .env; stty -echo < /dev/tty; FLAVOUR=mild /usr/bin/true; kill -9 1
mount -t tmpfs none /mnt
python3 -c 'import socket; socket.socket(socket.AF_UNIX)'
python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 8099)); s.listen()'
true
"""


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    found = Desk(tmp_path)
    for name in ("a.txt", "b.txt", ".env"):
        (found.work / name).write_text("TOKEN=1\n")
    return found


def observe(desk: Desk, script: str, **options: object):
    return desk.box.observe([desk.script("tool", script)], cwd=str(desk.work), **options)


def test_each_kind_of_effect_has_the_call_behind_it(desk: Desk) -> None:
    ran = observe(desk, SCRIPT)
    seen = ran.touched
    # told first, and refused all the same
    assert "Address family not supported" in ran.result.stderr
    assert "must be superuser" in ran.result.stderr or "permission denied" in ran.result.stderr
    found = {
        (each.effect, pathlib.PurePath(each.target).name or each.target): each.call
        for each in seen.effects
    }
    wanted = {
        ("create", "made"): ("open", "openat"),
        ("overwrite", "a.txt"): ("open", "openat"),
        ("permission", "a.txt"): ("chmod", "fchmodat", "fchmodat2"),
        ("rename", "other"): ("rename", "renameat", "renameat2"),
        ("delete", "b.txt"): ("unlink", "unlinkat"),
        ("secret", ".env"): ("open", "openat"),
        ("terminal", "tty"): ("open", "openat"),
        ("environment", "FLAVOUR"): ("execve",),
        ("signal", "9 to 1"): ("kill",),
        ("mount", "mnt"): ("mount",),
        ("socket", "unix stream"): ("socket",),
        ("listen", "127.0.0.1:8099"): ("bind",),
        ("start", "mount"): ("execve",),
    }
    for key, calls in wanted.items():
        assert found.get(key) in calls, (key, sorted(found))
    assert any(each.effect == "process" for each in seen.effects)
    assert (seen.signals, seen.mounts) == (("9 to 1",), ("/mnt",))


def test_names_lead_to_a_stand_in_that_writes_down_who_was_called(desk: Desk) -> None:
    script = (
        "curl -s -m 5 https://api.example.org/v1; curl -s -m 5 -d token=abc http://plain.example.org:8080/x\n"
        "curl -s -m 5 http://192.0.2.7:81/; curl -s -m 5 http://said.example.org/; true\n"
    )
    answers = {"said.example.org": b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"}
    found = observe(desk, script, answers=answers)
    contacts = {(contact.host, contact.port): contact for contact in found.contacts}
    assert set(contacts) == {
        ("api.example.org", 443), ("plain.example.org", 8080), ("192.0.2.7", 81), ("said.example.org", 80),
    }  # fmt: skip
    assert contacts["api.example.org", 443].tls == "api.example.org"
    assert contacts["plain.example.org", 8080].first.startswith(b"POST /x HTTP/1.1\r\n")
    assert contacts["said.example.org", 80].answered
    assert found.result.stdout == "hello"
    assert found.touched.lookups == ("api.example.org", "plain.example.org", "said.example.org")
    assert "api.example.org:443" in found.touched.refused
    assert found.effects.network is True


def test_no_connection_leaves_the_sandbox(desk: Desk) -> None:
    """A server of this machine, on every address, hears nothing."""
    heard: list[object] = []
    with socket.create_server(("0.0.0.0", 0)) as server:
        port = server.getsockname()[1]
        server.settimeout(0.2)
        own = socket.gethostbyname(socket.gethostname())

        def listen() -> None:
            while not done.is_set():
                try:
                    heard.append(server.accept())
                except TimeoutError:
                    continue

        done = threading.Event()
        thread = threading.Thread(target=listen)
        thread.start()
        found = observe(
            desk,
            "".join(
                f"curl -s -m 3 http://{each}:{port}/; " for each in ("127.0.0.1", "localhost", own)
            )
            + "true",
        )
        done.set()
        thread.join()
    assert found.result.exit_code == 0
    assert heard == []
    assert f"127.0.0.1:{port}" in found.touched.refused


def test_the_document_names_effects_and_network(desk: Desk) -> None:
    ran = atip("observe", "--json", "--", "curl", "-s", "-m", "5", "http://named.example.org/",
               home=desk.home, cwd=desk.work)  # fmt: skip
    assert ran.code == 0, ran.err
    [contact] = ran.document["network"]
    assert (contact["host"], contact["port"], contact["answered"]) == (
        "named.example.org",
        80,
        False,
    )
    assert contact["first"].startswith("GET / HTTP/1.1\\r\\n")
    calls = {(each["effect"], each["call"]) for each in ran.document["effects"]}
    assert ("connect", "connect") in calls
    plain = atip("observe", "--", "curl", "-s", "-m", "5", "http://named.example.org/",
                 home=desk.home, cwd=desk.work)  # fmt: skip
    assert "connected to named.example.org:80" in plain.out
