"""Our programs around a run, in both languages: the program starts in the same state, and nothing of ours stays open."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from atip.errors import ExecutionError
from atip.model.permissions.confinement import ANY_PROGRAM, Confinement, Limits
from atip.sandbox.bubblewrap import launchers
from atip.sandbox.bubblewrap import namespaces as bubblewrap
from tests.integration.sandbox.confined import PYTHON, attempt, every_launcher, go, python
from tests.integration.sandbox.unprivileged import ROOT, environment, system_python

pytestmark = pytest.mark.sandbox
__all__ = ["every_launcher"]

SPAWN = {"exec_allow": True, "exec_spawn": ("cat",)}
LIMITS = Limits(cpu_s=7, processes=30, file_bytes=1 << 20, memory_bytes=1 << 28, wall_s=10)

STATE = """
import json, os, resource
fields = ("Uid", "Gid", "Groups", "NoNewPrivs", "Seccomp", "Seccomp_filters", "SigBlk", "SigIgn", "SigCgt",
          "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
def status(pid):
    lines = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status") if ":" in line)
    return {name: lines[name].split() for name in fields}
def tried(path):
    try: return len(os.listdir(path)) if path.endswith("fd") else len(open(path, "rb").read(1))
    except OSError as error: return error.errno
umask = os.umask(0)
print(json.dumps({
    "self": status("self"),
    "first": {name: value for name, value in status(1).items() if not name.startswith(("Sig", "Seccomp_"))},
    "into first": [tried(f"/proc/1/{name}") for name in ("environ", "fd", "mem", "maps")],
    "open": [int(name) for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")],
    "limits": [resource.getrlimit(kind) for kind in range(15)],
    "oom": open("/proc/self/oom_score_adj").read(),
    "umask": umask, "session": os.getsid(0) == os.getpid(), "cwd": os.getcwd(), "env": dict(os.environ),
    "mounts": sorted(line.split()[4] + " " + line.split()[5] for line in open("/proc/self/mountinfo")),
}))
"""


def state_of(confinement: Confinement, cwd: pathlib.Path | None) -> dict[str, object]:
    result = go(confinement, PYTHON, "-I", "-S", "-c", STATE, cwd=cwd)
    assert result.code == 0, result
    state: dict[str, object] = json.loads(result.out)
    return state


@pytest.mark.skipif(launchers.find_perl() is None, reason="needs Perl")
@pytest.mark.parametrize(
    "grants", [{}, SPAWN, {"exec_allow": True, "exec_spawn": (ANY_PROGRAM,)}], ids=str
)
def test_both_launchers_start_a_program_in_the_same_state(grants, tmp_path, monkeypatch) -> None:
    (tmp_path / "work/private").mkdir(parents=True, mode=0o700)
    root = tmp_path / "work"
    confinement = Confinement(fs_write=(f"{root}/**",), limits=LIMITS, **grants)
    quick = state_of(confinement, root / "private")
    monkeypatch.setattr(launchers, "find_perl", lambda: None)
    assert quick == state_of(confinement, root / "private")


@pytest.mark.parametrize("grants", [{}, SPAWN], ids=str)
def test_nothing_of_ours_reaches_the_program(grants, every_launcher) -> None:
    state = state_of(Confinement(**grants), None)
    for who in ("self", "first"):
        found = state[who]
        assert [
            int(found[f"Cap{kind}"][0], 16) for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")
        ] == [0] * 5
        assert (found["Uid"], found["NoNewPrivs"], found["Seccomp"]) == (
            ["65534"] * 4,
            ["1"],
            ["2"],
        )
    assert state["self"]["SigBlk"] == ["0" * 16]
    # Python itself ignores SIGPIPE and SIGXFSZ once it runs; a caller may ignore the two of the C library.
    assert int(state["self"]["SigIgn"][0], 16) & ~(1 << 12 | 1 << 24 | 3 << 31) == 0
    assert state["open"] == [0, 1, 2]
    assert (state["umask"], state["session"], state["oom"]) == (0o022, True, "1000\n")
    assert state["into first"] == [13, 13, 13, 13]  # EACCES: it is not dumpable


@pytest.mark.parametrize("grants", [{}, SPAWN], ids=str)
def test_the_root_and_its_made_up_files_cannot_be_written(grants, every_launcher) -> None:
    confinement = Confinement(**grants)
    roots = [line for line in state_of(confinement, None)["mounts"] if line.startswith("/ ")]
    assert [line.split()[1].split(",")[0] for line in roots] == ["ro"], roots
    tries = ["os.mkdir('/new')", "os.mkdir('/etc/new')", "open('/etc/hosts', 'a')"]
    result = python(confinement, attempt(*tries))
    assert result.out.count("\n") == len(tries) and "done" not in result.out, result


def test_writable_places_start_nothing_but_the_program_itself(tmp_path, every_launcher) -> None:
    """The program lies in the folder that it may write, below a private one."""
    folder = tmp_path / "work/private"
    folder.mkdir(parents=True, mode=0o700)
    tool = folder / "tool"
    shutil.copy("/bin/bash", tool)
    shutil.copy("/bin/true", folder / "other")
    confinement = Confinement(
        fs_write=(f"{tmp_path}/work/**",), exec_allow=True, exec_spawn=("cp",)
    )
    script = f"""
        echo up
        {folder}/other && echo beside
        for place in {folder} /tmp /dev/shm ~; do
            cp {tool} $place/copy && $place/copy -c 'echo planted'
        done
        cp {tool} {tool}; {tool} -c 'echo again'
    """
    result = go(confinement, str(tool), "-c", script)
    assert result.out.split() == ["up", "again"], result


def test_what_may_only_be_read_can_be_started_where_programs_may(tmp_path, every_launcher) -> None:
    (tmp_path / "tools").mkdir()
    shutil.copy("/bin/true", tmp_path / "tools/own")
    grants = {"exec_allow": True, "exec_spawn": (ANY_PROGRAM,)}
    confinement = Confinement(fs_read=(f"{tmp_path}/tools/**",), **grants)
    result = go(confinement, "/bin/bash", "-c", f"{tmp_path}/tools/own && echo started")
    assert result.out == "started\n", result


@pytest.mark.skipif(os.geteuid() != 0, reason="makes a mount of its own")
def test_a_mount_inside_a_writable_folder_starts_nothing() -> None:
    """An unprivileged caller, whose folder has another file system in it. Mounted for that caller alone."""
    code = (
        "import sys; from tests.integration.sandbox.confined import go\n"
        "from atip.model.permissions.confinement import Confinement\n"
        "grants = {'exec_allow': True, 'exec_spawn': ('cp', 'bash'), 'fs_write': (sys.argv[1] + '/**',)}\n"
        "script = f'cp /bin/bash {sys.argv[1]}/disk/x && echo copied; {sys.argv[1]}/disk/x -c \"echo ran\"'\n"
        "print(go(Confinement(**grants), '/bin/bash', '-c', script).out)\n"
    )
    env = environment()
    env["PYTHONPATH"] = str(ROOT) + os.pathsep + env["PYTHONPATH"]
    mounted = 'mount -t tmpfs -o mode=777 none "$0/disk" && exec "$@"'
    with tempfile.TemporaryDirectory() as folder:  # not pytest's, which nobody else may enter
        os.mkdir(f"{folder}/disk")
        for name in (folder, f"{folder}/disk"):
            os.chmod(name, 0o777)
        command = ["unshare", "--mount", "sh", "-c", mounted, folder, *system_python()]
        ran = subprocess.run(
            [*command, "-c", code, folder], env=env, capture_output=True, text=True, timeout=60
        )
    assert ran.stdout.split() == ["copied"], ran


def test_no_capability_of_the_start_is_left_to_change_mounts(tmp_path, every_launcher) -> None:
    confinement = Confinement(
        fs_write=(f"{tmp_path}/**",), exec_allow=True, exec_spawn=("mount", "umount")
    )
    tries = [
        f"subprocess.run(['mount', '-o', 'remount,bind,exec', '{place}'], check=True)"
        for place in (tmp_path, "/tmp", "/dev/shm")
    ]
    tries += [
        "subprocess.run(['umount', '/tmp'], check=True)",
        "os.setuid(0)",
        "os.kill(1, 9); os.kill(1, 9); os.stat('/nowhere')",
    ]
    result = python(confinement, attempt(*tries))
    assert result.out.count("\n") == len(tries) and "done" not in result.out, result


@pytest.mark.parametrize("grants", [{}, SPAWN], ids=str)
def test_a_word_that_would_be_cut_short_starts_nothing(grants, every_launcher) -> None:
    with pytest.raises(ExecutionError) as refused:
        go(Confinement(**grants), "/bin/echo", "a\0b")
    assert refused.value.code == "execution.not-started"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts from a view of its own")
def test_a_run_changes_nothing_in_the_view_of_its_host(tmp_path) -> None:
    def views() -> set[str]:
        return {
            pathlib.Path(f"/proc/self/task/{task}/mountinfo").read_text()
            for task in os.listdir("/proc/self/task")
        }

    before = views()
    assert (
        go(Confinement(fs_write=(f"{tmp_path}/**",), **SPAWN), "/bin/true", cwd=tmp_path).code == 0
    )
    assert views() == before and os.path.isdir("/sys/kernel")


@pytest.mark.skipif(os.geteuid() != 0, reason="makes a program that is set-user-ID")
def test_helpers_may_be_started_where_bubblewrap_is_set_user_id() -> None:
    code = (
        "import sys; from tests.integration.sandbox.confined import go\n"
        "from atip.model.permissions.confinement import Confinement\n"
        "from atip.sandbox.bubblewrap import namespaces as bubblewrap\n"
        "bubblewrap.SEARCH = (sys.argv[1], *bubblewrap.SEARCH)\n"
        "grants = {'exec_allow': True, 'exec_spawn': ('cat',)}\n"
        "print(go(Confinement(**grants), '/bin/bash', '-c', 'cat /proc/self/status').out)\n"
    )
    env = environment()
    env["PYTHONPATH"] = str(ROOT) + os.pathsep + env["PYTHONPATH"]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        shutil.copy(bubblewrap.find_bubblewrap(), f"{folder}/bwrap")
        os.chmod(f"{folder}/bwrap", 0o4755)
        ran = subprocess.run(
            [*system_python(), "-c", code, folder],
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
        )
    found = dict(line.split(":\t", 1) for line in ran.stdout.splitlines() if ":\t" in line)
    assert (found.get("NoNewPrivs"), found.get("Seccomp")) == ("1", "2"), ran
    assert [int(found[f"Cap{kind}"], 16) for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")] == [0] * 5


@pytest.mark.skipif(os.geteuid() != 0, reason="already unprivileged")
def test_all_of_this_holds_for_an_unprivileged_caller() -> None:
    env = environment()
    env["PYTHONPATH"] = str(ROOT) + os.pathsep + env["PYTHONPATH"]
    chosen = "same_state or nothing_of_ours or the_root or writable_places or no_capability"
    command = [
        *system_python(),
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-n",
        "0",
        "-k",
        chosen,
    ]
    ran = subprocess.run(
        [*command, "--rootdir", str(ROOT), str(pathlib.Path(__file__))],
        env=env | {"HOME": "/nonexistent"}, cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout.split()[:1]) == (0, ["." * 15]), ran.stdout + ran.stderr
