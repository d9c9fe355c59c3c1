"""Keep the guard loaded: hooks query this server and answer in a fraction of the time.

Listens on a socket in the user's runtime directory that only this user can reach; runs until it is stopped. Each request is judged
with the environment and folder of its client, by the policy as it is then. A hook that gets no answer within three seconds,
or finds a socket that is not private, judges itself. After an upgrade of the program the server restarts with the same socket.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

JSON = False
EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": False,
    "subprocess": True,
}
EXAMPLES = ("atip guard serve",)
_SAMPLES = ("git status && ls -l | head", "cat README.md", "npm test", "make build", "rm -rf build", "curl -s localhost:8000")  # fmt: skip


_PROJECT = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "[core]\n\tbare = false\n",
    "package.json": '{"scripts": {"test": "node --test"}}',
    "Makefile": "build:\n\tcc -o a a.c\n",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.errors import UsageError
    from atip.system.guard_server import Server
    from atip.system.guard_socket import socket_path

    path = socket_path(os.environ)
    if not path:
        raise UsageError("guard.no-runtime-folder", "neither XDG_RUNTIME_DIR nor HOME is set", hint="set one of them: the guard's socket goes there")  # fmt: skip
    _load_everything()
    server = Server(path, _answer)
    ctx.note(f"the guard listens at {path}")
    server.serve()
    return 0


def _answer(words: list[str], request: bytes) -> bytes:
    """Output of `atip guard …`."""
    from atip.cli.parsing import load, read_options, resolve
    from atip.cli.verbs.guard.hook import judge

    path, rest = resolve(words)
    return judge(read_options(path, load(path), rest), request)


def _load_everything() -> None:
    """Judge some lines in a project of an empty home, so that children find all modules and knowledge loaded."""
    import os

    import atip.execution.audit.records
    import atip.sandbox.trial  # noqa: F401
    from atip.system.scratch import scratch_folder

    with scratch_folder() as home:
        for name, text in _PROJECT.items():
            path = os.path.join(home, "work", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        _judge_samples(home, os.path.join(home, "work"))


def _judge_samples(home: str | None = None, cwd: str = "/") -> None:
    from atip.model.reading.plain_json import dumps
    from atip.toolbox import Toolbox

    for line in _SAMPLES:
        Toolbox(home=home or "/nonexistent", cwd=cwd).explain(line, cwd=cwd)
    # an event that is not decided: the way through the protocol, without a record
    request = {"hook_event_name": "Other", "tool_name": "Bash", "cwd": cwd}
    _answer(["guard", "hook", "--for", "claude-code", "--record"], dumps(request).encode())
