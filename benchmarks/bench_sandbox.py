"""What a probe costs inside the shared sandbox, against an unconfined spawn, side by side.

    python benchmarks/bench_sandbox.py [ROUNDS] [PROBES]

CPU seconds (user + system, children included) of `subprocess.run(capture_output, timeout)` and of
`ProbeSandbox.run`, start and end of the sandbox included, in alternating rounds; the ratio printed
is that of the smallest totals. Goal: at most 1.3 with 100 probes per sandbox.
"""

from __future__ import annotations

import resource
import subprocess
import sys

from atip.sandbox.probe import ProbeSandbox

PROGRAMS = (
    ("/usr/bin/true",),
    ("/usr/bin/git", "--version"),
    ("/bin/bash", "-c", "echo hi"),
    ("/usr/bin/python3", "-I", "-S", "-c", "print(1)"),
)
GOAL = 1.3


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
    return 0 if worst <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
