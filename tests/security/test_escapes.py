"""Attempts to get out of a confined run that no other file makes; each must fail, and its twin must work.

Kernel interfaces are only opened, never written: a test that succeeds must do no harm. The list of all attempts and
where each is made stands in `conformance/threats.toml`.
"""

from __future__ import annotations

import fcntl
import os
import pathlib
import socket
import subprocess
import sys

import pytest

from atip.model.permissions.confinement import Confinement, Limits
from atip.policy.confinement.guarding import guard
from atip.sandbox.kernel import syscalls as kernel
from atip.sandbox.network.proxy import EgressPolicy
from atip.sandbox.probes.probe import ProbeSandbox
from atip.sandbox.run import RunRequest, run_confined
from atip.sandbox.verified import seal
from tests.integration.sandbox.confined import PYTHON, attempt, every_launcher, go, python
from tests.integration.sandbox.unprivileged import environment, system_python

pytestmark = [pytest.mark.sandbox, pytest.mark.usefixtures("every_launcher")]
__all__ = ["every_launcher"]

CALLS = {
    "io_uring_setup": (425, 8, 0),
    "ptrace": (101, 0, 0),
    "bpf": (321, 0, 0),
    "keyctl": (250, 0, 0),
    "unshare": (272, 0x10000000),
    "setns": (308, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "open_tree": (428, -100, b"/", 1),
    "perf_event_open": (298, 0, 0, -1, -1, 0),
    "userfaultfd": (323, 0),
    "open_by_handle_at": (304, -100, 0, 0),
}
"""On x86_64: calls that must be refused before the kernel looks at their arguments."""


def status_of(text: str) -> dict[str, str]:
    return {
        line.split(":")[0]: line.split(":")[1].strip() for line in text.splitlines() if ":" in line
    }


@pytest.mark.parametrize("grants", [{}, {"exec_allow": True, "exec_spawn": ("cat",)}], ids=str)
def test_the_program_has_no_privilege_and_can_get_none(grants) -> None:
    result = go(Confinement(**grants), "/bin/cat", "/proc/self/status")
    found = status_of(result.out)
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert int(found[name], 16) == 0, name
    assert found["NoNewPrivs"] == "1"
    assert found["Seccomp"] == "2"
    assert found["Uid"].split() == ["65534"] * 4
    if os.geteuid() == 0:
        assert int(found["CapBnd"], 16) == 0


def test_a_probe_has_no_privilege_and_can_get_none() -> None:
    with ProbeSandbox() as box:
        found = status_of(box.run(["/bin/cat", "/proc/self/status"]).stdout.decode())
    assert [int(found[name], 16) for name in ("CapPrm", "CapEff", "CapAmb")] == [0, 0, 0]
    assert (found["NoNewPrivs"], found["Seccomp"]) == ("1", "2")
    assert found["Uid"].split() == ["65534"] * 4


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86_64")
@pytest.mark.parametrize("name", CALLS)
def test_calls_that_reach_past_the_namespaces_are_refused(name: str) -> None:
    code = f"import ctypes; l=ctypes.CDLL(None, use_errno=True); r=l.syscall(*{CALLS[name]!r}); print(r, ctypes.get_errno())"
    assert python(Confinement(), code).out in ("-1 1\n", "-1 38\n")
    with ProbeSandbox() as box:
        assert box.run([PYTHON, "-I", "-S", "-c", code]).stdout in (b"-1 1\n", b"-1 38\n")


def test_asyncio_threads_and_pairs_of_sockets_still_work() -> None:
    code = (
        "import asyncio, socket, threading\n"
        "a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'\n"
        "t = threading.Thread(target=a.close); t.start(); t.join()\n"
        "async def main():\n"
        "    loop = asyncio.get_running_loop()\n"
        "    return await loop.run_in_executor(None, lambda: 'woken')\n"
        "print(asyncio.run(main()))\n"
    )
    assert python(Confinement(), code).out == "woken\n"


def test_no_unix_socket_and_no_datagram_gets_out(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "sock"
    with socket.socket(socket.AF_UNIX) as named, socket.socket(type=socket.SOCK_DGRAM) as udp:
        named.bind(str(path))
        named.listen()
        named.setblocking(False)
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        port = udp.getsockname()[1]
        tries = [
            f"s=socket.socket(socket.AF_UNIX); s.connect({str(path)!r})",
            f"a,b=socket.socketpair(); a.connect({str(path)!r})",
            f"socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port})); raise OSError",
            f"socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', ('::1', {port})); raise OSError",
        ]
        # The directory is writable: the path of the socket can be seen, and still nobody gets in.
        result = python(Confinement(fs_write=(f"{tmp_path}/**",)), attempt(*tries))
        assert result.out.count("\n") == len(tries) and "done" not in result.out, result
        for sock in (named, udp):
            with pytest.raises(BlockingIOError):
                sock.accept() if sock is named else sock.recv(1)


def test_a_program_made_in_memory_or_copied_does_not_start(tmp_path: pathlib.Path) -> None:
    loader = os.path.realpath("/lib64/ld-linux-x86-64.so.2")
    tries = [
        "f=os.memfd_create('x'); os.write(f, open('/bin/true','rb').read()); os.execve(f, ['true'], {})",
        f"import shutil; shutil.copy('/bin/true', '{tmp_path}/c'); os.chmod('{tmp_path}/c', 0o755); os.execv('{tmp_path}/c', ['c'])",
        f"os.execv('{loader}', ['ld', '{tmp_path}/c'])",
        "f=os.open('/bin/true', os.O_RDONLY); os.execve(f, ['true'], {})",
    ]
    for grants in ({}, {"exec_allow": True, "exec_spawn": ("cat",)}):
        confinement = Confinement(fs_write=(f"{tmp_path}/**",), **grants)
        for one in tries:
            result = python(confinement, attempt(one))
            # Started, it would end with 0 and say nothing.
            assert (result.out or result.code) and "done" not in result.out, (one, result)


def test_terminal_of_the_caller_is_out_of_reach() -> None:
    """With a controlling terminal of its own, a host starts a run that looks for it."""
    inner = attempt(
        "os.open('/dev/tty', os.O_RDWR)", "os.ttyname(0)", "fcntl.ioctl(0, 0x5412, b'x')"
    )
    code = (
        "import os, pty, sys\n"
        "pid, master = pty.fork()\n"
        "if pid == 0:\n"
        "    from tests.integration.sandbox.confined import python\n"
        "    from atip.model.permissions.confinement import Confinement\n"
        "    open(sys.argv[1], 'w').write(python(Confinement(), sys.argv[2]).out)\n"
        "    os._exit(0)\n"
        "os.waitpid(pid, 0)\n"
    )
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        subprocess.run([sys.executable, "-c", code, str(out), inner], check=True, timeout=60)
        said = out.read_text()
    assert said.count("\n") == 3 and "done" not in said, said


def test_scratch_space_ends_and_leaves_nothing(tmp_path: pathlib.Path) -> None:
    before = set(os.listdir("/tmp")) | set(os.listdir("/dev/shm"))
    tries = [
        f"f=open('{place}/fill', 'wb'); [f.write(bytes(1 << 20)) for _ in range(64)]; f.flush()"
        for place in ("/tmp", "/dev/shm", os.path.expanduser("~"))
    ]
    result = python(Confinement(limits=Limits(file_bytes=4 << 20, wall_s=20)), attempt(*tries))
    assert result.out.count("\n") == 3 and "done" not in result.out, result
    assert "fill" not in (set(os.listdir("/tmp")) | set(os.listdir("/dev/shm"))) - before


def test_limits_cannot_be_raised_again() -> None:
    tries = [
        f"resource.setrlimit(resource.{name}, (-1, -1))"
        for name in ("RLIMIT_NPROC", "RLIMIT_FSIZE", "RLIMIT_DATA", "RLIMIT_CPU")
    ]
    limits = Limits(cpu_s=9, processes=9, file_bytes=1 << 20, memory_bytes=1 << 28, wall_s=10)
    result = python(Confinement(limits=limits), attempt(*tries))
    assert result.out.count("\n") == 4 and "done" not in result.out, result


def test_sealed_bytes_cannot_be_written_by_anyone() -> None:
    binary = seal("/bin/true")
    try:
        wanted = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
        assert fcntl.fcntl(binary.descriptor, fcntl.F_GET_SEALS) == wanted
        for change in (
            lambda: os.write(binary.descriptor, b"x"),
            lambda: os.ftruncate(binary.descriptor, 0),
            lambda: os.close(os.open(f"/proc/self/fd/{binary.descriptor}", os.O_WRONLY)),
        ):
            with pytest.raises(OSError):
                change()
                os.write(os.open(f"/proc/self/fd/{binary.descriptor}", os.O_RDWR), b"x")
    finally:
        binary.close()


def test_the_users_own_settings_are_never_granted_away(tmp_path: pathlib.Path, monkeypatch) -> None:
    """Row 32: a tool that may write the whole home still cannot change policy, approvals or the audit."""
    home = tmp_path / "home"
    config = home / ".config/agent-tools"
    config.mkdir(parents=True)
    (config / "policy.json").write_text("{}")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    asked = Confinement(fs_write=(f"{home}/**",))
    confinement = guard(asked, home=str(home), own=(str(config),), explicit=asked.fs_write)
    tries = [
        f"open('{config}/policy.json', 'w').write('x')",
        f"open('{config}/approvals.json', 'w').write('x')",
        f"os.rename('{home}/.config', '{home}/c'); os.makedirs('{config}')",
    ]
    result = python(confinement, attempt(*tries, f"open('{home}/mine', 'w').write('x')"))
    assert result.out.split("\n")[3] == "done" and result.out.count("done") == 1, result
    assert (config / "policy.json").read_text() == "{}"
    assert not (config / "approvals.json").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="already unprivileged")
def test_escapes_fail_for_an_unprivileged_caller_too() -> None:
    code = (
        "from tests.integration.sandbox.confined import attempt, python\n"
        "from atip.model.permissions.confinement import Confinement\n"
        "tries = ['os.open(\"/proc/sys/kernel/hostname\", os.O_WRONLY)',\n"
        "  'os.open(\"/etc/shadow\", os.O_RDONLY)', 'os.setuid(0)', 'os.fork()',\n"
        "  'socket.socket(socket.AF_UNIX)', 'socket.create_connection((\"127.0.0.1\", 22), 1)']\n"
        "print(python(Confinement(), attempt(*tries)).out)\n"
    )
    env = environment()
    env["PYTHONPATH"] = str(pathlib.Path(__file__).parents[2]) + os.pathsep + env["PYTHONPATH"]
    ran = subprocess.run(
        [*system_python(), "-c", code], env=env, capture_output=True, text=True, timeout=60
    )
    lines = ran.stdout.split("\n")
    assert len([line for line in lines if line]) == 6 and "done" not in ran.stdout, ran


def test_kernel_settings_are_mounted_read_only() -> None:
    """The uid alone would keep them safe; a kept privilege must not open them again."""
    code = "import os; print(bool(os.statvfs('/proc/sys').f_flag & os.ST_RDONLY))"
    assert python(Confinement(), code).out == "True\n"
    with ProbeSandbox() as box:
        assert box.run([PYTHON, "-I", "-S", "-c", code]).stdout == b"True\n"


@pytest.mark.skipif(kernel.landlock_abi() < 6, reason="needs Landlock ABI 6")
def test_programs_under_landlock_can_gain_no_rights() -> None:
    output = bytearray()
    binary = seal(PYTHON)
    code = "import ctypes; print(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))"  # PR_GET_NO_NEW_PRIVS
    try:
        run_confined(
            Confinement(),
            RunRequest(
                argv=(PYTHON, "-I", "-c", code),
                binary=binary,
                unsafe_accept=("process-tree", "file-names", "exec"),
            ),
            lambda _name, data: output.extend(data),
            backend="landlock",
        )
    finally:
        binary.close()
    assert bytes(output) == b"1\n"


def test_the_address_that_was_checked_is_the_one_connected_to() -> None:
    """A second look-up could answer otherwise (rebinding)."""
    answers = iter((["93.184.215.14"], ["127.0.0.1"]))
    policy = EgressPolicy(Confinement(egress=("ok.test",)), lambda _host, _port: next(answers))
    assert policy.decide(b"CONNECT ok.test:443 HTTP/1.1") == ("93.184.215.14", 443, "")


def test_the_limit_on_output_is_counted_for_each_stream() -> None:
    result = python(Confinement(limits=Limits(output_bytes=100, wall_s=10)), "print('x' * 5000)")
    assert (result.outcome.output_truncated, len(result.out)) == (True, 100)


def test_probes_have_sessions_of_their_own_and_so_has_what_holds_them() -> None:
    """Whoever shares the caller's session can open the caller's terminal."""
    code = (
        "import os; words=open('/proc/1/stat').read().rpartition(')')[2].split();"
        "print(words[3] != '0', os.getsid(0) == os.getpid())"
    )
    assert python(Confinement(), code).out == "True True\n"
    with ProbeSandbox() as box:
        assert box.run([PYTHON, "-I", "-S", "-c", code]).stdout == b"True True\n"
