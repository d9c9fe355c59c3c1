"""The three example bundles from nothing to ready with real package managers, and what refuses them; `bundle init git`."""

from __future__ import annotations

import hashlib
import pathlib
import shutil
import subprocess

import pytest

import atip
from atip.bundles.documents.authoring import write_folder
from atip.errors import AtipError, Denied, FormatError, NeedsConfirmation
from tests.shared import ROOT

pytestmark = pytest.mark.sandbox
EXAMPLES = ROOT / "examples" / "bundles"


class Place:
    def __init__(self, tmp_path: pathlib.Path, monkeypatch, fetch=None) -> None:
        self.home = tmp_path / "home"
        self.workspace = tmp_path / "work"
        self.home.mkdir()
        self.workspace.mkdir()
        self.root: list[tuple[str, ...]] = []
        box = atip.Toolbox(home=str(self.home))
        self.host = box.bundles(workspace=str(self.workspace), fetch=fetch)

    def copy(self, name: str) -> pathlib.Path:
        target = self.workspace.parent / "bundles" / name
        shutil.copytree(EXAMPLES / name, target)
        return target

    def install(self, bundle, *, again=True, root=False):
        def confirm_root(argv):
            self.root.append(argv)
            return root

        return self.host.install(
            bundle, confirm=lambda _: True, confirm_root=confirm_root, again=again
        )


@pytest.fixture
def place(tmp_path, monkeypatch):
    return Place(tmp_path, monkeypatch)


def edit(folder: pathlib.Path, old: str, new: str, name: str = "CLI.md") -> None:
    path = folder / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize("name", ["jq", "httpie", "cowsay"])
def test_example_is_valid_strictly_and_by_the_schema(place, name):
    from atip.codecs.climd.check import check_fields

    bundle = place.host.load(str(EXAMPLES / name), strict=True)
    assert bundle.problems == ()
    assert check_fields("CLI", bundle.manifest.fields, "schema") == []


@pytest.mark.online
@pytest.mark.proves("AIP29-INSTALL-08", "AIP29-VERSION-06", "AIP29-SECURITY-03")
def test_cowsay_by_npm_runs_confined(place):
    if shutil.which("npm") is None:
        pytest.skip("there is no npm")
    bundle = place.host.load(str(EXAMPLES / "cowsay"))
    assert place.host.status(bundle).phase == "not-installed"
    installed = place.install(bundle)
    assert installed.method == "npm" and installed.binary.startswith(str(place.home))
    assert place.host.status(bundle).is_ready
    done = place.host.run(bundle, [], {"text": "moo -- moo"})
    assert done.ok and "moo -- moo" in done.value
    assert {"namespaces", "seccomp", "no-network"} <= set(done.result.layers)
    assert place.root == []


@pytest.mark.online
@pytest.mark.proves("AIP29-INSTALL-09")
def test_httpie_by_pip_runs_confined_and_reaches_no_other_host(place):
    bundle = place.host.load(str(EXAMPLES / "httpie"))
    assert place.install(bundle).method == "pip"
    done = place.host.run(bundle, ["offline"], {"url": "https://example.com/a"})
    assert done.ok and "Host: example.com" in done.value
    done = place.host.run(
        bundle, ["get"], {"url": "https://other.example.org/"}, ask=lambda _: True
    )
    assert not done.ok and "403" in str(done.error["message"])


@pytest.mark.proves("AIP29-INSTALL-03")
def test_jq_by_apt_wants_its_root_command_confirmed(place):
    if shutil.which("apt-get") is None:
        pytest.skip("there is no apt")
    bundle = place.host.load(str(EXAMPLES / "jq"))
    with pytest.raises(Denied) as caught:
        place.install(bundle, root=False)
    assert caught.value.code == "bundle.root-not-confirmed"
    assert place.root[0][-6:] == (
        place.root[0][-6], "install", "--yes", "--no-install-recommends", "--", "jq",
    )  # fmt: skip
    assert place.host.status(bundle).phase == "not-installed"


def test_jq_that_is_there_becomes_ready_and_answers_in_json(place):
    if shutil.which("jq") is None:
        pytest.skip("there is no jq")
    bundle = place.host.load(str(EXAMPLES / "jq"))
    place.install(bundle, again=False)
    (place.workspace / "a.json").write_text('{"a": [1, 2]}')
    done = place.host.run(bundle, [], {"filter": ".a | length", "file": "a.json"})
    assert (done.ok, done.value) == (True, [2])
    done = place.host.run(bundle, [], {"filter": "{", "file": "a.json"})
    assert (done.ok, done.meaning) == (False, "compile_error")


@pytest.mark.proves("AIP29-VERSION-08")
def test_version_out_of_range_is_refused(place):
    if shutil.which("jq") is None:
        pytest.skip("there is no jq")
    folder = place.copy("jq")
    edit(folder, ">=1.5 <2", ">=7")
    edit(folder, "method: apt, package: jq", "method: vendored, path: ./bin/jq")
    (folder / "bin").mkdir()
    shutil.copy(shutil.which("jq"), folder / "bin" / "jq")
    bundle = place.host.load(str(folder))
    with pytest.raises(AtipError) as caught:
        place.install(bundle, again=False)
    assert caught.value.code == "version_mismatch"
    assert place.host.status(bundle).phase == "not-installed"


def served(content: bytes):
    return lambda url, size: content


@pytest.mark.proves("AIP29-INSTALL-12", "AIP29-SECURITY-02", "AIP29-INSTALL-16")
def test_installer_script_runs_confined_with_the_right_hash_only(tmp_path, monkeypatch):
    script = (
        b"#!/bin/sh\nset -e\nmkdir -p $HOME/bin\n"
        b"printf '#!/bin/sh\\necho cowsay 1.6.1\\n' > $HOME/bin/cowsay\nchmod +x $HOME/bin/cowsay\n"
        b"touch /etc/atip-escaped 2>/dev/null || true\n"
    )
    place = Place(tmp_path, monkeypatch, fetch=served(script))
    folder = place.copy("cowsay")
    entry = 'method: npm, package: "cowsay@1.6.0", global: true'
    digest = hashlib.sha256(script).hexdigest()
    edit(folder, entry, f'method: curl, url: "https://x.example/i.sh", verify_sha256: "{"0" * 64}"')
    edit(folder, "  - { method: apt, package: cowsay }\n", "")
    with pytest.raises(AtipError) as caught:
        place.install(place.host.load(str(folder)))
    assert caught.value.code == "bundle.install-failed"
    assert not list((place.home / ".local").rglob("*.sh"))
    assert not (place.home / ".local" / "lib" / "agent-tools" / "cowsay@1").exists()
    edit(folder, "0" * 64, digest)
    bundle = place.host.load(str(folder))
    assert place.install(bundle).method == "curl"
    assert place.host.status(bundle).is_ready
    assert not pathlib.Path("/etc/atip-escaped").exists()


def test_widened_sandbox_is_refused_at_load(place):
    folder = place.copy("cowsay")
    edit(folder, "approval: auto", "approval: auto\nmetadata: { sandbox: { fs: { write: ['./**'] } } }",
         "tools/say/TOOL.md")  # fmt: skip
    with pytest.raises(FormatError):
        place.host.load(str(folder))


# --- authoring ------------------------------------------------------------------------------------

SKILL_IDS = (
    "AIP29-SKILL-05",
    "AIP29-SKILL-07",
    "AIP29-SKILL-01",
    "AIP29-COMPAT-05",
    "AIP29-BODY-02",
)


@pytest.mark.proves(*SKILL_IDS)
def test_init_git_validates_strictly_and_runs_status_confined(place):
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    draft = place.host.draft("git")
    assert [problem for problem in draft.problems if problem.severity == "error"] == []
    assert len([name for name in draft.files if name.endswith("TOOL.md")]) > 50
    for section in ("## When to reach", "## Gotchas", "## Debugging", "## Reference"):
        assert section in draft.files["CLI.md"]
    folder = place.workspace.parent / "git"
    write_folder(str(folder), draft.files)
    bundle = place.host.load(str(folder), strict=True)
    place.install(bundle, again=False)
    run = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(place.workspace)]
    subprocess.run([*run, "init", "--quiet", "."], check=True)
    subprocess.run([*run, "commit", "--quiet", "--allow-empty", "-m", "first"], check=True)
    (place.workspace / "new.txt").write_text("x")
    status = place.host.run(bundle, ["status"], {})
    assert status.ok and "new.txt" in status.value
    assert {"namespaces", "seccomp", "no-network"} <= set(status.result.layers)
    # it offers `--output`, so what its description claims is that it may write
    with pytest.raises(NeedsConfirmation):
        place.host.run(bundle, ["log"], {"max_count": 1})
    text = place.host.skill(bundle, is_ready=True)
    assert "requires-cli: git@1" in text and "ready on this machine" in text


@pytest.mark.proves("AIP29-SKILL-03", "AIP29-SKILL-06", "AIP29-COMPAT-04")
def test_draft_has_secrets_for_the_login_and_intents_for_patterns():
    from atip.codecs.climd import codec as climd
    from atip.codecs.climd.write import BundleContent, write_bundle
    from atip.model.tool import (
        Authentication,
        AuthenticationMethod,
        Command,
        Pattern,
        PatternStep,
        Tool,
    )

    tool = Tool(
        name="gh",
        description="d",
        version="2.40.0",
        commands={"pr": Command(commands={"list": Command(description="Lists.")})},
        authentication=Authentication(
            required=True,
            methods=(
                AuthenticationMethod(type="token", env_var="GH_TOKEN"),
                AuthenticationMethod(type="login", setup_command="gh auth login"),
            ),
            check_command="gh auth status",
        ),
        patterns=tuple(
            Pattern(
                name=f"list them {n}",
                steps=(PatternStep(command="gh pr list"),),
                tags=("show prs",),
            )
            for n in range(9)
        ),
    )
    files = write_bundle(BundleContent(tool=tool, intents=True))
    intents = [name for name in files if name.endswith("INTENT.md")]
    assert 3 <= len(intents) <= 5
    decoded = climd.decode(files, origin="gh", strict=True)
    assert [problem for problem in decoded.problems if problem.severity == "error"] == []
    assert "GH_TOKEN" in files["SECRETS.md"] and "gh auth status" in files["CLI.md"]
    routed = [pattern for pattern in decoded.tool.patterns if pattern.tags]
    assert routed[0].steps[0].command == "gh pr list" and "show prs" in routed[0].tags
