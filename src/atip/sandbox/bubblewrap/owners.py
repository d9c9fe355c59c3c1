"""Owners: a root caller's start; granted files of root are shown as the sandbox user's.

Mounts with mapped ids can only be made by root outside. They are made in a mount namespace of a thread of ours,
which then starts bubblewrap and ends: children inherit the mounts of their thread, which no other process sees.
No other process is needed for it, and the process around the thread keeps its own view.
"""

from __future__ import annotations

import _thread
import functools
import os

from atip.errors import SandboxError
from atip.sandbox.bubblewrap import namespaces as bubblewrap
from atip.sandbox.bubblewrap import outer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.sandbox.bubblewrap.plan import OuterOrder


def spawn_among(order: OuterOrder, start: Callable[[], int]) -> int:
    """Run `start` in a thread that sees the mounts of `order`, and return its process id.

    Raises:
        SandboxError: `sandbox.namespaces-unavailable` when a mount cannot be made; nothing runs then.
        OSError: when the start failed.
    """
    answers: list[int | OSError] = []
    answered = _thread.allocate_lock()
    namespace = mapped_namespace() if order.mounts else -1
    refused: list[OSError] = []

    def work() -> None:
        try:
            outer.prepare(order.overlays, order.mounts, namespace, order.layer)
        except OSError as error:
            refused.append(error)
        try:
            # SECURITY: no start without every mount; without any to make, the view was only to be shorter.
            answers.append(refused[0] if refused and order.mounts else start())
        except OSError as error:
            answers.append(error)
        finally:
            answered.release()

    answered.acquire()
    _thread.start_new_thread(work, ())
    answered.acquire()
    if not answers:
        raise SandboxError("sandbox.start", "the sandbox could not be started", hint="`atip doctor` shows which layer is missing")  # fmt: skip
    result = answers[0]
    if isinstance(result, int):
        return result
    if result in refused:
        raise SandboxError(
            "sandbox.namespaces-unavailable",
            f"granted files cannot be mounted with another owner: {result}",
            hint="kernel 5.12 or newer, and a file system that can map owners",
        ) from result
    raise result


def mapped_namespace() -> int:
    """Handle of a user namespace in which root's files belong to the sandbox user; only its mapping is used."""
    return _namespace_of(os.getpid())


@functools.cache
def _namespace_of(_process: int) -> int:
    return bubblewrap.make_user_namespace(f"0 {bubblewrap.UID} 1")
