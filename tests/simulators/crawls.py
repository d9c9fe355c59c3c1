"""Crawls of many small packages, killed or not, and the tree that they end with."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
import typing

from tests.cli.run import atip
from tests.simulators.package_files import DebianArchive, make_deb, script

if typing.TYPE_CHECKING:
    import random

EPOCH = {"SOURCE_DATE_EPOCH": "1790000000"}
WORDS = ("--accept-new", "--unsigned", "--out", "out", "--state", "state", "--json")


class ManyPackages:
    """An archive of `count` packages, and crawls of all of them in homes of their own."""

    def __init__(self, folder: pathlib.Path, count: int) -> None:
        self._archive = DebianArchive(folder / "apt")
        names = [f"tool{number:03}" for number in range(count)]
        for name in names:
            self._archive.add(name, make_deb(name, {f"usr/bin/{name}": script(name)}))
        self.words = [*(f"apt:{name}" for name in names), *WORDS]
        self._folder = folder

    def home(self, name: str) -> pathlib.Path:
        made = self._folder / name
        made.mkdir(exist_ok=True)
        return made

    def crawl(self, home: pathlib.Path, *options: str, **env: str) -> dict:
        """One whole crawl; its report."""
        words = ("crawl", *self.words, *options)
        ran = atip(*words, home=home, **EPOCH, **self._archive.environment, **env)
        assert ran.code == 0, ran.err
        assert ran.document["deadLetters"] == [], ran.document["deadLetters"]
        return ran.document

    def start(self, home: pathlib.Path, *options: str) -> subprocess.Popen:
        """One crawl in a process of its own."""
        command = [sys.executable, "-m", "atip.cli.main", "crawl", *self.words, *options]
        env = {**os.environ, **EPOCH, **self._archive.environment, "HOME": str(home)}
        return subprocess.Popen(
            command, cwd=home, env=env, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )


def tree(home: pathlib.Path) -> dict[str, bytes]:
    """Every file of the unsigned registry."""
    files = [path for path in (home / "out").rglob("*.json") if path.is_file()]
    return {str(path.relative_to(home)): path.read_bytes() for path in files}


def results(home: pathlib.Path) -> int:
    """Packages that are done."""
    with contextlib.suppress(FileNotFoundError):  # temporary files come and go while we look
        return len(list((home / "state" / "depot" / "results").rglob("*.json")))
    return 0


def wait_for_results(home: pathlib.Path, process: subprocess.Popen, wanted: int) -> None:
    deadline = time.monotonic() + 120
    while process.poll() is None and results(home) < wanted and time.monotonic() < deadline:
        time.sleep(0.01)


def kill_at_random(
    packages: ManyPackages, home: pathlib.Path, times: int, chance: random.Random
) -> int:
    """Start a crawl and kill it with everything it started, again and again; how often it was still running."""
    killed = 0
    for _ in range(times):
        process = packages.start(home)
        wait_for_results(home, process, results(home) + chance.randrange(1, 8))
        time.sleep(chance.random() * 0.05)
        killed += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    return killed


def processes_of(home: pathlib.Path, text: str = "") -> list[int]:
    """Processes that run with this home and have a text in their command line."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            mine = f"HOME={home}\0".encode() in (path / "environ").read_bytes()
            if mine and text.encode() in (path / "cmdline").read_bytes():
                found.append(int(path.name))
    return found
