"""Real programs through the whole of `Toolbox.run`, with the sandbox of their knowledge file: they work, and are
stopped at what nobody granted."""

from __future__ import annotations

import contextlib
import http.server
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator

import pytest

from atip.execution.output.result import Result
from tests.integration.execution.desk import Desk

pytestmark = pytest.mark.sandbox

NODE = shutil.which("node")
POSTGRES = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    return Desk(tmp_path)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(500):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        threading.Event().wait(0.02)
    raise AssertionError("the server did not come up")


class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"hello from outside"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def web() -> Iterator[int]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running.server_address[1]
        running.shutdown()


@pytest.fixture
def repository(tmp_path: pathlib.Path) -> Iterator[int]:
    """A repository with one commit, served on loopback."""
    bare = tmp_path / "srv/repo.git"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True, env=environment)
    port = free_port()
    daemon = subprocess.Popen(
        ["git", "daemon", "--export-all", f"--base-path={bare.parent}", "--reuseaddr",
         "--listen=127.0.0.1", f"--port={port}"],
        env=environment, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        wait_for(port)
        yield port
    finally:
        daemon.terminate()
        daemon.wait(10)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_clones_from_a_granted_server_and_commits(desk: Desk, repository: int) -> None:
    url = f"git://localhost:{repository}/repo.git"
    stopped = desk.run("git", "clone", "-q", url)
    assert stopped.exit_code != 0
    assert not (desk.work / "repo/.git/HEAD").exists()
    desk.grant(tcp=[f"localhost:{repository}"])
    assert desk.run("git", "clone", "-q", url).exit_code == 0
    (desk.work / "repo/a.txt").write_text("a\n")
    assert desk.run("git", "-C", "repo", "add", "a.txt").exit_code == 0
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    result = desk.run("git", "-C", "repo", *who, "commit", "-qm", "first")
    assert result.exit_code == 0, result.stderr
    assert desk.run("git", "-C", "repo", "log", "--format=%s").stdout == "first\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_reads_the_users_name_and_runs_no_hook(desk: Desk) -> None:
    (desk.home / ".gitconfig").write_text("[user]\n name = Me\n email = me@example.com\n")
    assert desk.run("git", "init", "-q").exit_code == 0
    hook = desk.work / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    result = desk.run("git", "commit", "-q", "--allow-empty", "-m", "x")
    assert result.exit_code == 0, result.stderr
    assert not (desk.work / "ran").exists()
    assert desk.run("git", "log", "--format=%an").stdout == "Me\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_works_in_a_folder_of_its_repository_and_in_a_linked_worktree(desk: Desk) -> None:
    (desk.home / ".gitconfig").write_text("[user]\n name = Me\n email = me@example.com\n")
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "x")):
        assert desk.run("git", *words).exit_code == 0
    (desk.work / "inner/deep").mkdir(parents=True)
    result = desk.box.run(["git", "rev-parse", "--show-prefix"], cwd=str(desk.work / "inner/deep"))
    assert result.stdout == "inner/deep/\n", result.stderr
    tree = desk.home / "tree"
    env = {"PATH": "/usr/bin:/bin", "HOME": str(desk.home)}
    subprocess.run(["git", "worktree", "add", "-q", str(tree)], check=True, cwd=desk.work, env=env)
    linked = desk.box.run(["git", "log", "--format=%s"], cwd=str(tree))
    assert linked.stdout == "x\n", linked.stderr
    # a `.git` file that names a folder which knows nothing of it opens nothing
    (desk.home / "other/worktrees/tree").mkdir(parents=True)
    (desk.home / "other/HEAD").write_text("ref: refs/heads/main\n")
    (tree / ".git").write_text(f"gitdir: {desk.home}/other/worktrees/tree\n")
    result = desk.box.run(["git", "log"], cwd=str(tree))
    assert f"{desk.home}/other/**" not in result.confinement.fs_read


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_curl_reaches_a_granted_loopback_service_and_no_other(desk: Desk, web: int) -> None:
    url = f"http://localhost:{web}/"
    assert "hello" not in desk.run("curl", "-sS", "-m", "5", url).stdout
    desk.grant(tcp=[f"localhost:{web}"])
    assert desk.run("curl", "-sS", "-m", "5", url).stdout == "hello from outside"
    other = desk.run("curl", "-sS", "-m", "5", f"http://127.0.0.2:{web}/")
    assert (other.exit_code != 0, other.stdout) == (True, "")
    inner = desk.run("curl", "-sS", "file:///etc/shadow")
    assert "root:" not in inner.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_a_public_host_is_reached_only_if_the_call_names_it_or_policy_grants_it(desk: Desk) -> None:
    plan = desk.run("curl", "-sS", "-m", "5", "https://no-such-host.example.com/").confinement
    assert plan.egress == ("no-such-host.example.com",)
    assert desk.run("jq", "-n", "1").confinement.egress == ()


def test_tar_packs_and_unpacks_with_its_own_compressor(desk: Desk) -> None:
    (desk.work / "a.txt").write_text("a\n")
    assert desk.run("tar", "czf", "a.tgz", "a.txt").exit_code == 0
    (desk.work / "a.txt").unlink()
    assert desk.run("tar", "xzf", "a.tgz").exit_code == 0
    assert (desk.work / "a.txt").read_text() == "a\n"
    (desk.work / "list").write_text("../private.txt\n")
    stopped = desk.run("tar", "cf", "b.tar", "-T", "list")
    assert stopped.exit_code != 0
    assert "private.txt" in stopped.stderr


def test_a_file_elsewhere_is_there_for_the_call_that_names_it(desk: Desk) -> None:
    result = desk.run("cat", "../private.txt")
    assert result.stdout == "nobody's business\n"
    assert result.confinement.fs_write == ()


def test_tar_starts_no_program_that_is_not_on_its_list(desk: Desk) -> None:
    (desk.work / "a.txt").write_text("a\n")
    option = '--checkpoint-action=exec=touch made; python3 -c \'open("by-python", "w")\''
    desk.run("tar", "cf", "a.tar", "--checkpoint=1", option, "a.txt")
    assert not (desk.work / "by-python").exists()


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_jq_reads_its_input_and_files_of_the_workspace(desk: Desk) -> None:
    assert desk.run("jq", ".a", "-", stdin=b'{"a": 2}').stdout == "2\n"
    (desk.work / "x.json").write_text('{"b": 3}')
    assert desk.run("jq", ".b", "x.json").stdout == "3\n"


def test_python_computes_and_is_stopped_at_files_network_and_settings(desk: Desk) -> None:
    assert desk.run("/usr/bin/python3", "-c", "print(6*7)").stdout == "42\n"
    code = (
        "import os, socket\n"
        f"for path in ({str(desk.home / 'private.txt')!r}, {str(desk.config)!r}, '/etc/shadow'):\n"
        "    print(os.path.exists(path) and os.access(path, os.R_OK))\n"
        "open('made', 'w').write('x')\n"
        "try:\n    socket.create_connection(('127.0.0.1', 22), 1)\nexcept OSError as e: print('no network')\n"
    )
    result = desk.run("/usr/bin/python3", "-c", code)
    assert result.stdout == "False\nFalse\nFalse\nno network\n", result
    assert (desk.work / "made").read_text() == "x"


def test_an_unknown_tool_may_start_system_programs_and_none_of_its_own(desk: Desk) -> None:
    tool = desk.work / "unheard-of"
    tool.write_text(
        "#!/bin/sh\nexpr 40 + 2\ncp /bin/true mine && chmod +x mine && ./mine && echo planted\n"
    )
    tool.chmod(0o755)
    result = desk.run(str(tool))
    assert result.stdout == "42\n", result
    assert result.confinement.exec_spawn == ("*",)
    assert "noexec" in result.layers


def test_a_wrapper_starts_what_it_names(desk: Desk) -> None:
    (desk.work / "a.txt").write_text("a\n")
    result = desk.run("find", ".", "-name", "a.txt", "-exec", "wc", "-l", "{}", ";")
    assert result.stdout == "1 ./a.txt\n", result


def test_a_program_of_the_workspace_is_found_from_there(desk: Desk) -> None:
    desk.script("mine", "echo mine\n")
    assert desk.run("./mine").stdout == "mine\n"


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_node_computes_and_is_stopped_at_the_home_directory(desk: Desk) -> None:
    assert desk.run("node", "-e", "console.log(6*7)").stdout == "42\n"
    code = f"require('fs').readFileSync({str(desk.home / 'private.txt')!r})"
    result = desk.run("node", "-e", code)
    assert result.exit_code != 0
    assert "ENOENT" in result.stderr


@contextlib.contextmanager
def postgres(folder: pathlib.Path) -> Iterator[int]:
    """A database server on loopback, run by a user without privileges."""
    bin_folder = POSTGRES[-1].parent
    data = folder / "pg"
    data.mkdir()
    user: dict[str, object] = {}
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(data, nobody.pw_uid, nobody.pw_gid)
        for parent in (folder, *folder.parents):
            if parent.stat().st_uid == 0 and str(parent) not in ("/", "/tmp"):
                parent.chmod(parent.stat().st_mode | 0o011)
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    subprocess.run(
        [bin_folder / "initdb", "-D", data, "-U", "tester", "-A", "trust", "--no-sync"],
        check=True, capture_output=True, env=env, cwd="/", **user,  # type: ignore[call-overload]
    )  # fmt: skip
    port = free_port()
    server = subprocess.Popen(
        [bin_folder / "postgres", "-D", data, "-p", str(port), "-k", data, "-h", "127.0.0.1",
         "-F", "-c", "shared_buffers=1MB", "-c", "max_connections=5"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, cwd="/", **user,  # type: ignore[call-overload]
    )  # fmt: skip
    try:
        wait_for(port)
        yield port
    finally:
        server.terminate()
        server.wait(20)


@pytest.mark.skipif(not POSTGRES or shutil.which("psql") is None, reason="needs PostgreSQL")
def test_psql_reaches_a_granted_database_and_nothing_else(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with postgres(tmp_path_factory.mktemp("database")) as port:
        address = ("-h", "localhost", "-p", str(port), "-U", "tester", "-d", "postgres", "-w")

        def query(text: str) -> Result:
            return desk.run("psql", *address, "-Atc", text, stdin=b"")

        stopped = query("select 6*7")
        assert (stopped.exit_code != 0, stopped.stdout) == (True, "")
        desk.grant(tcp=[f"localhost:{port}"])
        assert query("select 6*7").stdout == "42\n"
        assert query("create table t(a int); insert into t values (7)").exit_code == 0
        assert query("select a from t").stdout == "7\n"
        other = desk.run("psql", "-h", "127.0.0.2", *address[2:], "-Atc", "select 1", stdin=b"")
        assert other.stdout == ""
