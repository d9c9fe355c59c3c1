"""The zoo harness: runs hostile animals as conformance/zoo/README.md describes, and looks for harm.

Used by the tests and by `benchmarks/adapters/zoo.py`. Each animal gets a fresh directory, a fresh
listener and a fresh sandbox, so that whatever is found afterwards is its doing.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from atip.cli.output import clean
from atip.discovery.sources.native import judge_answer
from atip.errors import AtipError
from atip.execution.audit.chain import Audit
from atip.execution.runner import Judgment, ProgramCall, Runner
from atip.model.effects import Effects
from atip.model.permissions.confinement import Confinement, Limits
from atip.model.text.regex import compile_regex
from atip.policy.decision import Decision
from atip.sandbox.probes.probe import ProbeSandbox
from atip.sandbox.probes.protocol import MAX_STRETCH
from atip.sandbox.probes.worker import ProbeResult

SECRET_ENV = "ZOO_TOKEN_SECRET"
LIMIT_S = 2.0
MEMORY_KIB = 64 * 1024
RUN_LIMIT_S = 5.0
PROBE_PHASES = ("probe", "help", "version")


@dataclass
class Report:
    """What went wrong with one animal; nothing is right."""

    name: str
    wrong: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    output: bytes = b""
    notes: str = ""


class Listener:
    """TCP, UDP, path and abstract unix sockets that nobody must ever reach."""

    def __init__(self, path: pathlib.Path) -> None:
        tcp = socket.socket()
        tcp.bind(("127.0.0.1", 0))
        self.port: int = tcp.getsockname()[1]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", self.port))
        named = socket.socket(socket.AF_UNIX)
        named.bind(str(path))
        os.chmod(path, 0o777)
        abstract = socket.socket(socket.AF_UNIX)
        try:
            abstract.bind("\0zoo-sock")
        except OSError:  # another harness has it
            abstract.bind(f"\0zoo-sock-{os.getpid()}")
        self._sockets = {"tcp": tcp, "udp": udp, "unix": named, "abstract": abstract}
        for sock in self._sockets.values():
            sock.setblocking(False)
            if sock is not udp:
                sock.listen()

    def visits(self) -> list[str]:
        seen = []
        for name, sock in self._sockets.items():
            with contextlib.suppress(BlockingIOError):
                if name == "udp":
                    sock.recvfrom(100)
                else:
                    sock.accept()[0].close()
                seen.append(name)
        return seen

    def close(self) -> None:
        for sock in self._sockets.values():
            sock.close()


def animals(folder: pathlib.Path, phase: str = "") -> list[dict[str, object]]:
    """The animals of a folder, of one phase or all."""
    listed = json.loads((folder / "zoo.json").read_text())["animals"]
    return [animal for animal in listed if phase in ("", animal["phase"])]


@contextlib.contextmanager
def cage(
    folder: pathlib.Path, animal: dict[str, object]
) -> Iterator[tuple[pathlib.Path, Listener]]:
    """A fresh ZOO_DIR with its listener."""
    with tempfile.TemporaryDirectory(prefix="zoo-") as name:
        root = pathlib.Path(name)
        for part in ("home/.ssh", "work", "tmp", "bin"):
            (root / part).mkdir(parents=True)
        (root / "home/keep.txt").write_text("keep\n")
        (root / "home/.ssh/id_zoo").write_text("ZOO-SECRET-KEY\n")
        (root / "outside.txt").write_text("original\n")
        shutil.copy2(folder / str(animal["file"]), root / "bin")
        os.chmod(root, 0o755)
        listener = Listener(root / "sock")
        os.environ[SECRET_ENV] = "ZOO-SECRET-TOKEN"
        try:
            yield root, listener
        finally:
            listener.close()
            del os.environ[SECRET_ENV]


def settings(root: pathlib.Path, port: int) -> dict[str, str]:
    """The variables that make the animals try."""
    return {
        "ZOO_DIR": str(root),
        "ZOO_WORK": str(root / "work"),
        "ZOO_PORT": str(port),
        "ZOO_MAX_MB": "32",
        "ZOO_FORKS": "20",
        "ZOO_HANG_S": "30",
    }


def run_probe_animal(folder: pathlib.Path, animal: dict[str, object]) -> Report:
    """One animal of the phases `probe`, `help` and `version`, in its own sandbox."""
    report = Report(str(animal["name"]))
    with cage(folder, animal) as (root, listener):
        before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        program = root / "bin" / str(animal["file"])
        began = time.monotonic()
        with ProbeSandbox(visible=[str(root / "bin")]) as box:
            result = box.run(
                [str(program), *animal["argv"]],  # type: ignore[misc]
                env_set=settings(root, listener.port),
            )
        took = time.monotonic() - began
        # Waiting for a processor does not count, within bounds.
        if result.cpu_s > LIMIT_S + 1 or took > LIMIT_S * MAX_STRETCH + 1:
            report.wrong.append(f"took {took:.1f} s, {result.cpu_s:.1f} s of processor")
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib > MEMORY_KIB:
            report.leaks.append("the prober's memory grew")
        report.output = result.stdout
        judge(report, animal, result)
        look_for_leaks(report, animal, root, listener, result.stdout + result.stderr)
    return report


def judge(report: Report, animal: dict[str, object], result: ProbeResult) -> None:
    """Whether the answer was accepted or refused as the animal's description says."""
    expected = str(animal["expected"])
    began = time.monotonic()
    accepted = _accepted(animal, result)
    if time.monotonic() - began > 0.5:
        report.wrong.append("the decision took too long")
    if (animal.get("accept") or expected.startswith("accept:")) and not accepted:
        report.wrong.append("refused")
    if expected.startswith(("reject:", "reject quietly:")) and accepted:
        report.wrong.append("accepted")


def _accepted(animal: dict[str, object], result: ProbeResult) -> bool:
    if animal["phase"] == "version":
        for pattern in (r"(\d+)+$", r"version ((\d|\d\d)+)$"):
            compile_regex(pattern).search(result.stdout.decode("utf-8", "replace"))
        return result.ok
    if animal["phase"] == "help":
        return result.ok
    try:
        judge_answer(str(animal["file"]), result)
    except AtipError:
        return False
    return True


def look_for_leaks(
    report: Report,
    animal: dict[str, object],
    root: pathlib.Path,
    listener: Listener,
    output: bytes,
    *,
    processes: Callable[[str], list[str]] | None = None,
) -> None:
    """The animal's own leak check, then what none may ever do."""
    time.sleep(float(animal.get("wait_s", 0)))  # type: ignore[arg-type]
    check: dict[str, object] = animal["leak_check"]  # type: ignore[assignment]
    for name in check.get("must_not_exist", ()):  # type: ignore[attr-defined]
        if (root / name).exists():
            report.leaks.append(f"{name} exists")
    for name in check.get("must_exist", ()):  # type: ignore[attr-defined]
        if not (root / name).exists():
            report.leaks.append(f"{name} is gone")
    for name, content in check.get("must_equal", {}).items():  # type: ignore[attr-defined]
        if (root / name).read_text() != content:
            report.leaks.append(f"{name} changed")
    for secret in ("ZOO-SECRET-KEY", "ZOO-SECRET-TOKEN"):
        if secret.encode() in output:
            report.leaks.append(f"{secret} in the output")
    for secret in check.get("must_not_output", ()):  # type: ignore[attr-defined]
        if secret.encode() in output:
            report.leaks.append(f"{secret} in the output")
    shown = clean(output.decode("utf-8", "replace"))
    for mark in check.get("must_not_render", ()):  # type: ignore[attr-defined]
        if mark.encode().decode("unicode_escape") in shown:
            report.leaks.append(f"{mark} reaches the terminal")
    report.leaks += [f"connected by {kind}" for kind in listener.visits()]
    report.leaks += [f"process left: {line}" for line in (processes or processes_of)(str(root))]


def processes_of(mark: str) -> list[str]:
    """Processes with `mark` in their environment or command line, this one excepted."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) == os.getpid():
            continue
        for name in ("cmdline", "environ"):
            with contextlib.suppress(OSError):
                if mark.encode() in pathlib.Path(f"/proc/{pid}/{name}").read_bytes():
                    found.append(f"{pid} ({name})")
    return found


def run_confined_animal(folder: pathlib.Path, animal: dict[str, object]) -> Report:
    """One animal of the phase `run`, through the runner: the policy of its note, else read-only and alone."""
    report = Report(str(animal["name"]))
    with cage(folder, animal) as (root, listener), tempfile.TemporaryDirectory() as records:
        (root / "work/.git/hooks").mkdir(parents=True)
        (root / "work/secret").write_text("ZOO-SECRET-FILE\n")
        if "link $ZOO_WORK/link" in str(animal.get("note")):
            os.link(root / "work/secret", root / "work/link")
        audit = Audit(records)
        before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.monotonic()
        try:
            result = _runner(animal, root, listener, audit).run(_call(animal, root))
            report.notes = f"exit {result.exit_code}"
            report.output = (result.stdout + result.stderr).encode()
        except AtipError as error:
            report.notes = error.code  # refused before the start: nothing can have happened
        if time.monotonic() - began > RUN_LIMIT_S + 1:
            report.wrong.append(f"took {time.monotonic() - began:.1f} s")
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib > MEMORY_KIB:
            report.leaks.append("the runner's memory grew")
        checked = audit.verify()
        if checked.broken or checked.unfinished or not checked.records:
            report.wrong.append("the audit does not tell of the run")
        look_for_leaks(report, animal, root, listener, report.output)
    return report


def _runner(
    animal: dict[str, object], root: pathlib.Path, listener: Listener, audit: Audit
) -> Runner:
    limits = Limits(wall_s=RUN_LIMIT_S, file_bytes=8 << 20, memory_bytes=512 << 20, processes=64)
    confinement = policy_of(str(animal.get("note") or ""), root).replace(
        env_set=tuple(settings(root, listener.port).items()), limits=limits
    )
    judgment = Judgment(
        decision=Decision(outcome="allow"),
        effects=Effects(destructive=False),
        confinement=confinement,
        audit=True,
    )
    return Runner(lambda _call, _digest: judgment, audit=audit)


def _call(animal: dict[str, object], root: pathlib.Path) -> ProgramCall:
    program = str(root / "bin" / str(animal["file"]))
    return ProgramCall(
        argv=(program, *animal["argv"]),  # type: ignore[misc]
        program=program,
        cwd=str(root / "work"),
        env=dict(os.environ),
    )


def policy_of(note: str, root: pathlib.Path) -> Confinement:
    """`policy: write $ZOO_WORK/**, deny $ZOO_WORK/a, $ZOO_WORK/b; tty` as a Confinement."""
    lists: dict[str, list[str]] = {"read": [], "write": [], "deny": [], "link": []}
    verb = "read"
    for word in re.findall(r"\b(?:read|write|deny|link)\b|\$[^\s,;]+", note):
        if word in lists:
            verb = word
        else:
            path = word.replace("$ZOO_WORK", f"{root}/work").replace("$ZOO_DIR", str(root))
            lists[verb].append(path)
    for path in lists["write"]:
        pathlib.Path(path.removesuffix("/**")).mkdir(exist_ok=True)
    return Confinement(
        fs_read=tuple(lists["read"]),
        fs_write=tuple(lists["write"]),
        fs_deny=tuple(lists["deny"]),
        tty=bool(re.search(r"\btty\b", note)),
    )


def run_all(folder: pathlib.Path, phase: str = "", repeat: int = 1) -> Iterator[Report]:
    """Every animal of the folder, of one phase or all."""
    for _ in range(repeat):
        for animal in animals(folder, phase):
            if animal["phase"] in PROBE_PHASES:
                yield run_probe_animal(folder, animal)
            else:
                yield run_confined_animal(folder, animal)
