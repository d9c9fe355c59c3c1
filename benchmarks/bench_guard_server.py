"""`guard serve`: CPU of a hook that asks it over CPU of a bare interpreter, and how long the server takes for one request."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from atip.system import guard_socket
from benchmarks.bench_guard import cpu
from benchmarks.measure import cpu_of_command, figure, report

LINES = (
    *("git status", "ls -la | head", "cat README.md", "git log --oneline -5 && git diff --stat", "rm -rf build"),
    *("npm test", "grep -rn foo src | head", "curl -s https://x.example", "sed -n 1,20p a.py", "git push"),
)  # fmt: skip
WORDS = ("guard", "hook", "--for", "claude-code")
ROUNDS, REQUESTS = 41, 400
HOOK_BAR, HALF_MS, MOST_MS = 1.4, 5.0, 50.0


def main() -> bool:
    command = str(pathlib.Path(sys.executable).parent / "atip")
    with tempfile.TemporaryDirectory(prefix="rt") as folder:
        env = {**os.environ, "HOME": folder, "XDG_RUNTIME_DIR": folder}
        path = guard_socket.socket_path(env)
        server = subprocess.Popen([command, "guard", "serve"], env=env, stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(path):
                time.sleep(0.05)
            return all([measure_hook(command, env, folder), measure_server(path, folder)])
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


def request(line: str, cwd: str) -> bytes:
    asked = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": cwd, "tool_input": {"command": line}}  # fmt: skip
    return json.dumps(asked).encode()


def measure_hook(command: str, env: dict[str, str], cwd: str) -> bool:
    """Medians of pairs: the best of many scatters more than a start of Python costs."""
    ours, bare = [], []
    for at in range(ROUNDS):
        ours.append(cpu([command, *WORDS], env, request(LINES[at % len(LINES)], cwd)))
        bare.append(cpu_of_command([sys.executable, "-c", "pass"], env))
    found = statistics.median(mine / other for mine, other in zip(ours, bare, strict=True))
    told = (statistics.median(ours), statistics.median(bare), found)
    return report("hook with a server / bare python", told, HOOK_BAR)


def measure_server(path: str, cwd: str) -> bool:
    took = []
    for at in range(REQUESTS):
        message = guard_socket._message(WORDS, request(LINES[at % len(LINES)], cwd))
        start = time.perf_counter()
        assert guard_socket._exchange(path, message) is not None
        took.append((time.perf_counter() - start) * 1000)
        time.sleep(0.005)  # lines come one after the other
    took.sort()
    half, most = took[len(took) // 2], took[len(took) * 99 // 100]
    good = figure("guard serve, one line, p50", half, HALF_MS, unit="ms")
    return figure("guard serve, one line, p99", most, MOST_MS, unit="ms") and good


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
