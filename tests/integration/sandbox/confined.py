"""Run a program confined and collect what it said, for tests."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

from atip.model.permissions.confinement import Confinement, Limits
from atip.sandbox.bubblewrap import launchers
from atip.sandbox.run import Outcome, RunRequest, run_confined
from atip.sandbox.verified import seal

PYTHON = "/usr/bin/python3"
TEN_SECONDS = Limits(wall_s=10)


@pytest.fixture(params=["perl", "python"])
def every_launcher(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The test runs once with each of our programs inside; where there is no Perl, with one."""
    if request.param == "python":
        monkeypatch.setattr(launchers, "find_perl", lambda: None)
    elif launchers.find_perl() is None:
        pytest.skip("needs Perl")
    return str(request.param)


class CommandOutput:
    """An Outcome with its output."""

    def __init__(self, outcome: Outcome, out: bytes, err: bytes) -> None:
        self.outcome = outcome
        self.code = outcome.exit_code
        self.out = out.decode("utf-8", "replace")
        self.err = err.decode("utf-8", "replace")

    def __repr__(self) -> str:
        return f"{self.outcome} out={self.out!r} err={self.err!r}"


def go(
    confinement: Confinement,
    program: str,
    *arguments: str,
    cwd: pathlib.Path | None = None,
    stdin: bytes = b"",
    caller_env: dict[str, str] | None = None,
    resolve: Callable[[str, int], list[str]] | None = None,
    backend: str = "bubblewrap",
) -> CommandOutput:
    """Seal, run and close; a limit of ten seconds unless one is given."""
    if confinement.limits.wall_s is None:
        confinement = confinement.replace(limits=confinement.limits.replace(wall_s=10))
    kept: dict[str, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
    binary = seal(program)
    try:
        outcome = run_confined(
            confinement,
            RunRequest(
                argv=(program, *arguments),
                binary=binary,
                cwd=str(cwd) if cwd else None,
                stdin=stdin,
                caller_env=caller_env or {},
                resolve=resolve,
            ),
            lambda name, data: kept[name].extend(data),
            backend=backend,
        )
    finally:
        binary.close()
    return CommandOutput(outcome, bytes(kept["stdout"]), bytes(kept["stderr"]))


def python(confinement: Confinement, code: str, **options: object) -> CommandOutput:
    """Run Python code confined."""
    return go(confinement, PYTHON, "-I", "-c", code, **options)  # type: ignore[arg-type]


def attempt(*lines: str) -> str:
    """Code that tries each line and prints `done` or the error's name for it."""
    parts = ["import os,sys,socket,subprocess,ctypes,signal,fcntl,time,resource"]
    for line in lines:
        parts.append("try:")
        parts += ["    " + step for step in line.split("; ")]
        parts.append("    print('done', flush=True)")
        parts.append(
            "except BaseException as e: print(type(e).__name__, getattr(e,'errno',''), flush=True)"
        )
    return "\n".join(parts)
