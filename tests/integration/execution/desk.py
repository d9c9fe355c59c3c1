"""A user's desk for tests: a home with a policy, a workspace in it, and somebody who says yes."""

from __future__ import annotations

import json
import os
import pathlib
import pty
import select
import subprocess
import sys
import time

from atip.execution.consent import Question
from atip.execution.output.result import Result
from atip.toolbox import Toolbox

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Desk:
    """One home, one workspace."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.home = folder / "home"
        self.work = self.home / "work"
        self.work.mkdir(parents=True)
        self.config = self.home / ".config/agent-tools"
        self.config.mkdir(parents=True)
        self.box = Toolbox(home=str(self.home))
        self.asked: list[Question] = []
        (self.home / "private.txt").write_text("nobody's business\n")

    def grant(self, **grants: object) -> None:
        self.policy(grants=grants)

    def policy(self, **parts: object) -> None:
        document = {"policy": {"version": "1", "preset": "cautious", **parts}}
        (self.config / "policy.json").write_text(json.dumps(document))

    def yes(self, question: Question) -> bool:
        self.asked.append(question)
        return True

    def run(self, *argv: str, **options: object) -> Result:
        options = {"timeout_s": 60, "ask": self.yes, **options}
        return self.box.run(argv, cwd=str(self.work), **options)

    def script(self, name: str, text: str) -> str:
        """An executable in the workspace that nobody knows."""
        path = self.work / name
        path.write_text(f"#!/bin/sh\n{text}")
        path.chmod(0o755)
        return str(path)

    def on_terminal(self, *words: str, answers: tuple[str, ...]) -> tuple[int, str]:
        """`atip …` with a terminal of its own, answered line by line; exit code and everything shown."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, *words],
            stdin=slave, stdout=slave, stderr=slave, cwd=self.work, start_new_session=True,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), "TERM": "dumb",
                 "PYTHONPATH": str(ROOT / "src")},
        )  # fmt: skip
        os.close(slave)
        shown = b""
        waiting = list(answers)
        deadline = time.monotonic() + 90
        try:
            while time.monotonic() < deadline:
                if not select.select([master], [], [], 1)[0]:
                    if process.poll() is not None:
                        break
                    continue
                try:
                    data = os.read(master, 4096)
                except OSError:
                    break
                shown += data
                if waiting and shown.rstrip().endswith((b"to cancel:", b"drop them:")):
                    os.write(master, waiting.pop(0).encode() + b"\n")
            return process.wait(30), shown.decode("utf-8", "replace").replace("\r\n", "\n")
        finally:
            process.kill()
            process.wait()
            os.close(master)


_TAKE_TERMINAL = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from atip.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
