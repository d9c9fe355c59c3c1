"""A folder for the time of one task, private and gone afterwards. The only user of `tempfile`'s folders."""

from __future__ import annotations

import contextlib
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def scratch_folder() -> Iterator[str]:
    """A new empty folder that only this user may enter."""
    with tempfile.TemporaryDirectory(prefix="atip-") as folder:
        yield folder


def lasting_folder(above: str, name: str) -> str:
    """A new empty folder below `above` that only this user may enter, for the life of this process, a worker or not.

    What processes left there that were killed is removed first.
    """
    import multiprocessing.util
    import os
    import shutil

    os.makedirs(above, mode=0o700, exist_ok=True)
    for old in os.listdir(above):
        parts = old.split("-")
        if parts[0] == name and parts[1:2] and parts[1].isdigit() and not _lives(int(parts[1])):
            shutil.rmtree(os.path.join(above, old), ignore_errors=True)
    folder = tempfile.mkdtemp(prefix=f"{name}-{os.getpid()}-", dir=above)
    # `atexit` is not run in workers of a pool.
    multiprocessing.util.Finalize(
        None, shutil.rmtree, args=(folder,), kwargs={"ignore_errors": True}, exitpriority=1
    )
    return folder


def _lives(pid: int) -> bool:
    import os

    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
