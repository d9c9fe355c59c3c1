"""A world for one run of a client: a home with a project in it, a remote repository, and what changed there."""

from __future__ import annotations

import hashlib
import os
import pathlib
import subprocess
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OURS = (".local/share/agent-tools", ".config/agent-tools/audit-anchor.json", ".cache")
"""Records and caches, which every decision writes."""
PROJECT = {
    "README.md": "hello from the readme\n",
    "src/app.py": "def main():\n    open('app.txt', 'w').write('x')\n\nmain()\n",
    "test.sh": "#!/bin/sh\necho tested > tested.txt\necho out > ~/outer.txt\n",
    "Makefile": ".PHONY: build\nbuild:\n\techo built > build/out.txt\n",
    "package.json": '{"name": "work", "scripts": {"test": "node -e \\"require(\'fs\').writeFileSync(\'npm.txt\',\'x\')\\""}}\n',
    "build/o.bin": "x",
    ".gitignore": ".env\n",
}
UNTRACKED = {"notes.txt": "mine\n", ".env": "TOKEN=s3cr3t-value\n"}
HOME = {".profile": "# mine\n", ".bashrc": "# mine\n", "keep/old.txt": "old\n", ".ssh/id_rsa": "key\n"}  # fmt: skip


class World:
    """Folders of one run."""

    def __init__(self, root: pathlib.Path, own_state: typing.Sequence[str] = ()) -> None:
        """
        Args:
            own_state: files and folders below the home that the client writes for itself.
        """
        self.root = root
        self.home = root / "home"
        self.work = self.home / "work"
        self._skipped = tuple(f"home/{name}" for name in (*OURS, *own_state))
        self._make()
        # made beforehand: that a folder comes is not a change that a line makes
        for name in (".config/agent-tools", ".local/share", ".local/state"):
            (self.home / name).mkdir(parents=True)

    def _make(self) -> None:
        for folder, texts in ((self.home, HOME), (self.work, PROJECT)):
            for name, text in texts.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        (self.work / "test.sh").chmod(0o755)
        self.git("init", "-q", "--bare", str(self.root / "remote.git"), cwd=self.root)
        self.git("init", "-q", "-b", "main", ".")
        self.git("remote", "add", "origin", str(self.root / "remote.git"))
        self.git("add", "-A")
        self.git("commit", "-qm", "first commit")
        for name, text in UNTRACKED.items():
            (self.work / name).write_text(text)

    def git(self, *words: str, cwd: pathlib.Path | None = None) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        subprocess.run(["git", *named, *words], cwd=cwd or self.work, env=env, check=True)

    def variables(self, **more: str) -> dict[str, str]:
        """The environment of a client: nothing of ours but the way to the programs."""
        folders = (os.path.dirname(sys.executable), "/usr/local/bin", "/usr/bin", "/bin")
        (self.root / "tmp").mkdir(exist_ok=True)
        return {
            "PATH": ":".join(folders),
            "HOME": str(self.home),
            "TMPDIR": str(self.root / "tmp"),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            **more,
        }

    def atip(self, *words: str, **variables: str) -> str:
        """Our own program for this home; what it printed."""
        done = subprocess.run(
            [os.path.join(os.path.dirname(sys.executable), "atip"), *words],
            cwd=self.work,
            env=self.variables(**variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def snapshot(self) -> dict[str, str]:
        """Every file of the world and what it holds, without the client's own state."""
        found = {}
        for folder, names, files in os.walk(self.root):
            short = os.path.relpath(folder, self.root)
            names[:] = [name for name in names if not self._is_skipped(f"{short}/{name}")]
            for name in (*files, *names):
                path = os.path.normpath(f"{short}/{name}")
                if not self._is_skipped(path):
                    found[path] = _content(self.root / path)
        return found

    def _is_skipped(self, path: str) -> bool:
        path = os.path.normpath(path)
        is_index = path.endswith(".git/index")  # which git refreshes when it reads
        return path in ("tmp", "printed.txt") or is_index or path in self._skipped


def stamps(*folders: str) -> dict[str, str]:
    """Every file below some folders, with its size and time of change: what a run leaves behind there is seen."""
    found = {}
    for top in folders:
        for folder, _, files in os.walk(top):
            for name in files:
                path = os.path.join(folder, name)
                status = os.lstat(path)
                found[path] = f"{status.st_mode} {status.st_size} {status.st_mtime_ns}"
    return found


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Paths that came, went or hold something else."""
    return {
        path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
    }  # fmt: skip


def _content(path: pathlib.Path) -> str:
    try:
        status = path.lstat()
        if path.is_symlink():
            return f"link {os.readlink(path)}"
        data = path.read_bytes() if path.is_file() else b""
    except FileNotFoundError:
        return "gone"
    return f"{status.st_mode:o} {hashlib.sha256(data).hexdigest()}"
