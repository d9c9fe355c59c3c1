"""Package managers' own clients (`apt-get`, `pip`, `npm`): run as the user configured them, bounded. Not confined.

They are used for indexes and downloads only. Which hosts they talk to, through which proxy and with which keys, is
the business of their configuration; no address is known here.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from atip.errors import FetchError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class ClientAnswer(Value):
    """Output and exit code of a client."""

    exit_code: int
    stdout: bytes
    stderr: str


def ask_client(
    argv: Sequence[str],
    *,
    folder: str,
    timeout_s: float,
    second_try_s: float = 0.0,
    env_set: Mapping[str, str] | None = None,
) -> ClientAnswer:
    """Run a client in a folder of its own.

    `second_try_s` is for queries that change nothing: one that timed out is repeated once with this limit, because
    a slow answer says more about the mirror or the load of this machine than about the package. 0: no second try.

    Raises:
        FetchError: `crawl.no-client` when it is not installed, `crawl.client-timeout`.
    """
    try:
        process = subprocess.run(
            list(argv),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            env={**os.environ, "LC_ALL": "C.UTF-8", **(env_set or {})},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        if second_try_s:
            return ask_client(argv, folder=folder, timeout_s=second_try_s, env_set=env_set)
        raise FetchError("crawl.client-timeout", f"`{argv[0]}` timed out") from error
    except OSError as error:
        raise FetchError(
            "crawl.no-client",
            f"`{argv[0]}` could not be started: {error.strerror}",
            hint=f"install {os.path.basename(argv[0])}",
        ) from error
    return ClientAnswer(
        exit_code=process.returncode,
        stdout=process.stdout,
        stderr=process.stderr[-4000:].decode("utf-8", "replace"),
    )
