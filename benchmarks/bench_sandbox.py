"""What probes and confined runs cost, against the plainest way to do the same, side by side.

    python benchmarks/bench_sandbox.py [ROUNDS] [PROBES]

CPU seconds (user + system, children included) of `subprocess.run(capture_output, timeout)` and of
`ProbeSandbox.run`, start and end of the sandbox included, in alternating rounds; the ratio printed
is that of the best. Goal: at most 1.3 with 100 probes per sandbox.

Then single runs of `/usr/bin/true`: the full backend against `bwrap` alone with the same mounts (goal: at
most 40 ms of CPU more), and the Landlock backend against the same spawn (goal: 1.25).
"""

from __future__ import annotations

import resource
import subprocess
import sys

from atip.model.confinement import Confinement
from atip.sandbox import bubblewrap_plan
from atip.sandbox.probe import ProbeSandbox
from atip.sandbox.run import Request, run_confined
from atip.sandbox.verified import VerifiedBinary, seal

PROGRAMS = (
    ("/usr/bin/true",),
    ("/usr/bin/git", "--version"),
    ("/bin/bash", "-c", "echo hi"),
    ("/usr/bin/python3", "-I", "-S", "-c", "print(1)"),
)
GOAL = 1.3
RUN_MS = 40.0
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


def bare_bwrap(binary: VerifiedBinary, runs: int) -> float:
    """CPU of bubblewrap alone with the mounts of a run that is granted nothing."""
    plan = bubblewrap_plan.plan(Confinement(), Request(argv=(TRUE,), binary=binary))
    mounts = bubblewrap_plan.arguments_of(plan, 0)
    at = mounts.index("--ro-bind-data")
    mounts[at - 2 : at + 3] = ["--ro-bind", TRUE, TRUE]
    command = ["bwrap", "--unshare-all", "--as-pid-1", *mounts, "--", TRUE]
    before = cpu_s()
    for _ in range(runs):
        subprocess.run(command, capture_output=True, timeout=5)
    return cpu_s() - before


def backend(name: str, binary: VerifiedBinary, runs: int) -> float:
    """CPU of runs with one of our backends."""
    before = cpu_s()
    for _ in range(runs):
        run_confined(
            Confinement(),
            [TRUE],
            binary=binary,
            on_output=lambda _name, _data: None,
            backend=name,
            unsafe_accept=WEAKER,
        )
    return cpu_s() - before


def bench_runs(rounds: int, runs: int) -> bool:
    """Both backends; the things compared take turns."""
    binary = seal(TRUE)
    measures = {
        "spawn": lambda: plain((TRUE,), runs),
        "landlock": lambda: backend("landlock", binary, runs),
        "bwrap": lambda: bare_bwrap(binary, runs),
        "full": lambda: backend("bubblewrap", binary, runs),
    }
    taken: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            taken[name].append(measure() / runs * 1e3)
    binary.close()
    ms = {name: min(values) for name, values in taken.items()}
    ratio, ours = ms["landlock"] / ms["spawn"], ms["full"] - ms["bwrap"]
    print(f"landlock run {ms['landlock']:6.2f} ms  spawn {ms['spawn']:6.2f} ms  x{ratio:.2f}")
    print(f"full run     {ms['full']:6.2f} ms  bwrap {ms['bwrap']:6.2f} ms  +{ours:.1f} ms of ours")
    return ours <= RUN_MS and ratio <= LANDLOCK_GOAL


def main(arguments: list[str]) -> int:
    rounds = int(arguments[0]) if arguments else 5
    probes = int(arguments[1]) if len(arguments) > 1 else 100
    worst = 0.0
    for argv in PROGRAMS:
        pairs = [(plain(argv, probes), confined(argv, probes)) for _ in range(rounds)]
        bare = min(pair[0] for pair in pairs) / probes * 1e3
        boxed = min(pair[1] for pair in pairs) / probes * 1e3
        worst = max(worst, boxed / bare)
        print(f"{argv[0]:24} plain {bare:6.2f} ms  confined {boxed:6.2f} ms  x{boxed / bare:.2f}")
    print(f"worst ratio {worst:.2f} (goal {GOAL})")
    return 0 if bench_runs(rounds, max(10, probes // 4)) and worst <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
