"""What watching and previewing a run cost: `python benchmarks/bench_watching.py [ROUNDS]`.

Side by side in one process: a plain confined run, the same run traced (a program that opens a file 2,000 times), and a run
on a copy-on-write view of a folder with 2,000 files. Prints the best of the rounds.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time

from atip.model.permissions.confinement import Confinement, Limits
from atip.sandbox.preview import find_changes, stage_for
from atip.sandbox.run import RunRequest, start_confined
from atip.sandbox.tracing.trace import Tracer
from atip.sandbox.verified import seal
from benchmarks.measure import figure

OPENS = 2000
CODE = f"for _ in range({OPENS}): open('/etc/passwd').close()"


def run(
    argv: list[str],
    program: str,
    folder: str,
    *,
    overlays: dict[str, str] | None = None,
    tracer: Tracer | None = None,
) -> float:
    """Seconds of one confined run."""
    binary = seal(program)
    confinement = Confinement(fs_write=(f"{folder}/**",), limits=Limits(wall_s=120))
    request = RunRequest(
        argv=tuple(argv),
        binary=binary,
        cwd=folder,
        caller_env={"PATH": "/usr/bin"},
        overlays=overlays or {},
        tracer=tracer,
    )
    began = time.perf_counter()
    outcome = start_confined(confinement, request, lambda name, data: None).wait()
    took = time.perf_counter() - began
    binary.close()
    if outcome.exit_code != 0:
        raise SystemExit(f"it failed: {outcome}")
    return took


def preview(folder: str, cache: str) -> float:
    """Seconds of a previewed run and of looking at its changes."""
    confinement = Confinement(fs_write=(f"{folder}/**",))
    began = time.perf_counter()
    stage = stage_for(confinement, cache, home="/nowhere", workspace=folder)
    run(["touch", "new"], "/usr/bin/touch", folder, overlays=dict(stage.overlays))
    if [change.name for change in find_changes(stage)] != ["new"]:
        raise SystemExit("the change was not found")
    stage.close()
    return time.perf_counter() - began


def main(rounds: int = 5) -> bool:
    with tempfile.TemporaryDirectory() as base:
        folder = os.path.join(base, "work")
        os.mkdir(folder)
        python = ["python3", "-I", "-c", CODE]
        plain, traced, quick, previewed = [], [], [], []
        calls = 0
        for _ in range(rounds):
            plain.append(run(python, "/usr/bin/python3", folder))
            tracer = Tracer()
            traced.append(run(python, "/usr/bin/python3", folder, tracer=tracer))
            tracer.end()
            calls = tracer.calls
        for number in range(2000):
            with open(os.path.join(folder, f"file{number}"), "w") as file:
                file.write("x" * 1000)
        for _ in range(rounds):
            quick.append(run(["touch", "file1"], "/usr/bin/touch", folder))
            previewed.append(preview(folder, os.path.join(base, "cache")))
        per_call = (min(traced) - min(plain)) / calls * 1e6
        detail = (
            f"plain {min(plain) * 1e3:.0f} ms, traced {min(traced) * 1e3:.0f} ms, {calls} calls"
        )
        figure("one call reported by the tracer", per_call / 1e3, None, unit="ms", detail=detail)
        more = (min(previewed) - min(quick)) * 1e3
        figure("preview of a run in a folder of 2,000 files", more, None, unit="ms more")
    return True


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
