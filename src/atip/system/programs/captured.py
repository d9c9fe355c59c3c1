"""A program of ours that answers (the entry that a client would start): argv in, a short answer out.

Not confined, so nothing that a project or a document says may name it. Bounded in time and bytes; never through a shell.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from atip.errors import ExecutionError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ProgramOutput(Value):
    """Exit code and output of a program."""

    exit_code: int
    stdout: bytes


def capture(
    argv: Sequence[str],
    *,
    timeout_s: float,
    max_bytes: int,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> ProgramOutput:
    """Run a program and take what it prints.

    Args:
        stdin: what it is given to read; then its input ends.

    Raises:
        ExecutionError: `process.not-started`, `process.timeout`, `process.too-much-output`.
    """
    if not argv:
        raise ExecutionError("process.not-started", "the command line is empty")
    try:
        process = subprocess.run(
            list(argv),
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=timeout_s,
            env=None if env is None else dict(env),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ExecutionError("process.timeout", f"`{argv[0]}` timed out") from error
    except OSError as error:
        raise ExecutionError(
            "process.not-started", f"`{argv[0]}` could not be started: {error.strerror}"
        ) from error
    if len(process.stdout) > max_bytes:
        raise ExecutionError("process.too-much-output", f"`{argv[0]}` printed more than the limit")
    return ProgramOutput(exit_code=process.returncode, stdout=process.stdout)
