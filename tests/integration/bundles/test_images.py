"""`runner.image`: the program of a bundle on the system of a container image, in our sandbox and nowhere else."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile

import pytest

import atip
from atip.errors import AtipError, FormatError, NotFoundError
from tests.cli.run import atip as run
from tests.simulators.bundle_host import make_bundle, write_bundle
from tests.simulators.small_root import make_root, make_tar

pytestmark = pytest.mark.sandbox
OLD_PATH = os.environ["PATH"]
PODMAN = shutil.which("podman")
NAME = "localhost/demo-system:1"
STAND_IN = """#!/bin/sh
# speaks what is asked of a container runtime; its one image is a tar
echo "$@" >> {log}
case "$1 $2" in
"image ls") echo {digest} ;;
"image inspect") [ "$5" = {name} ] && [ -e {tar} ] && echo sha256:{digest} ;;
"pull --quiet") cp {source} {tar} ;;
"create --pull=never") [ "$3" = sha256:{digest} ] && echo {container} ;;
"export -o") cp {tar} "$3" ;;
"rm -v") [ "$3" = {container} ] ;;
*) exit 125 ;;
esac
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Home, workspace, the files of an image, and a search path without any container runtime."""
    with contextlib.ExitStack() as cleaned:
        yield Machine(tmp_path, monkeypatch, cleaned)


class Machine:
    def __init__(self, tmp_path, monkeypatch, cleaned):
        self.folder, self.cleaned = tmp_path, cleaned
        self.home, self.work = tmp_path / "home", tmp_path / "work"
        self.bin, self.log = tmp_path / "bin", tmp_path / "asked"
        for folder in (self.home, self.work, self.bin):
            folder.mkdir()
        (self.work / "note").write_text("of the workspace\n")
        self.tar = make_tar(make_root(tmp_path / "system"), tmp_path / "system.tar")
        for name in ("sh", "cp", "bwrap", "perl", "cat"):
            (self.bin / name).symlink_to(shutil.which(name))
        monkeypatch.setenv("PATH", str(self.bin))
        monkeypatch.chdir(self.work)

    def stand_in(self, *, present: bool = True, name: str = "podman") -> None:
        held = self.folder / "held.tar"
        if present:
            shutil.copy(self.tar, held)
        program = self.bin / name
        program.write_text(
            STAND_IN.format(
                log=self.log,
                tar=held,
                source=self.tar,
                name=NAME,
                digest="5" * 64,
                container="c" * 64,
            )
        )
        program.chmod(0o755)

    def bundle(self, **fields):
        folder = self.folder / "demo"
        sandbox = {
            "network": {"egress": []},
            "fs": {"read": ["./**"], "write": []},
            "exec": {"allow": True, "spawn": ["cat", "ls"]},
            "env": {"pass": []},
        }
        text = {"type": "string"}
        inputs = {"type": "object", "properties": {"what": text, "path": text}}
        tool = {"inputs": inputs, "runner": {"argv": ["${input.what}", "${input.path}"]}}
        write_bundle(
            folder, sandbox=sandbox, tool=tool, runner={"engine": "docker", "image": NAME}, **fields
        )
        host = self.host()
        return host, host.load(str(folder))

    def podman(self) -> None:
        """The real one, with a store of its own that holds the image."""
        store = self.folder / "store"
        runs = tempfile.mkdtemp(prefix="atip-runs-")  # podman takes no long path there
        self.cleaned.callback(shutil.rmtree, runs)
        options = f"--root {store} --runroot {runs} --storage-driver vfs"
        program = self.bin / "podman"
        program.write_text(
            f'#!/bin/sh\necho "$@" >> {self.log}\nPATH={OLD_PATH} exec {PODMAN} {options} "$@"\n'
        )
        program.chmod(0o755)
        done = subprocess.run([program, "import", self.tar, NAME], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def host(self):
        return atip.Toolbox(home=str(self.home)).bundles(workspace=str(self.work))


def install(host, bundle):
    return host.install(bundle, confirm=lambda _: True, confirm_root=lambda _: False)


def ask_for(host, bundle, what, path="/", **options):
    return host.run(bundle, ["list"], {"what": what, "path": path}, **options)


@pytest.mark.proves("AIP29-RUNNER-90")
@pytest.mark.parametrize("runtime", ["stand_in", *(["podman"] if PODMAN else [])])
def test_program_runs_on_the_system_of_its_image(machine, runtime):
    getattr(machine, runtime)()
    host, bundle = machine.bundle()
    assert bundle.problems == ()
    proposal = host.propose(bundle)
    assert [plan.method for plan in proposal.plans] == ["image"]
    assert f"unpack the image {NAME} (sha256:" in proposal.plans[0].actions[0].render()
    installed = install(host, bundle)
    assert (installed.method, installed.version) == ("image", "1.3.0")
    name, digest = installed.image.split()
    assert (name, digest[:7], len(digest)) == (NAME, "sha256:", 71)
    assert ask_for(host, bundle, "system").value == "a small system\n"
    # programs of the image, and of those only what the bundle may start and the script runs on
    assert ask_for(host, bundle, "look", "/usr/bin").value.split() == ["cat", "demo", "ls", "sh"]
    assert ask_for(host, bundle, "look", "/run/host/usr").value == ""
    # the sandbox is the one of every bundle
    assert ask_for(host, bundle, "where").value == f"{machine.work}\n"
    assert ask_for(host, bundle, "read", "note").value == "of the workspace\n"
    assert not ask_for(host, bundle, "write", "new").ok and not (machine.work / "new").exists()
    assert not ask_for(host, bundle, "write", "/etc/this-image").ok
    assert not ask_for(host, bundle, "read", str(machine.home / ".local")).ok
    done = ask_for(host, bundle, "system")
    assert "image" in done.result.layers
    kept = (path.read_text() for path in machine.home.rglob("*.jsonl"))
    records = [json.loads(line) for text in kept for line in text.splitlines()]
    started = [
        record for record in records if record.get("run") == done.result.run_id or "image" in record
    ]
    assert {one["image"] for one in started if "argv" in one} == {installed.image}
    # once it is unpacked no runtime is needed, and no container is left
    assert [line.split()[0] for line in machine.log.read_text().splitlines()][-3:] == [
        "create",
        "export",
        "rm",
    ]
    (machine.bin / "podman").unlink()
    assert host.status(bundle).phase == "ready"
    assert ask_for(host, bundle, "system").ok
    host.remove(bundle.key)
    assert not os.path.exists(installed.root)


def test_image_that_is_not_there_is_pulled_after_a_yes_only(machine):
    machine.stand_in(present=False)
    host, bundle = machine.bundle()
    with pytest.raises(AtipError, match="not confirmed"):
        host.install(bundle, confirm=lambda _: False, confirm_root=lambda _: False)
    assert "pull" not in machine.log.read_text()
    steps = host.propose(bundle).plans[0].to_json()["steps"]
    assert [step.split()[:2] for step in steps] == [
        [str(machine.bin / "podman"), "pull"],
        ["unpack", "the"],
    ]
    assert install(host, bundle).image == f"{NAME} sha256:{'5' * 64}"
    assert ask_for(host, bundle, "system").value == "a small system\n"


@pytest.mark.proves("AIP29-RUNNER-91")
@pytest.mark.parametrize("silent", [False, True])
def test_without_a_runtime_nothing_runs_and_everything_says_why(machine, silent):
    """A program of the same name on this host changes nothing."""
    trap = machine.folder / "was-run"
    (machine.bin / "demo").write_text(f"#!/bin/sh\necho ran > {trap}\necho demo 1.3.0\n")
    (machine.bin / "demo").chmod(0o755)
    if silent:
        (machine.bin / "docker").write_text("#!/bin/sh\nexit 1\n")
        (machine.bin / "docker").chmod(0o755)
    host, bundle = machine.bundle()
    for attempt in (lambda: install(host, bundle), lambda: ask_for(host, bundle, "system")):
        with pytest.raises(AtipError) as caught:
            attempt()
        assert caught.value.code == "runner.no-runtime"
        assert "install podman" in caught.value.hint
        assert ("`docker` does not respond" in caught.value.message) == silent
    folder = bundle.folder
    said = {
        verb: run("bundle", verb, folder, *more, "--json", home=machine.home, cwd=machine.work)
        for verb, more in (
            ("install", ["--yes"]), ("run", ["list", "what=system", "path=/"]), ("status", []), ("doctor", []),
        )
    }  # fmt: skip
    for verb in ("install", "run"):
        assert (
            said[verb].code != 0 and said[verb].document["error"]["code"] == "runner.no-runtime"
        ), said[verb]
    status = said["status"].document["bundles"][0]
    assert status["phase"] == "not-installed" and "podman or docker" in status["unmet"][0]
    advice = said["doctor"].document["advice"]
    assert any("podman or docker" in one["what"] and not one["ok"] for one in advice)
    assert any("install podman" in (one["fix"] or "") for one in advice)
    assert not trap.exists() and host.store.find(bundle.key) is None


def test_install_on_the_host_never_stands_in_for_an_image(machine):
    """A bundle that gets an image later, or another one, is installed anew."""
    machine.stand_in()
    folder = machine.folder / "demo"
    vendored = [{"method": "vendored", "path": "./bin/demo"}]
    write_bundle(folder, extra={"bin/demo": "#!/bin/sh\necho demo 1.3.0\n"}, install=vendored)
    (folder / "bin/demo").chmod(0o755)
    host = machine.host()
    installed = install(host, host.load(str(folder)))
    assert (installed.image, installed.root) == ("", "")
    _, bundle = machine.bundle(extra={"RUNNER.md": "---\nrunner:\n  image: x\n---\n"})
    with pytest.raises(NotFoundError) as caught:
        ask_for(host, bundle, "system")
    assert caught.value.code == "bundle.not-installed"
    assert host.status(bundle).phase == "not-installed"


@pytest.mark.parametrize("name", ["--privileged", "a b", "", 5, "x\n", None])
def test_name_that_is_none_is_refused_at_load(tmp_path, name):
    with pytest.raises(FormatError) as caught:
        make_bundle(tmp_path / "demo", runner={"engine": "sandbox", "image": name})
    assert "climd.runner-image" in {problem.code for problem in caught.value.problems}


@pytest.mark.parametrize("member", ["../out", "/abs", "dev/sda"])
def test_image_with_files_that_nobody_may_unpack_is_refused(machine, member):
    import io
    import tarfile

    with tarfile.open(machine.tar, "a") as archive:
        info = tarfile.TarInfo(member)
        if member.startswith("dev/"):
            info.type = tarfile.BLKTYPE
        archive.addfile(info, io.BytesIO())
    machine.stand_in()
    host, bundle = machine.bundle()
    with pytest.raises(AtipError) as caught:
        install(host, bundle)
    assert caught.value.code == "bundle.install-failed" and "member" in caught.value.message
    assert machine.log.read_text().splitlines()[-1].startswith("rm -v")
    assert not any(machine.home.rglob("etc/this-image")) and not any(machine.home.rglob("*.tar"))
    assert not (machine.folder / "out").exists()


def test_yes_is_asked_for_with_the_image_and_bound_to_it(machine):
    machine.stand_in()
    host, bundle = machine.bundle()
    install(host, bundle)
    questions = []
    (machine.home / ".config/agent-tools").mkdir(parents=True, exist_ok=True)
    sandbox = dict(bundle.manifest.sandbox)
    sandbox["fs"] = {"read": ["./**"], "write": ["./**"]}
    folder = machine.folder / "demo"
    fields = {**bundle.manifest.fields, "sandbox": sandbox}
    from atip.codecs.climd.document import render_document

    (folder / "CLI.md").write_text(render_document(fields))
    bundle = host.load(str(folder))
    install(host, bundle)

    def yes(question):
        questions.append(question)
        return True

    assert ask_for(host, bundle, "write", "new", ask=yes).ok
    assert (machine.work / "new").read_text() == "written\n"
    assert f"system     the image '{NAME} sha256:{'5' * 64}'" in questions[0].render()
