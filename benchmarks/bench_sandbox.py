"""What probes and confined runs cost, against the plainest way to do the same, side by side.

    python benchmarks/bench_sandbox.py [ROUNDS] [PROBES]

CPU seconds (user + system, children included) of `subprocess.run(capture_output, timeout)` and of
`ProbeSandbox.run`, start and end of the sandbox included, in alternating rounds; the ratio printed
is that of the best. Goal: at most 1.3 with 100 probes per sandbox.

Then single runs of `/usr/bin/true`. The Landlock backend against the same spawn (goal: 1.25). The full backend against
`bwrap` alone with the same mounts (our made-up files, sealed bytes, limits, filters are extra): `helpers` may start other
programs, `writes` has a folder and limits too, `list` may start three programs (goal: 1.5 each); `alone` may start nothing
else (one-shot exec), `network` has a proxy and so the launcher in Python (goal: at most 40 ms of CPU more). What outlives
its parent is waited for and counted. These ratios are medians over pairs of neighboring rounds.
"""

from __future__ import annotations

import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile

from atip.model.permissions.confinement import ANY_PROGRAM, Confinement, Limits
from atip.sandbox.bubblewrap import plan as bubblewrap_plan
from atip.sandbox.probes.probe import ProbeSandbox
from atip.sandbox.run import RunRequest, run_confined
from atip.sandbox.verified import VerifiedBinary, seal
from benchmarks.measure import figure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAMS = (
    ("/usr/bin/true",),
    ("/usr/bin/git", "--version"),
    ("/bin/bash", "-c", "echo hi"),
    ("/usr/bin/python3", "-I", "-S", "-c", "print(1)"),
)
GOAL = 1.3
RUN_MS = 40.0
RUN_GOAL = 1.5
NEED_LAUNCHER = ("alone", "network")
"""What only code inside can do: one-shot exec, sockets for the proxy."""
LANDLOCK_GOAL = 1.25
TRUE = "/usr/bin/true"
WEAKER = ("process-tree", "file-names", "exec")


def cpu_s() -> float:
    """User and system time of this process and of all children it has waited for."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime


def plain(argv: tuple[str, ...], probes: int) -> float:
    """CPU of the unconfined baseline."""
    before = cpu_s()
    for _ in range(probes):
        subprocess.run(argv, capture_output=True, timeout=2)
    return cpu_s() - before


def confined(argv: tuple[str, ...], probes: int) -> float:
    """CPU of the same spawns in one shared sandbox."""
    before = cpu_s()
    with ProbeSandbox() as box:
        for _ in range(probes):
            box.run(argv)
    return cpu_s() - before


def reap() -> None:
    """Wait for what outlived its parent: the first process of a plain `bwrap` does."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        return


def bare_bwrap(
    confinement: Confinement, cwd: str | None, binary: VerifiedBinary, runs: int
) -> float:
    """CPU of bubblewrap alone with the mounts of a run."""
    plan = bubblewrap_plan.plan(confinement, RunRequest(argv=(TRUE,), binary=binary, cwd=cwd))
    mounts = bubblewrap_plan.arguments_of(plan, 0)
    at = mounts.index("--ro-bind-data")
    mounts[at - 2 : at + 3] = ["--ro-bind", TRUE, TRUE]
    command = ["bwrap", "--unshare-all", *mounts, "--", TRUE]
    before = cpu_s()
    for _ in range(runs):
        subprocess.run(command, capture_output=True, timeout=5, check=True)
        reap()
    return cpu_s() - before


def backend(
    name: str, confinement: Confinement, cwd: str | None, binary: VerifiedBinary, runs: int
) -> float:
    """CPU of runs with one of our backends."""
    before = cpu_s()
    for _ in range(runs):
        outcome = run_confined(
            confinement,
            RunRequest(argv=(TRUE,), binary=binary, cwd=cwd, unsafe_accept=WEAKER),
            lambda _name, _data: None,
            backend=name,
        )
        assert outcome.exit_code == 0
        reap()
    return cpu_s() - before


def kinds_of_run(folder: str) -> dict[str, tuple[Confinement, str | None]]:
    """Confinements to measure, and where each run works."""
    helpers = Confinement(exec_allow=True, exec_spawn=(ANY_PROGRAM,))
    limits = Limits(wall_s=10, cpu_s=10, processes=64, memory_bytes=1 << 30)
    writes = helpers.replace(fs_write=(f"{folder}/**",), limits=limits)
    return {
        "alone": (Confinement(), None),
        "helpers": (helpers, None),
        "writes": (writes, folder),
        "list": (writes.replace(exec_spawn=("git", "sed", "sort")), folder),
        "network": (Confinement(egress=("example.test",)), None),
    }


def in_turns(
    plainly: Callable[[], float], ours: Callable[[], float], rounds: int, runs: int
) -> tuple[float, float, float]:
    """Milliseconds of both, medians, and the median of the ratios of neighbors. What slows the machine down for a
    while then hits both sides, where the best of each may come from different moments."""
    pairs = [(plainly() / runs * 1e3, ours() / runs * 1e3) for _ in range(rounds)]
    ratio = statistics.median(pair[1] / pair[0] for pair in pairs)
    return *(statistics.median(side) for side in zip(*pairs, strict=True)), ratio


def bench_landlock(rounds: int, runs: int, binary: VerifiedBinary) -> bool:
    spawned, confined_ms, ratio = in_turns(
        lambda: plain((TRUE,), runs),
        lambda: backend("landlock", Confinement(), None, binary, runs),
        rounds,
        runs,
    )
    detail = f"{confined_ms:.2f} ms / {spawned:.2f} ms"
    return figure("run under Landlock / bare spawn", ratio, LANDLOCK_GOAL, unit="×", detail=detail)


def bench_runs(rounds: int, runs: int, binary: VerifiedBinary) -> bool:
    """The full backend; every kind of run against its own mounts."""
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name, (confinement, cwd) in kinds_of_run(os.path.realpath(folder)).items():
            given = (confinement, cwd, binary, runs)
            bare, ours, ratio = in_turns(
                lambda given=given: bare_bwrap(*given),
                lambda given=given: backend("bubblewrap", *given),
                rounds,
                runs,
            )
            more = ours - bare
            detail = f"{ours:.2f} ms / {bare:.2f} ms"
            if name in NEED_LAUNCHER:
                title = f"confined run, {name}: more than plain bwrap"
                good &= figure(title, more, RUN_MS, unit="ms CPU", detail=detail)
            else:
                title = f"confined run, {name} / plain bwrap"
                good &= figure(title, ratio, RUN_GOAL, unit="×", detail=detail)
    return good


def main(arguments: list[str] | None = None) -> bool:
    arguments = arguments or []
    rounds = int(arguments[0]) if arguments else 5
    probes = int(arguments[1]) if len(arguments) > 1 else 100
    worst = 0.0
    for argv in PROGRAMS:
        pairs = [(plain(argv, probes), confined(argv, probes)) for _ in range(rounds)]
        bare = min(pair[0] for pair in pairs) / probes * 1e3
        boxed = min(pair[1] for pair in pairs) / probes * 1e3
        worst = max(worst, boxed / bare)
        detail = f"{boxed:.2f} ms / {bare:.2f} ms"
        name = f"one probe of {probes}, {os.path.basename(argv[0])} / unconfined spawn"
        figure(name, boxed / bare, GOAL, unit="×", detail=detail)
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER, for `reap`
    binary = seal(TRUE)
    runs = max(4, probes // 10)
    good = [bench_landlock(rounds, runs, binary), bench_runs(rounds, runs, binary)]
    binary.close()
    return all(good) and worst <= GOAL


if __name__ == "__main__":
    sys.exit(not main(sys.argv[1:]))
