"""The four five-minute pages as a newcomer follows them: a clean environment with the wheel alone, a fresh home, one shell, every
command copied as it stands, every program saved under the name that the page gives it.

`pip install` of a page takes the wheels that were built here; what they depend on, and nothing else, is taken from the environment of the tests.
"""

from __future__ import annotations

import collections.abc
import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import typing

import pytest
from packaging.requirements import Requirement

from atip.discovery.files.safety import why_unsafe_directory
from tests.shared import ROOT
from tests.simulators.terminal import on_terminal

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(300)]
PAGES = {
    "agent-user": ROOT / "docs/start/agent-user.md",
    "agent-builder": ROOT / "docs/start/agent-builder.md",
    "cli-author": ROOT / "docs/formats/sdk.md",
    "security-team": ROOT / "docs/start/security-team.md",
}
PROGRAMS = "bash cat chmod cut env gcc git grep gzip head ls mkdir python3 rm sed setpriv sh sort ss tar timeout true uname wc bwrap"
ASKING = {"atip init": ("[y/N]", b"y\n")}
"""Commands that put a question to the person, and the answer."""


class Block(typing.NamedTuple):
    kind: str
    mark: str
    text: str


def blocks(page: pathlib.Path) -> list[Block]:
    found = re.findall(r"(?:<!-- ([^\n]*) -->\n)?```(\w*)\n(.*?)```", page.read_text(), re.S)
    return [Block(kind, mark, text) for mark, kind, text in found]


@pytest.fixture(scope="session")
def wheels(tmp_path_factory) -> pathlib.Path:
    """Both distributions, built from this checkout."""
    out = tmp_path_factory.mktemp("wheels")
    for project in (ROOT, ROOT / "packages" / "atip-sdk"):
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
        subprocess.run(build, cwd=project, check=True, capture_output=True)
    return out


def required(wheel: pathlib.Path) -> set[str]:
    """Everything that a wheel needs, without its extras."""
    (built,) = importlib.metadata.distributions(path=[str(wheel)])
    found: set[tuple[str, str]] = set()
    left = [(text, "") for text in built.requires or ()]
    while left:
        text, extra = left.pop()
        need = Requirement(text)
        if need.marker is not None and not need.marker.evaluate({"extra": extra}):
            continue
        for one in ("", *need.extras):
            if (need.name, one) not in found:
                found.add((need.name, one))
                left += [(each, one) for each in importlib.metadata.requires(need.name) or ()]
    return {name for name, _ in found}


def dependencies(root: pathlib.Path, wheels: pathlib.Path) -> pathlib.Path:
    """What `pip install atip-cli` brings with it, without this project: `pip` must not find it there."""
    folder = root / "dependencies"
    folder.mkdir()
    purelib = pathlib.Path(sysconfig.get_path("purelib"))
    (wheel,) = wheels.glob("atip_cli-*.whl")
    for name in sorted(required(wheel)):
        files = importlib.metadata.distribution(name).files or ()
        for top in {path.parts[0] for path in files} - {"..", "__pycache__"}:
            if not (folder / top).exists():
                (folder / top).symlink_to(purelib / top)
    return folder


class Newcomer:
    """One person at one shell."""

    def __init__(self, root: pathlib.Path, wheels: pathlib.Path) -> None:
        self.home = root / "home"
        for agent in (".claude", ".codex", ".gemini"):
            (self.home / agent).mkdir(parents=True)
        self.cwd = str(self.home)
        venv = root / "venv"
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        (site,) = venv.glob("lib/python*/site-packages")
        (site / "dependencies.pth").write_text(f"{dependencies(root, wheels)}\n")
        tools = root / "bin"
        tools.mkdir()
        for name in PROGRAMS.split():
            if place := shutil.which(name):
                (tools / name).symlink_to(os.path.realpath(place))
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{venv}/bin:{tools}",
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "NO_COLOR": "1",
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_FIND_LINKS": str(wheels),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }

    def types(self, command: str) -> tuple[int, str]:
        """Status and everything that was printed; the shell stays where the command leaves it."""
        wrapped = f'{command}\ncode=$?; pwd > "$HOME/.cwd"; exit $code'
        argv = ["/bin/bash", "-c", wrapped]
        if command in ASKING:
            ran = on_terminal(argv, columns=100, env=self.env, cwd=self.cwd, press_after=ASKING[command])  # fmt: skip
            code, printed = ran.code, "\n".join(ran.lines)
        else:
            done = subprocess.run(argv, capture_output=True, text=True, env=self.env, cwd=self.cwd, timeout=200)  # fmt: skip
            code, printed = done.returncode, done.stdout + done.stderr
        self.cwd = (self.home / ".cwd").read_text().strip()
        return code, printed

    def saves(self, name: str, text: str) -> None:
        pathlib.Path(self.cwd, name).write_text(text)


def commands(text: str) -> list[tuple[str, list[str]]]:
    """`$ ` lines with the output that the page shows below them."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((re.split(r"\s+# ", line[2:])[0].strip(), []))
        elif found:
            found[-1][1].append(line)
    return found


@pytest.fixture
def place() -> collections.abc.Iterator[pathlib.Path]:
    """A folder like a person's home: a scan skips what lies below a directory that everybody can write, such as `/tmp`."""
    safe = (one for one in (ROOT, pathlib.Path.home()) if why_unsafe_directory(str(one)) is None)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=".first-hour-", dir=next(safe)))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", PAGES)
def test_page_works_as_it_stands(name, wheels, place):
    person = Newcomer(place, wheels)
    ran = 0
    for block in blocks(PAGES[name]):
        if block.mark.startswith("program: "):
            person.saves(block.mark.removeprefix("program: "), block.text)
        elif block.mark.startswith("not run: ") or block.kind == "json":
            continue
        elif block.kind == "python":
            person.saves("loop.py", block.text)
            code, printed = person.types("python loop.py")
            assert code == 0, printed
        elif block.kind == "console":
            for command, expected in commands(block.text):
                code, printed = person.types(command)
                ran += 1
                if not expected:
                    assert code == 0, (command, printed)
                    continue
                pattern = "\n".join(".*".join(map(re.escape, one.split("…"))) for one in expected)
                assert re.fullmatch(pattern, printed.rstrip("\n"), re.S), (command, printed)
        else:
            raise AssertionError(
                f"{name}: a block of kind `{block.kind}` is neither run nor excused"
            )
    assert ran >= 4
