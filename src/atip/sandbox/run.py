"""Run one program under a Confinement: the public interface of this package for `execution`.

    binary = seal("/usr/bin/jq", expected=digest)
    request = RunRequest(argv=("jq", ".a"), binary=binary, stdin=data)
    outcome = run_confined(confinement, request, show)

Everything requested is enforced, or the run is refused before it starts (SandboxError). Output is
streamed and never kept here; a program's own exit status is an Outcome, not an error.
"""

from __future__ import annotations

import sys

from atip.errors import SandboxError
from atip.model.value import Value
from atip.sandbox.outcome import Outcome as Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.outcome import OnOutput as OnOutput
    from atip.sandbox.running import RunningProcess
    from atip.sandbox.tracing.trace import Tracer
    from atip.sandbox.verified import VerifiedBinary

BACKENDS = {
    "bubblewrap": "atip.sandbox.bubblewrap.backend",
    "landlock": "atip.sandbox.kernel.landlock",
}


class RunRequest(Value):
    """Everything about one run but the Confinement."""

    argv: tuple[str, ...]
    binary: VerifiedBinary
    cwd: str | None = None
    """Must be visible inside; None: the scratch home."""
    workspace: str | None = None
    """Folder in which `**/…` globs begin; None: `cwd`."""
    stdin: bytes = b""
    stdin_fd: int = -1
    """A descriptor to read from where `stdin` is empty; -1: there is no input. Never a terminal of the user."""
    caller_env: Mapping[str, str] = {}
    home: str = ""
    """Home folder that `~` stands for; empty: the caller's."""
    keyboard: int = -1
    """Input of the user for a run with a private terminal; -1: none. SECURITY: only read here, never passed in."""
    terminal_size: tuple[int, int] = (24, 80)
    resolve: Callable[[str, int], list[str]] | None = None
    """Name → addresses for the proxy; None: the host's resolver."""
    unsafe_accept: tuple[str, ...] = ()
    """Parts of the confinement that a weaker backend may leave unenforced; never from a manifest."""
    overlays: Mapping[str, str] = {}
    """Writable root → stage that takes its changes (`preview`); empty: changes are real."""
    journal: str = ""
    """Folder, out of every run's reach, that records what must be undone if we are killed; empty: no record."""
    layer: str = ""
    """Folder whose files are shown over those of `/usr`, read-only: a package that is laid out and not installed. Empty: none."""
    tracer: Tracer | None = None
    """Traces what the program touches; None: no trace."""


def start_confined(
    confinement: Confinement,
    request: RunRequest,
    on_output: OnOutput,
    *,
    backend: str = "bubblewrap",
) -> RunningProcess:
    """Start a run; `wait()` on the result gives the Outcome, `cancel()` ends it within a second.

    Raises:
        SandboxError: when anything requested cannot be enforced here; nothing was started.
        ExecutionError: `execution.not-started`.
    """
    if backend not in BACKENDS:
        raise SandboxError("sandbox.backend", f"unknown backend `{backend}`")
    if backend != "bubblewrap" and (
        request.overlays or request.tracer or request.layer or request.binary.root
    ):
        # SECURITY: without its own mounts a preview would be the real thing, and an image this host's system
        raise SandboxError(
            "sandbox.backend", f"`{backend}` can neither preview, trace nor show an image"
        )
    __import__(BACKENDS[backend])  # what `importlib` does, without importing `importlib`
    running: RunningProcess = sys.modules[BACKENDS[backend]].start(confinement, request, on_output)
    return running


def run_confined(
    confinement: Confinement,
    request: RunRequest,
    on_output: OnOutput,
    *,
    backend: str = "bubblewrap",
) -> Outcome:
    """Start a run and wait for it; see `start_confined`."""
    return start_confined(confinement, request, on_output, backend=backend).wait()
