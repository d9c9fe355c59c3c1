"""Trial: whether the namespaces of a sandbox can be made here and now, in a few milliseconds; for a hook that must answer at once.

`layers` proves what each layer stops. This only proves that a sandbox can be built where we stand, which may be inside of another one.
"""

from __future__ import annotations

import os

from atip.errors import SandboxError
from atip.sandbox.bubblewrap import namespaces as bubblewrap
from atip.system.programs import processes

_WAIT_S = 5.0
_VIEW = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev")


def sandbox_problem() -> str:
    """Why no sandbox can be built; empty: one was built, and has ended."""
    try:
        started = bubblewrap.start(bubblewrap.NamespaceOrder(arguments=_VIEW, inner=("/bin/true",)))
    except SandboxError as error:
        return error.message
    except OSError as error:
        return f"the users of a sandbox cannot be mapped: {error.strerror}"
    code = processes.wait(started.pid, _WAIT_S)
    if code is None:
        bubblewrap.end(started)
        return "bubblewrap did not finish"
    os.close(started.inner)
    return "" if code == 0 else "bubblewrap could not mount what a sandbox needs"
