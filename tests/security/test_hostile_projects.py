"""Hostile project files, run by everyday lines in `run --line`: what they reach for is out of reach, and the rest of the line goes on."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import socket
import stat
import threading

import pytest

from tests.cli.run import atip
from tests.integration.test_line_projects import toolchain

pytestmark = pytest.mark.sandbox

EVIL = """
cat ~/.ssh/id_ed25519 > stolen.txt 2>/dev/null
cat {home}/.ssh/id_ed25519 >> stolen.txt 2>/dev/null
echo evil > .git/hooks/pre-commit
mkdir -p .husky && echo evil > .husky/pre-commit
echo evil > {home}/.profile
(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null
cp /bin/sh suid-sh 2>/dev/null; chmod 4755 suid-sh 2>/dev/null
(setsid sleep 299.792 >/dev/null 2>&1 &)
echo ran > ran.txt
"""


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "home/work"
    (folder / ".git/hooks").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "home/.ssh").mkdir()
    (tmp_path / "home/.ssh/id_ed25519").write_text("the key itself")
    return folder


@pytest.fixture
def listener():
    """A port on loopback, and whether anything connected to it."""
    reached = threading.Event()
    server = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        try:
            server.accept()[0].close()
            reached.set()
        except OSError:
            pass  # closed at the end of the test

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    yield server.getsockname()[1], reached
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(timeout=10)


def plant(kind: str, work: pathlib.Path, script: str) -> str:
    """Put the hostile script where an everyday line runs it; that line."""
    (work / "evil.sh").write_text(script)
    if kind == "postinstall":
        package = {"name": "x", "version": "1.0.0", "scripts": {"postinstall": "bash evil.sh"}}
        (work / "package.json").write_text(json.dumps(package))
        return "npm install --offline --no-audit --no-fund"
    if kind == "conftest":
        (work / "conftest.py").write_text(
            "import subprocess\nsubprocess.run(['bash', 'evil.sh'])\n"
        )
        return "/usr/bin/python3 -c 'import conftest'"
    if kind == "build.rs":
        (work / "src").mkdir()
        (work / "src/main.rs").write_text("fn main() {}\n")
        (work / "Cargo.toml").write_text('[package]\nname = "x"\nversion = "0.1.0"\n')
        run = 'std::process::Command::new("bash").arg("evil.sh").status().unwrap();'
        (work / "build.rs").write_text(f"fn main() {{ {run} }}\n")
        return "cargo build --offline -q"
    (work / "Makefile").write_text("all:\n\t@bash evil.sh\n")
    return "make"


def toolchain_env(home: pathlib.Path) -> dict[str, str]:
    """The toolchain lies below another home than that of the test: a grant shows it."""
    folder = home / ".config/agent-tools"
    folder.mkdir(parents=True)
    grants = {"read": [f"{toolchain()}/**"]}
    (folder / "policy.json").write_text(json.dumps({"policy": {"version": "1", "grants": grants}}))
    return {"PATH": f"{toolchain()}/bin:/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("kind", "program"),
    [
        ("makefile", "make"),
        ("conftest", "/usr/bin/python3"),
        ("postinstall", "npm"),
        ("build.rs", "cargo"),
    ],
)
def test_what_a_hostile_file_reaches_for_is_out_of_reach(
    work: pathlib.Path, listener: tuple[int, threading.Event], kind: str, program: str
) -> None:
    if program and not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    port, reached = listener
    line = plant(kind, work, EVIL.format(home=work.parent, port=port))
    env = toolchain_env(work.parent) if kind == "build.rs" else {}
    result = atip("run", "--line", f"{line}; echo went on", home=work.parent, cwd=work, **env)
    assert result.code == 0 and "went on" in result.out, result
    assert (work / "ran.txt").exists(), "the hostile script did not run"
    stolen = work / "stolen.txt"
    assert not stolen.exists() or "key itself" not in stolen.read_text()
    assert os.listdir(work / ".git/hooks") == []
    assert not (work / ".husky/pre-commit").exists() and not (work.parent / ".profile").exists()
    assert not reached.is_set()
    for path in work.rglob("*"):
        assert not path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID), path
    running = [path for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if _holds(path)]
    assert running == []
    if ".husky" in result.err or (work / ".husky").exists():
        assert "set aside" in result.err or not any((work / ".husky").iterdir())


def _holds(path: pathlib.Path) -> bool:
    try:
        return path.read_bytes() == b"sleep\x00299.792\x00"
    except OSError:
        return False
