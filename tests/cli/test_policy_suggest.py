"""What the sandbox refused is named, the command that grants it is true, and repeated needs become a suggestion."""

from __future__ import annotations

import http.server
import json
import pathlib
import re
import shlex
import threading

import pytest

from tests.cli.run import Ran, atip
from tests.cli.test_guard_install import on_terminal

pytestmark = pytest.mark.sandbox


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "home/work"
    folder.mkdir(parents=True)
    # a line that only fetches is asked about: without the host it could only fail
    (folder / "fetch.sh").write_text('curl -sS --max-time 20 "$1"\n')
    return folder


@pytest.fixture
def server():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"there")

        def log_message(self, *_: object) -> None:
            pass

    found = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    yield found.server_address[1]
    found.shutdown()
    found.server_close()
    thread.join(timeout=10)


def line(work: pathlib.Path, text: str) -> Ran:
    return atip("run", "--line", text, home=work.parent, cwd=work)


def play(work: pathlib.Path, said: Ran) -> None:
    """Type the command that the message names."""
    (command,) = re.findall(r"`(atip policy allow [^`]*)` grants it", said.err)
    ran = on_terminal(work.parent, b"y\n", *shlex.split(command)[1:], cwd=work)
    assert ran.code == 0, ran


def test_a_port_on_loopback_is_named_granted_and_reached(work: pathlib.Path, server: int) -> None:
    fetch = f"sh fetch.sh http://localhost:{server}/"
    refused = line(work, fetch)
    assert refused.code and f"stopped `connect localhost:{server}`" in refused.err, refused
    play(work, refused)
    assert line(work, fetch).out == "there"


def test_a_folder_is_named_granted_and_written_and_the_workspace_stays_open(
    work: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    touch = f"touch {shelf}/made && touch here"
    refused = line(work, touch)
    assert f"stopped `write {shelf}/made`" in refused.err, refused
    play(work, refused)
    assert line(work, touch).code == 0
    assert (shelf / "made").exists() and (work / "here").exists()


def test_a_host_is_named_by_the_gate_and_granted(work: pathlib.Path) -> None:
    fetch = "sh fetch.sh https://packages.invalid/"
    refused = line(work, fetch)
    assert "stopped `connect packages.invalid:443`" in refused.err, refused
    play(work, refused)
    again = line(work, fetch)
    assert "stopped" not in again.err, "the gate lets it through; the name leads nowhere"
    policy = json.loads((work.parent / ".config/agent-tools/policy.json").read_text())
    assert policy["policy"]["grants"] == {"hosts": ["packages.invalid"]}


def test_a_line_that_stays_here_starts_without_a_gate(work: pathlib.Path) -> None:
    plan = atip("run", "--dry-run", "--json", "--line", "true", home=work.parent, cwd=work).document
    assert plan["confinement"]["network"]["egress"] == []
    assert "HTTPS_PROXY" not in line(work, "env").out


def test_repeated_needs_become_the_smallest_grant(work: pathlib.Path) -> None:
    fetch = "sh fetch.sh https://packages.invalid/"
    line(work, fetch)
    assert suggestions(work) == []
    line(work, fetch)
    line(work, "sh fetch.sh http://other.invalid:8080/")
    (found,) = suggestions(work)
    assert found["need"] == "connect packages.invalid:443" and found["runs"] == 2
    assert found["grant"] == {"grants": {"hosts": ["packages.invalid"]}}
    assert found["command"] == "atip policy allow --host packages.invalid"
    every = suggestions(work, "--least", "1")
    assert {each["grant"]["grants"]["hosts"][0] for each in every} == {"packages.invalid", "other.invalid:8080"}  # fmt: skip
    text = atip("policy", "suggest", home=work.parent, cwd=work).out
    assert "  atip policy allow --host packages.invalid\n" in text
    (work / "below").mkdir()
    assert atip("policy", "suggest", "--json", home=work.parent, cwd=work / "below").document == {"suggestions": []}  # fmt: skip
    words = shlex.split(found["command"])[1:]
    assert on_terminal(work.parent, b"y\n", *words, cwd=work).code == 0
    assert suggestions(work) == []


def suggestions(work: pathlib.Path, *words: str) -> list[dict]:
    found = atip("policy", "suggest", "--json", *words, home=work.parent, cwd=work)
    return found.document["suggestions"]


@pytest.mark.parametrize("words", (["--host", "a b"], ["--host", "http://x/"], ["--connect", "localhost"], ["--write", "/nowhere"], ["--write", "~"], ["--host", "x", "make"], []))  # fmt: skip
def test_what_is_no_grant_is_refused(work: pathlib.Path, words: list[str]) -> None:
    ran = on_terminal(work.parent, b"y\n", "policy", "allow", *words, cwd=work)
    assert ran.code != 0
    assert not (work.parent / ".config/agent-tools/policy.json").exists()


def test_an_agent_cannot_grant_itself_anything(work: pathlib.Path) -> None:
    request = json.dumps({"line": "atip policy allow --host x.invalid", "cwd": str(work)})
    said = atip("guard", home=work.parent, stdin=request).document
    assert said["decision"] == "deny"
    assert atip("policy", "allow", "--host", "x.invalid", home=work.parent, cwd=work).code != 0
