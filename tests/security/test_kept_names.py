"""What runs later, unconfined, is out of a run's reach: by role, at any depth, whether it exists or not."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

from atip.model.permissions.confinement import Confinement
from atip.policy.confinement.guarding import protected_names
from atip.sandbox.protected.journal import recover
from atip.sandbox.run import RunRequest, run_confined
from atip.sandbox.verified import seal
from tests.integration.sandbox.confined import CommandOutput, go
from tests.integration.sandbox.unprivileged import UID, environment, system_python
from tests.shared import ROOT

pytestmark = pytest.mark.sandbox

GIT = {
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": "/usr/bin:/bin",
}  # fmt: skip
PROOF = "ran-on-the-host"
PLANTS = {
    "a setting of the repository": "printf '[core]\\nfsmonitor = \"touch {proof}; false\"\\n' >> .git/config",
    "commondir": "cp -r .git evil && printf '[core]\\nfsmonitor = \"touch {proof}; false\"\\n' >> evil/config && echo ../evil > .git/commondir",
    "alternates": "mkdir -p .git/objects/info && echo /tmp/evil/objects > .git/objects/info/alternates",
    "a hook": "printf '#!/bin/sh\\ntouch {proof}\\n' > .git/hooks/post-index-change; chmod 755 .git/hooks/post-index-change",
    "a setting below": "printf '[core]\\nfsmonitor = \"touch {proof}; false\"\\n' >> sub/.git/config",
    "a new repository": "mkdir new && cd new && git init -q . && printf '[core]\\nfsmonitor = \"touch {proof}; false\"\\n' >> .git/config",
    "a bare repository": "git init -q --bare bare && mkdir bare/w && printf '[core]\\nbare = false\\nworktree = w\\nfsmonitor = \"touch {proof}; false\"\\n' > bare/config",
    "a file that leads away": "mkdir -p p && git init -q --bare /tmp/q && echo 'gitdir: /tmp/q' > p/.git",
    "a file that leads inside": "mkdir p && cp -r .git evil && printf '[core]\\nbare=false\\nworktree=../p\\nfsmonitor = \"touch {proof}; false\"\\n' >> evil/config && echo 'gitdir: ../evil' > p/.git",
    "a link to a repository": "mkdir p && cp -r .git evil && ln -s ../evil p/.git",
    "the repository replaced": "mv .git old && cp -r old .git && printf '[core]\\nfsmonitor = \"touch {proof}; false\"\\n' >> .git/config",
    "settings of a tool": "echo evil > .envrc; mkdir .vscode && echo '{{}}' > .vscode/tasks.json; echo '{{}}' > .mcp.json",
    "settings of a tool below": "mkdir -p a/b/.claude a/.github/workflows && echo evil > a/b/.envrc",
    "a link that is a setting": "rm CONF/.envrc; ln -s /etc/passwd CONF/.envrc",
    "an existing setting": "echo evil >> .husky/pre-commit",
    "an existing setting below": "echo registry=evil >> CONF/.npmrc; mv CONF CONF2",
}  # fmt: skip


def git(folder: pathlib.Path, *words: str) -> None:
    env = {**GIT, "HOME": str(folder)}
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, env=env)


def make_project(folder: pathlib.Path) -> pathlib.Path:
    folder.mkdir(parents=True)
    for place in (folder, folder / "sub"):
        place.mkdir(exist_ok=True)
        git(place, "init", "-q", ".")
        git(place, "commit", "-q", "--allow-empty", "-m", "x")
    (folder / ".husky").mkdir()
    (folder / ".husky/pre-commit").write_text("true\n")
    (folder / "CONF").mkdir()
    (folder / "CONF/.npmrc").write_text("registry=good\n")
    (folder / "CONF/.envrc").symlink_to("real-envrc")
    (folder / "CONF/real-envrc").write_text("good\n")
    return folder


def run_line(folder: pathlib.Path, line: str, *, repository: bool = False) -> CommandOutput:
    grants = Confinement(fs_write=(f"{folder}/**",), exec_allow=True, exec_spawn=("*",))
    grants = grants.replace(
        fs_keep=protected_names(grants, repository=repository),
        env_set=tuple(each for each in GIT.items() if each[0] != "PATH"),
    )
    return go(grants, "/bin/sh", "-c", line, cwd=folder)


def what_runs(folder: pathlib.Path, proof: pathlib.Path) -> list[str]:
    """What a user's own git starts afterwards, anywhere; and names that tools would read."""
    env = {**GIT, "HOME": str(folder)}
    for place, folders, _ in os.walk(folder):
        if ".refused-" in place:
            folders.clear()
            continue
        subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", place, "status"], capture_output=True, env=env
        )
    found = [str(proof)] if proof.exists() else []
    read = {".envrc", ".vscode", ".mcp.json", ".claude", "workflows"}
    for place, folders, names in os.walk(folder):
        found += [os.path.join(place, name) for name in (*folders, *names) if name in read]
    return found


@pytest.mark.parametrize("repository", [False, True], ids=["any program", "git itself"])
@pytest.mark.parametrize("plant", PLANTS)
def test_nothing_is_planted_that_runs_later(
    tmp_path: pathlib.Path, plant: str, repository: bool
) -> None:
    project = make_project(tmp_path / "project")
    proof = tmp_path / PROOF
    before = what_runs(project, proof)
    run_line(project, PLANTS[plant].format(proof=proof), repository=repository)
    assert what_runs(project, proof) == before
    assert (project / "CONF/.envrc").is_symlink()
    assert os.readlink(project / "CONF/.envrc") == "real-envrc"
    assert (project / "CONF/.npmrc").read_text() == "registry=good\n"
    assert (project / ".husky/pre-commit").read_text() == "true\n"
    assert not (project / ".git/objects/info/alternates").exists()


def test_the_plants_work_without_the_defence(tmp_path: pathlib.Path) -> None:
    """Or the test above would prove nothing."""
    project = make_project(tmp_path / "project")
    proof = tmp_path / PROOF
    for plant in ("a setting of the repository", "commondir", "a new repository"):
        place = make_project(tmp_path / plant)
        subprocess.run(
            ["sh", "-c", PLANTS[plant].format(proof=proof)], cwd=place, env=GIT, check=True
        )
        assert str(proof) in what_runs(place, proof), plant
        proof.unlink()
    assert what_runs(project, proof) == [str(project / "CONF/.envrc")]


def test_what_was_set_aside_is_told_and_kept(tmp_path: pathlib.Path) -> None:
    project = make_project(tmp_path / "project")
    result = run_line(project, "echo mine > a.txt; mkdir d; echo evil > d/.envrc")
    told = [note for note in result.outcome.notes if "set aside" in note]
    assert len(told) == 1 and "/d/.envrc" in told[0]
    (aside,) = (project / "d").iterdir()
    assert aside.read_text() == "evil\n" and (project / "a.txt").read_text() == "mine\n"


def test_git_does_its_work(tmp_path: pathlib.Path) -> None:
    project = make_project(tmp_path / "project")
    line = (
        "echo x > f && git add f && git commit -q -m f && git checkout -q -b other && git branch -m third "
        "&& git remote add origin https://example.com/x.git && git config user.name me && git tag v1 && git stash list "
        "&& git worktree add -q w -b w && git clone -q . copy && git gc -q && git status --short"
    )
    result = run_line(project, line, repository=True)
    assert result.code == 0, result
    assert [note for note in result.outcome.notes if "set aside" in note] == []
    assert "me" in (project / ".git/config").read_text()


def test_a_repository_is_read_only_for_other_programs(tmp_path: pathlib.Path) -> None:
    project = make_project(tmp_path / "project")
    result = run_line(
        project, "git log --oneline -1 && git status --short && git commit -q --allow-empty -m x"
    )
    assert result.code != 0 and "Read-only" in result.err, result


def test_what_package_managers_unpack_stays(tmp_path: pathlib.Path) -> None:
    project = make_project(tmp_path / "project")
    line = (
        "mkdir -p node_modules/x/.vscode node_modules/x/.github/workflows .venv/lib && touch node_modules/x/.npmrc && "
        "cd node_modules/x && git init -q ."
    )
    result = run_line(project, line)
    assert result.code == 0 and not [
        note for note in result.outcome.notes if "set aside" in note
    ], result
    assert (project / "node_modules/x/.npmrc").exists()
    assert (project / "node_modules/x/.git/config").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="already unprivileged")
def test_nothing_is_planted_for_an_unprivileged_caller(tmp_path: pathlib.Path) -> None:
    work = pathlib.Path("/tmp") / f"atip-kept-{os.getpid()}"
    code = (
        "import json, pathlib\n"
        "from tests.security.test_kept_names import PLANTS, make_project, run_line, what_runs\n"
        f"work = pathlib.Path({str(work)!r}); work.mkdir(); proof = work / 'proof'\n"
        "found = {}\n"
        "for number, (name, line) in enumerate(PLANTS.items()):\n"
        "    project = make_project(work / str(number))\n"
        "    before = what_runs(project, proof)\n"
        "    run_line(project, line.format(proof=proof), repository=number % 2 == 0)\n"
        "    found[name] = [each for each in what_runs(project, proof) if each not in before]\n"
        "print(json.dumps(found))\n"
    )  # fmt: skip
    env = environment()
    env["PYTHONPATH"] = str(pathlib.Path(__file__).parents[2]) + os.pathsep + env["PYTHONPATH"]
    try:
        ran = subprocess.run(
            [*system_python(), "-c", code], env=env, capture_output=True, text=True, timeout=120
        )
        assert json.loads(ran.stdout) == {name: [] for name in PLANTS}, ran
    finally:
        subprocess.run(["rm", "-rf", str(work)], check=True)
    assert UID


def test_a_killed_host_is_made_up_for_by_the_next_run(tmp_path: pathlib.Path) -> None:
    project = make_project(tmp_path / "project")
    journal = tmp_path / "journal"
    code = (
        "import sys\n"
        "from atip.model.permissions.confinement import Confinement\n"
        "from atip.policy.confinement.guarding import protected_names\n"
        "from atip.sandbox.run import RunRequest, start_confined\n"
        "from atip.sandbox.verified import seal\n"
        f"grants = Confinement(fs_write=({str(project)!r} + '/**',), exec_allow=True, exec_spawn=('*',))\n"
        "grants = grants.replace(fs_keep=protected_names(grants, repository=True))\n"
        "line = 'echo evil > .envrc; echo ../evil > .git/commondir; echo planted; sleep 60'\n"
        f"request = RunRequest(argv=('sh', '-c', line), binary=seal('/bin/sh'), cwd={str(project)!r}, journal={str(journal)!r})\n"
        "start_confined(grants, request, lambda name, data: print(data.decode(), flush=True)).wait()\n"
    )
    root = str(pathlib.Path(__file__).parents[2] / "src")
    env = {**os.environ, "PYTHONPATH": root}
    host = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=env)
    try:
        assert host.stdout is not None and host.stdout.readline() == b"planted\n"
    finally:
        host.kill()
        host.communicate()
    assert (project / ".envrc").exists()
    told = recover(str(journal))
    assert len(told) == 2 and not (project / ".envrc").exists(), told
    assert not (project / ".git/commondir").exists()
    assert recover(str(journal)) == () and os.listdir(journal) == []


def test_an_interrupted_run_leaves_nothing_either(tmp_path: pathlib.Path) -> None:
    project = make_project(tmp_path / "project")

    def stop(_name: str, _data: bytes) -> None:
        raise KeyboardInterrupt

    grants = Confinement(fs_write=(f"{project}/**",), exec_allow=True, exec_spawn=("*",))
    grants = grants.replace(fs_keep=protected_names(grants, repository=False))
    binary = seal("/bin/sh")
    with pytest.raises(KeyboardInterrupt):
        run_confined(
            grants,
            RunRequest(
                argv=("sh", "-c", "echo evil > .envrc; echo planted; sleep 60"),
                binary=binary,
                cwd=str(project),
                caller_env={},
            ),
            stop,
        )
    binary.close()
    assert not (project / ".envrc").exists()


def test_a_pointer_out_of_the_workspace_is_set_aside(tmp_path: pathlib.Path) -> None:
    project = make_project(tmp_path / "project")
    result = run_line(project, "mkdir p && echo 'gitdir: /tmp/elsewhere' > p/.git")
    assert [note for note in result.outcome.notes if "p/.git" in note], result
    assert not (project / "p/.git").exists()


def test_every_kept_name_is_documented():
    """The list in the documentation is whole."""
    from atip.discovery.mcp.files import _PROJECT_FILES
    from atip.policy.confinement.guarding import READ_ONLY_NAMES

    page = (ROOT / "docs/concepts/sandbox.md").read_text()
    section = page.partition("## Files of a project that are instructions")[2].partition("\n## ")[0]
    assert section
    assert [name for name in READ_ONLY_NAMES if f"`{name}`" not in section] == []
    # what is read of a project for MCP servers is kept, too
    kept = set(READ_ONLY_NAMES)
    assert [path for _, path, _ in _PROJECT_FILES if path not in kept and path.split("/")[0] not in kept] == []  # fmt: skip
