"""Two more layers for `atip doctor`, tried and not guessed: previews on an overlay, traces by the kernel's notification."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from atip.errors import AtipError
from atip.model.permissions.confinement import Confinement, Limits
from atip.sandbox.preview import find_changes, stage_for
from atip.sandbox.run import RunRequest, start_confined
from atip.sandbox.tracing.trace import Tracer
from atip.sandbox.verified import seal

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCRIPT = "echo changed > file; echo new > other"


def try_preview() -> str:
    """Why previews do not work here; empty: a change was made, seen, and did not get through."""
    with tempfile.TemporaryDirectory(prefix="atip-doctor-") as base:
        work = os.path.join(os.path.realpath(base), "work")
        os.mkdir(work)
        with open(os.path.join(work, "file"), "w", encoding="ascii") as file:
            file.write("as it was")
        confinement = Confinement(fs_write=(f"{work}/**",), limits=Limits(wall_s=10))
        try:
            stage = stage_for(confinement, os.path.join(base, "stage"), home=base, workspace=work)
            try:
                _run(confinement, work, overlays=dict(stage.overlays))
                names = {change.name for change in find_changes(stage)}
            finally:
                stage.close()
        except (AtipError, OSError) as error:
            return str(error)
        with open(os.path.join(work, "file"), encoding="ascii") as file:
            untouched = file.read() == "as it was" and os.listdir(work) == ["file"]
        if not untouched:
            return "a change reached the real file"
        return "" if names == {"file", "other"} else "the change was not detected"


def try_trace() -> str:
    """Why traces do not work here; empty: a write of a traced program was seen."""
    with tempfile.TemporaryDirectory(prefix="atip-doctor-") as base:
        work = os.path.realpath(base)
        confinement = Confinement(fs_write=(f"{work}/**",), limits=Limits(wall_s=10))
        tracer = Tracer()
        try:
            _run(confinement, work, tracer=tracer)
        except (AtipError, OSError) as error:
            return str(error)
        tracer.end()
        seen = any(event.target == f"{work}/other" for event in tracer.events)
        return "" if seen else "a write was not detected"


def _run(
    confinement: Confinement,
    work: str,
    *,
    overlays: Mapping[str, str] | None = None,
    tracer: Tracer | None = None,
) -> None:
    binary = seal("/bin/sh")
    try:
        request = RunRequest(
            argv=("sh", "-c", _SCRIPT),
            binary=binary,
            cwd=work,
            caller_env={},
            overlays=overlays or {},
            tracer=tracer,
        )
        start_confined(confinement, request, lambda name, data: None).wait()
    finally:
        binary.close()
