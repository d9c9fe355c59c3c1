"""A folder for the time of one task, private and gone afterwards. The only door to `tempfile`'s folders."""

from __future__ import annotations

import contextlib
import tempfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def scratch_folder() -> Iterator[str]:
    """A new empty folder that only this user may enter."""
    with tempfile.TemporaryDirectory(prefix="atip-") as folder:
        yield folder


def lasting_folder(name: str) -> str:
    """A new empty folder that only this user may enter, for the life of this process; gone when it ends in order."""
    import atexit
    import shutil

    folder = tempfile.mkdtemp(prefix=f"atip-{name}-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
