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
