"""The Landlock backend: what it enforces holds, what it cannot it names and refuses."""

from __future__ import annotations

import os
import pathlib

import pytest

from atip.errors import SandboxError
from atip.model.permissions.confinement import Confinement, Limits
from atip.sandbox.kernel import syscalls as kernel
from atip.sandbox.run import Outcome, RunRequest, run_confined
from atip.sandbox.verified import seal
from tests.integration.sandbox.confined import PYTHON, attempt

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(kernel.landlock_abi() < 6, reason="needs Landlock ABI 6"),
]
WEAKER = ("process-tree", "file-names", "exec")


def land(
    confinement: Confinement, code: str, accept: tuple[str, ...] = WEAKER
) -> tuple[Outcome, str]:
    output = bytearray()
    binary = seal(PYTHON)
    try:
        outcome = run_confined(
            confinement,
            RunRequest(argv=(PYTHON, "-I", "-c", code), binary=binary, unsafe_accept=accept),
            lambda _name, data: output.extend(data),
            backend="landlock",
        )
    finally:
        binary.close()
    return outcome, output.decode()


def test_weaker_points_are_refused_unless_each_is_accepted() -> None:
    with pytest.raises(SandboxError) as refused:
        land(Confinement(egress=("ok.test",)), "pass", accept=())
    assert refused.value.code == "sandbox.weaker"
    assert refused.value.details["missing"] == [*WEAKER, "egress"]
    with pytest.raises(SandboxError):
        land(Confinement(tty=True), "pass")


def test_files_are_an_allowlist_and_the_network_is_off(tmp_path: pathlib.Path) -> None:
    for name in ("read", "write", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(name)
    confinement = Confinement(
        fs_read=(f"{tmp_path}/read/**",),
        fs_write=(f"{tmp_path}/write/**",),
        limits=Limits(wall_s=10),
    )
    tries = [
        f"open('{tmp_path}/read/f').read()",
        f"open('{tmp_path}/write/g', 'w').write('x')",
        f"open('{tmp_path}/read/f', 'w')",
        f"open('{tmp_path}/other/f').read()",
        f"os.rename('{tmp_path}/write/f', '{tmp_path}/other/g')",
        "open('/etc/shadow').read()",
        "os.listdir('/root')",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "socket.create_connection(('127.0.0.1', 1), 1)",
        "socket.socket(socket.AF_UNIX)",
        "os.kill(os.getppid(), 0)",
        "assert ctypes.CDLL(None).unshare(0x10000000) == 0",
    ]
    outcome, said = land(confinement, attempt(*tries))
    lines = said.splitlines()
    assert lines[:2] == ["done", "done"] and "done" not in lines[2:], list(
        zip(tries, lines, strict=False)
    )
    assert len(lines) == len(tries)
    assert outcome.backend == "landlock" and "not enforced: exec" in outcome.notes


def test_caller_itself_stays_unrestricted_and_where_it_is(tmp_path: pathlib.Path) -> None:
    before = os.getcwd()
    assert land(Confinement(), "import os; print(os.getcwd())")[1] == "/\n"
    (tmp_path / "still").write_text("free")
    assert ((tmp_path / "still").read_text(), os.getcwd()) == ("free", before)


@pytest.mark.measured
def test_time_limit_and_denied_paths() -> None:
    outcome, _ = land(Confinement(limits=Limits(wall_s=0.3)), "import time; time.sleep(9)")
    assert outcome.timed_out and outcome.duration_s < 1.0


def test_deny_inside_a_grant_cannot_be_expressed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "secret").write_text("x")
    confinement = Confinement(fs_read=(f"{tmp_path}/**",), fs_deny=(f"{tmp_path}/secret",))
    with pytest.raises(SandboxError) as refused:
        land(confinement, "pass")
    assert refused.value.details["missing"] == ["deny"]
