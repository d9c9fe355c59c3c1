"""Journal: what must be undone for a run whose host was killed before it could do so.

One small file for each run, beside the user's records and out of every sandbox's reach, with a lock that ends with its process.
The next run that finds one without a holder undoes what that run left behind. Nothing is written durably: after a power
failure what matters is on the disk or it is not, like the files that it speaks of.
"""

from __future__ import annotations

import contextlib
import fcntl
import os

from atip.model.reading.plain_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.sandbox.protected.survey import Survey

_ENDING = ".run"
MAX_BYTES = 64_000_000


def begin(folder: str, survey: Survey) -> Callable[[], None]:
    """Write down what a run must leave as it is; call the result when that was seen to.

    Raises:
        OSError: it cannot be written.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, os.urandom(8).hex() + _ENDING)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(f"{path}.new", flags, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with open(os.dup(handle), "w", encoding="utf-8") as target:
        target.write(dumps(_encode(survey), ensure_ascii=True))
    os.rename(f"{path}.new", path)

    def end() -> None:
        with contextlib.suppress(OSError):
            os.unlink(path)
        os.close(handle)

    return end


def recover(folder: str) -> tuple[str, ...]:
    """Undo changes of runs that were killed; returns what was done."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(_ENDING)]
    except OSError:
        return ()  # nothing was ever written there
    messages: list[str] = []
    for name in names:
        messages += _finish(os.path.join(folder, name))
    return tuple(messages)


def _finish(path: str) -> tuple[str, ...]:
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ()
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        document = loads(os.read(handle, MAX_BYTES).decode())
        from atip.sandbox.protected.undo import undo_changes  # most runs find nothing to undo

        messages = undo_changes(_decode(document))
        os.unlink(path)
        return tuple(f"after an earlier run that was killed: {message}" for message in messages)
    except BlockingIOError:
        return ()  # that run goes on
    finally:
        os.close(handle)


def _encode(survey: Survey) -> dict[str, object]:
    rules = survey.rules
    return {
        "names": sorted(rules.names),
        "below": {folder: sorted(names) for folder, names in rules.below.items()},
        "sealed": rules.sealed,
        "parts": sorted(rules.parts),
        "roots": survey.roots,
        "kept": survey.protected,
        "links": survey.links,
        "repositories": {
            path: [
                repository.hooks,
                [(name, None if data is None else data.hex()) for name, data in repository.parts],
            ]
            for path, repository in survey.repositories.items()
        },
    }


def _decode(document: dict[str, object]) -> Survey:
    from atip.sandbox.protected.repository import Snapshot
    from atip.sandbox.protected.rules import ProtectionRules
    from atip.sandbox.protected.survey import Survey

    fields: dict[str, dict] = document  # type: ignore[assignment, type-arg]
    return Survey(
        rules=ProtectionRules(
            names=frozenset(fields["names"]),
            below={folder: frozenset(names) for folder, names in fields["below"].items()},
            sealed=bool(fields["sealed"]),
            parts=frozenset(fields["parts"]),
        ),
        roots=tuple(fields["roots"]),
        folders={},
        protected=tuple(fields["kept"]),
        links=fields["links"],
        repositories={
            path: Snapshot(
                hooks=hooks,
                parts=tuple(
                    (name, None if data is None else bytes.fromhex(data)) for name, data in parts
                ),
            )
            for path, (hooks, parts) in fields["repositories"].items()
        },
    )
