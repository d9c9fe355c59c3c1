"""Looking through project files in a repository of 10,000 files: how long `explain` of a line that leads to others takes."""

from __future__ import annotations

import pathlib
import statistics
import tempfile
import time

from atip.toolbox import Toolbox
from benchmarks.measure import figure

FILES, ROUNDS, BAR_MS = 10_000, 15, 20.0
PROJECT = {
    "package.json": '{"scripts": {"test": "npm run build && vitest run", "build": "tsc -p ."}}',
    "Makefile": ".PHONY: all\nall: build\n\tcc -o a a.c\nbuild:\n\tmkdir -p out\n",
    "justfile": "all: build\n    echo all\nbuild:\n    cargo build\n",
    "Taskfile.yml": "version: '3'\ntasks:\n  all:\n    cmds:\n      - go build ./...\n",
    "tox.ini": "[testenv]\ncommands =\n    pytest\n",
    "noxfile.py": "import nox\n@nox.session\ndef tests(session):\n    session.run('pytest')\n",
    "pyproject.toml": "[tool.poe.tasks]\nall = 'pytest -q'\n",
    "x.sh": "#!/bin/sh\nmake all\nnpm test\n",
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "[core]\n\tbare = false\n[alias]\n\tst = status --short\n",
}
LINES = ("npm test", "make all", "just all", "task all", "tox", "nox -s tests", "poe all", "./x.sh", "git st", "git status")  # fmt: skip


def main() -> bool:
    good = True
    with tempfile.TemporaryDirectory() as home:
        work = pathlib.Path(home, "work")
        for name, text in PROJECT.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(text)
        (work / "x.sh").chmod(0o755)
        for number in range(FILES):
            path = work / f"src/{number % 100}/f{number}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x = 1\n")
        for line in LINES:
            box = Toolbox(home=home, cwd=str(work))
            box.explain(line, cwd=str(work))
            took = []
            for _ in range(ROUNDS):
                start = time.process_time()
                Toolbox(home=home, cwd=str(work)).explain(line, cwd=str(work))
                took.append((time.process_time() - start) * 1000)
            half = statistics.median(took)
            name = f"explain `{line}` in {FILES:,} files"
            good &= figure(name, half, BAR_MS, unit="ms CPU")
    return good


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
