"""No run leaves a set-user-ID file on the host: whoever the caller is, and whatever call would set the bit."""

from __future__ import annotations

import os
import pathlib
import socket
import stat
import subprocess

import pytest

from atip.model.permissions.confinement import Confinement
from atip.sandbox.kernel import syscalls as kernel
from tests.integration.sandbox.confined import attempt, every_launcher, go, python
from tests.integration.sandbox.unprivileged import UID, environment, system_python

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("every_launcher")]
__all__ = ["every_launcher"]

ATTEMPTS = (
    "os.chmod('a', 0o4755)",
    "os.chmod('a', 0o2755)",
    "f = os.open('a', os.O_RDWR); os.fchmod(f, 0o6755)",
    "os.umask(0); os.close(os.open('b', os.O_CREAT | os.O_WRONLY, 0o4755))",
    "os.mknod('c', 0o4755 | 0o100000)",
    "f = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o4755)",
    "os.chmod('.', 0o2755)",
)
BY_NUMBER = {
    "chmod": "90, b'a', 0o4755",
    "fchmodat": "268, -100, b'a', 0o4755",
    "fchmodat2": "452, -100, b'a', 0o4755, 0",
    "open": "2, b'd', os.O_CREAT | os.O_WRONLY, 0o4755",
    "creat": "85, b'e', 0o4755",
    "mknod": "133, b'f', 0o104755, 0",
    "mknodat": "259, -100, b'g', 0o104755, 0",
    "openat2": "437, -100, b'h', __import__('struct').pack('QQQ', 0o101, 0o4755, 0), 24",
    "high bits": "90, b'a', (1 << 32) | 0o4755",
}
"""On x86_64, as a program without a C library would call them."""


def special(folder: pathlib.Path) -> list[str]:
    return [
        str(path)
        for path in (folder, *folder.rglob("*"))
        if path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID)
    ]


def syscalls() -> list[str]:
    if os.uname().machine != "x86_64":
        return []
    return [
        f"assert ctypes.CDLL(None).syscall({words}) >= 0, {name!r}"
        for name, words in BY_NUMBER.items()
    ]


def test_no_call_sets_a_special_bit(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").write_text("x")
    tries = [*ATTEMPTS, *syscalls()]
    grants = Confinement(fs_write=(f"{tmp_path}/**",), exec_allow=True, exec_spawn=("*",))
    result = python(grants, attempt("os.umask(0)", *tries), cwd=tmp_path)
    assert result.out.split() and result.out.count("done") == 1, result
    assert special(tmp_path) == []


def test_ordinary_modes_still_work(tmp_path: pathlib.Path) -> None:
    script = "echo x > a && chmod 755 a && mkdir d && chmod 1777 d && install -m 700 a b && cp -p a c && mkfifo f"
    grants = Confinement(fs_write=(f"{tmp_path}/**",), exec_allow=True, exec_spawn=("*",))
    result = go(grants, "/bin/sh", "-c", script, cwd=tmp_path)
    assert result.code == 0, result
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "d").stat().st_mode) == 0o1777


@pytest.mark.skipif(os.geteuid() != 0, reason="already unprivileged")
def test_no_special_bit_survives_for_an_unprivileged_caller(tmp_path: pathlib.Path) -> None:
    work = pathlib.Path("/tmp") / f"atip-bits-{os.getpid()}"
    work.mkdir(exist_ok=True)
    os.chown(work, UID, UID)
    code = (
        "import pathlib\n"
        "from tests.integration.sandbox.confined import attempt, python\n"
        "from tests.security.test_special_bits import ATTEMPTS, syscalls\n"
        "from atip.model.permissions.confinement import Confinement\n"
        f"work = pathlib.Path({str(work)!r}); (work / 'a').write_text('x')\n"
        "grants = Confinement(fs_write=(f'{work}/**',))\n"
        "print(python(grants, attempt('os.umask(0)', *ATTEMPTS, *syscalls()), cwd=work).out)\n"
    )
    env = environment()
    env["PYTHONPATH"] = str(pathlib.Path(__file__).parents[2]) + os.pathsep + env["PYTHONPATH"]
    try:
        ran = subprocess.run(
            [*system_python(), "-c", code], env=env, capture_output=True, text=True, timeout=60
        )
        assert ran.stdout.count("done") == 1, ran
        assert special(work) == []
    finally:
        for path in work.iterdir():
            path.unlink()
        work.rmdir()


@pytest.mark.skipif(kernel.landlock_abi() < 6, reason="needs Landlock ABI 6")
def test_nor_under_landlock(tmp_path: pathlib.Path) -> None:
    from atip.sandbox.run import RunRequest, run_confined
    from atip.sandbox.verified import seal

    (tmp_path / "a").write_text("x")
    output = bytearray()
    binary = seal("/bin/chmod")
    try:
        run_confined(
            Confinement(fs_write=(f"{tmp_path}/**",)),
            RunRequest(
                argv=("chmod", "4755", str(tmp_path / "a")),
                binary=binary,
                unsafe_accept=("process-tree", "file-names", "exec"),
            ),
            lambda _name, data: output.extend(data),
            backend="landlock",
        )
    finally:
        binary.close()
    assert b"not permitted" in output and special(tmp_path) == []


def test_a_pair_of_datagram_sockets_reaches_no_named_socket(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as named:
        named.bind(str(path))
        named.setblocking(False)
        os.chmod(path, 0o777)
        kinds = ("SOCK_DGRAM", "SOCK_RAW", "SOCK_STREAM", "SOCK_SEQPACKET")
        tries = [
            f"a,b=socket.socketpair(socket.AF_UNIX, socket.{kind}); a.sendto(b'x', {str(path)!r})"
            for kind in kinds
        ]
        tries += [
            "n=ctypes.CDLL(None).socketpair(1, 2 | (1 << 31), 0, (ctypes.c_int * 2)()); assert n == 0"
        ]
        result = python(Confinement(fs_write=(f"{tmp_path}/**",)), attempt(*tries))
        assert result.out.count("\n") == len(tries), result
        with pytest.raises(BlockingIOError):
            named.recv(1)
        assert result.out.split("\n")[0].startswith("OSError"), result
