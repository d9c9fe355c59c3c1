"""Install: plans of the thirteen methods, order, consent, hashes, the second try, and nothing left behind."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import zipfile

import pytest

from atip.bundles.install import work
from atip.bundles.install.archive_member import read_member
from atip.bundles.install.interface import METHODS, Action, Site, plan_entry
from atip.bundles.install.work import InstallWorker
from atip.bundles.installing import Installer
from atip.bundles.requirements import HostMachine, find_host, unmet, why_not_here
from atip.bundles.state import BundleStore
from atip.bundles.versions import VersionFinding
from atip.codecs.climd.manifest import InstallEntry, Requires
from atip.errors import AtipError, Denied, FormatError, TrustError
from tests.simulators.bundle_host import make_bundle

LINUX = HostMachine(os="linux", arch="x64", disk_mb=9000, memory_mb=9000)
GOOD = VersionFinding(ok=True, printed="1.4", version="1.4.0", range=">=1.2 <2")
BAD = VersionFinding(ok=False, printed="3.0", version="3.0.0", range=">=1.2 <2", reason="too new")


def site(tmp_path, *, host=LINUX, programs=None, is_root=False):
    known = {"sudo": "/usr/bin/sudo", **(programs or {})}
    return Site(
        bin="demo", prefix=str(tmp_path / "p"), folder=str(tmp_path), host=host, home="/home/u",
        is_root=is_root, find=known.get,
    )  # fmt: skip


PACKAGED = {
    "AIP29-INSTALL-02": ("brew", "brew", ("install", "--", "gh")),
    "AIP29-INSTALL-03": (
        "apt",
        "apt-get",
        ("install", "--yes", "--no-install-recommends", "--", "gh"),
    ),
    "AIP29-INSTALL-04": ("dnf", "dnf", ("install", "--assumeyes", "gh")),
    "AIP29-INSTALL-05": ("pacman", "pacman", ("--sync", "--noconfirm", "--needed", "--", "gh")),
    "AIP29-INSTALL-06": ("choco", "choco", ("install", "--yes", "gh")),
    "AIP29-INSTALL-07": ("scoop", "scoop", ("install", "gh")),
    "AIP29-INSTALL-11": ("go", "go", ("install", "gh")),
}


@pytest.mark.proves(*PACKAGED)
@pytest.mark.parametrize(("method", "program", "words"), PACKAGED.values())
def test_package_manager_gets_an_exact_command_or_an_explanation(tmp_path, method, program, words):
    windows = method in ("choco", "scoop")
    host = LINUX.replace(os="windows" if windows else "linux")
    entry = InstallEntry(method=method, package="gh")
    plan = plan_entry(entry, site(tmp_path, host=host, programs={program: f"/x/{program}"}))
    assert plan.is_possible
    assert plan.actions[-1].argv[-len(words) :] == words
    missing = plan_entry(entry, site(tmp_path, host=host))
    assert not missing.is_possible and missing.hint


def test_every_method_of_the_text_has_a_file():
    assert len(METHODS) == 13


@pytest.mark.parametrize("method", ["apt", "dnf", "pacman"])
def test_root_is_marked_and_goes_through_a_helper_that_asks(tmp_path, method):
    program = {"apt": "apt-get"}.get(method, method)
    entry = InstallEntry(method=method, package="gh")
    known = {program: f"/usr/bin/{program}"}
    plan = plan_entry(entry, site(tmp_path, programs=known))
    assert plan.needs_root and plan.actions[0].argv[0] == "/usr/bin/sudo"
    plan = plan_entry(entry, site(tmp_path, programs=known, is_root=True))
    assert plan.needs_root and plan.actions[0].argv[0] == f"/usr/bin/{program}"
    plan = plan_entry(entry, site(tmp_path, programs={**known, "sudo": None}))
    assert not plan.is_possible


@pytest.mark.proves("AIP29-INSTALL-08")
@pytest.mark.parametrize(("globally", "place"), [(True, "bin"), (False, "node_modules/.bin")])
def test_npm_goes_into_our_folder_without_scripts(tmp_path, globally, place):
    entry = InstallEntry(method="npm", package="@a/b@1", globally=globally)
    plan = plan_entry(entry, site(tmp_path, programs={"npm": "/usr/bin/npm"}))
    assert plan.binaries == (str(tmp_path / "p" / place / "demo"),)
    assert "--ignore-scripts" in plan.actions[0].argv
    assert ("--global" in plan.actions[0].argv) is globally


@pytest.mark.proves("AIP29-INSTALL-09")
@pytest.mark.parametrize("user", [True, False])
def test_pip_takes_wheels_into_an_environment_or_the_user_scheme(tmp_path, user):
    entry = InstallEntry(method="pip", package="demo>=1", user=user)
    plan = plan_entry(entry, site(tmp_path, programs={"python3": "/usr/bin/python3"}))
    assert ("--user" in plan.actions[-1].argv) is user
    assert ":all:" in plan.actions[-1].argv
    wanted = "/home/u/.local/bin/demo" if user else str(tmp_path / "p/venv/bin/demo")
    assert plan.binaries == (wanted,)


@pytest.mark.proves("AIP29-INSTALL-10")
def test_cargo_builds_into_our_folder_and_says_so(tmp_path):
    entry = InstallEntry(method="cargo", package="demo")
    plan = plan_entry(entry, site(tmp_path, programs={"cargo": "/usr/bin/cargo"}))
    assert plan.binaries == (str(tmp_path / "p" / "bin" / "demo"),)
    assert "runs code" in plan.notes[0]


@pytest.mark.parametrize(
    "package",
    ["-r", "--pre", "git+https://x/y", "https://x/y.tgz", "../x", "a b", "", "/etc/x", "a;b"],
)
@pytest.mark.parametrize("method", ["apt", "npm", "pip", "cargo", "go", "brew"])
def test_package_name_is_never_an_option_an_address_or_a_path(tmp_path, method, package):
    known = dict.fromkeys(("apt-get", "npm", "python3", "cargo", "go", "brew"), "/usr/bin/x")
    plan = plan_entry(InstallEntry(method=method, package=package), site(tmp_path, programs=known))
    assert not plan.is_possible


@pytest.mark.proves("AIP29-INSTALL-17", "AIP29-INSTALL-16")
@pytest.mark.parametrize("method", ["curl", "download"])
def test_nothing_is_downloaded_without_a_hash(tmp_path, method):
    entry = InstallEntry(method=method, url="https://x/y", extract_bin="bin/demo")
    plan = plan_entry(entry, site(tmp_path))
    assert "verify_sha256" in plan.why_not
    placeholder = plan_entry(entry.replace(has_placeholder=True), site(tmp_path))
    assert "placeholder" in placeholder.why_not
    insecure = entry.replace(url="http://x/y", sha256="0" * 64)
    assert "https" in plan_entry(insecure, site(tmp_path)).why_not


@pytest.mark.proves("AIP29-INSTALL-15")
@pytest.mark.parametrize(
    ("method", "system"),
    [
        ("apt", "darwin"),
        ("choco", "linux"),
        ("scoop", "darwin"),
        ("brew", "windows"),
        ("curl", "windows"),
    ],
)
def test_method_of_another_system_is_rejected(tmp_path, method, system):
    host = LINUX.replace(os=system)
    assert why_not_here(method, host)
    plan = plan_entry(InstallEntry(method=method, package="x"), site(tmp_path, host=host))
    assert not plan.is_possible


@pytest.mark.proves("AIP29-OPTIONAL-06", "AIP29-INSTALL-15")
def test_requirements_are_checked(tmp_path):
    assert (
        unmet(Requires(os=("linux",), arch=("x64",), min_disk_mb=10, min_memory_mb=10), LINUX) == []
    )
    wrong = Requires(os=("darwin",), arch=("arm64",), min_disk_mb=10**9, min_memory_mb=10**9)
    assert len(unmet(wrong, LINUX)) == 4
    assert find_host(str(tmp_path)).disk_mb > 0


@pytest.mark.proves("AIP29-INSTALL-19")
def test_experimental_method_is_skipped_with_notice(tmp_path):
    entry = InstallEntry(method="tap", package="x", experimental=True)
    assert "experimental" in plan_entry(entry, site(tmp_path)).why_not


@pytest.mark.proves("AIP29-INSTALL-14")
def test_vendored_program_stays_inside_the_bundle(tmp_path):
    program = tmp_path / "bin" / "demo"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    entry = InstallEntry(method="vendored", path="./bin/demo")
    assert "not executable" in plan_entry(entry, site(tmp_path)).why_not
    program.chmod(0o755)
    assert plan_entry(entry, site(tmp_path)).binaries == (str(program),)
    for path in ("../x", "/bin/sh", "./bin/none"):
        plan = plan_entry(entry.replace(path=path), site(tmp_path))
        assert not plan.is_possible
    (tmp_path / "link").symlink_to("/bin/sh")
    assert not plan_entry(entry.replace(path="link"), site(tmp_path)).is_possible


# --- archives and the worker ----------------------------------------------------------------------


def tar_of(**members) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name.replace("__", "/"))
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def test_one_member_is_read_and_nothing_else_matters():
    data = tar_of(pkg__bin__demo=b"x" * 100, **{"..__evil": b"y"})
    assert read_member(data, "pkg/bin/demo") == b"x" * 100
    assert read_member(data, "./pkg//bin/demo") == b"x" * 100
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a/demo", "z")
    assert read_member(out.getvalue(), "a/demo") == b"z"


def test_links_duplicates_damage_and_bombs_are_refused():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        link = tarfile.TarInfo("demo")
        link.type, link.linkname = tarfile.SYMTYPE, "/bin/sh"
        archive.addfile(link)
    cases = [
        (out.getvalue(), "archive.not-a-file"),
        (tar_of(demo=b"a", **{".__demo": b"b"}), "archive.twice"),
        (tar_of(other=b"a"), "archive.no-member"),
        (b"nothing", "archive.damaged"),
        (tar_of(demo=b"0" * 5_000_000), "format.too-large"),
    ]
    for data, code in cases:
        with pytest.raises(FormatError) as caught:
            read_member(data, "demo", max_bytes=1_000_000)
        assert caught.value.code == code


@pytest.mark.proves("AIP29-INSTALL-13", "AIP29-SECURITY-02", "AIP29-INSTALL-16")
def test_download_is_unpacked_only_with_the_right_hash(tmp_path):
    data = tar_of(pkg__demo=b"#!/bin/sh\n")
    digest = hashlib.sha256(data).hexdigest()
    worker = InstallWorker(lambda url, size: data)
    place = site(tmp_path)
    for sha256, right in ((digest, True), ("0" * 64, False)):
        entry = InstallEntry(
            method="download", url="https://x/y", extract_bin="pkg/demo", sha256=sha256
        )
        plan = plan_entry(entry, place)
        if right:
            for action in plan.actions:
                worker.do(action, place)
            target = plan.binaries[0]
            assert os.access(target, os.X_OK)
            os.unlink(target)
        else:
            with pytest.raises(TrustError):
                worker.do(plan.actions[0], place)
            assert not os.path.exists(plan.binaries[0])


# --- the whole ------------------------------------------------------------------------------------


class Worker:
    """Makes the program, or fails as told."""

    def __init__(self, failing=()) -> None:
        self.failing = failing
        self.done: list[str] = []

    def do(self, action, place) -> None:
        self.done.append(action.argv[0] if action.argv else action.kind)
        name = next((one for one in self.failing if one in str(action.argv)), None)
        os.makedirs(os.path.join(place.prefix, "half"), exist_ok=True)
        if name:
            raise AtipError("install.manager-failed", f"{name} failed")
        for folder in ("bin", "venv/bin"):
            os.makedirs(os.path.join(place.prefix, folder), exist_ok=True)
            path = os.path.join(place.prefix, folder, "demo")
            with open(path, "w") as file:
                file.write("#!/bin/sh\n")
            os.chmod(path, 0o755)


ENTRIES = [
    {"method": "tap", "package": "demo", "experimental": True},
    {"method": "cargo", "package": "demo"},
    {"method": "npm", "package": "demo", "global": True},
]


def installer(tmp_path, worker, findings, *, confirm=True, root=True, present=None, **changes):
    bundle = make_bundle(tmp_path / "demo", **{"install": ENTRIES, **changes})
    store = BundleStore(str(tmp_path / "data"), str(tmp_path / "programs"))
    answers = iter(findings)
    programs = {"cargo": "/x/cargo", "npm": "/x/npm", "apt-get": "/x/apt-get", "demo": present}
    notes: list[str] = []
    made = Installer(
        bundle, store, worker=worker, check=lambda program: next(answers),
        digest=lambda path: "sha256:0", find=programs.get, home=str(tmp_path),
        confirm=lambda proposal: confirm, confirm_root=lambda argv: root, note=notes.append, host=LINUX,
    )  # fmt: skip
    return made, store, notes


def left_behind(tmp_path):
    folder = tmp_path / "programs" / "demo@1"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.proves("AIP29-INSTALL-01", "AIP29-INSTALL-19", "AIP29-VERSION-06", "AIP29-SECURITY-03")
def test_entries_are_tried_in_order_until_one_passes_its_version_check(tmp_path):
    worker = Worker(failing=["cargo"])
    made, store, notes = installer(tmp_path, worker, [GOOD])
    installed = made.install()
    assert (installed.method, installed.version) == ("npm", "1.4")
    assert any("experimental" in note for note in notes)
    assert store.find("demo@1") == installed
    assert left_behind(tmp_path) == [os.path.basename(installed.prefix)]


@pytest.mark.proves("AIP29-VERSION-07")
def test_failed_check_installs_once_more_and_then_reports_a_mismatch(tmp_path):
    worker = Worker()
    made, store, _ = installer(tmp_path, worker, [BAD, GOOD], install=[ENTRIES[1]])
    assert made.install().method == "cargo"
    assert len(worker.done) == 2
    worker = Worker()
    made, store, _ = installer(tmp_path, worker, [BAD] * 9, install=[ENTRIES[1]])
    store.remove("demo@1")
    with pytest.raises(AtipError) as caught:
        made.install()
    assert caught.value.code == "version_mismatch"
    assert (caught.value.details["found"], caught.value.details["range"]) == ("3.0", ">=1.2 <2")
    assert len(worker.done) == 2
    assert left_behind(tmp_path) == [] and store.find("demo@1") is None


def test_failure_of_every_way_leaves_nothing_and_names_each(tmp_path):
    made, _store, _ = installer(tmp_path, Worker(failing=["cargo", "npm"]), [])
    with pytest.raises(AtipError) as caught:
        made.install()
    assert caught.value.code == "bundle.install-failed"
    assert len(caught.value.details["tried"]) == 3
    assert left_behind(tmp_path) == []


def test_nothing_happens_without_a_yes(tmp_path):
    worker = Worker()
    made, store, _ = installer(tmp_path, worker, [GOOD], confirm=False)
    with pytest.raises(Denied):
        made.install()
    assert worker.done == [] and store.find("demo@1") is None


def test_root_command_needs_its_own_yes(tmp_path):
    worker = Worker()
    entries = [{"method": "apt", "package": "demo"}]
    made, _store, _ = installer(tmp_path, worker, [GOOD], root=False, install=entries)
    with pytest.raises(Denied) as caught:
        made.install()
    assert caught.value.code == "bundle.root-not-confirmed"
    assert worker.done == [] and left_behind(tmp_path) == []


def test_program_that_is_there_and_in_range_is_used_as_it_is(tmp_path):
    worker = Worker()
    made, _store, _ = installer(tmp_path, worker, [GOOD], present="/usr/bin/demo")
    assert made.install().binary == "/usr/bin/demo"
    assert worker.done == []
    made, _, _ = installer(tmp_path, worker, [BAD, GOOD], present="/usr/bin/demo")
    assert made.install().method == "cargo"


def test_machine_that_does_not_fit_is_refused(tmp_path):
    made, _, _ = installer(tmp_path, Worker(), [], requires={"os": ["darwin"]})
    with pytest.raises(AtipError) as caught:
        made.install()
    assert caught.value.code == "bundle.requirements"


def test_killed_attempt_is_swept_by_the_next_install(tmp_path):
    made, store, _ = installer(tmp_path, Worker(), [GOOD])
    stale = store.new_prefix("demo@1")
    installed = made.install()
    assert not os.path.exists(stale)
    assert left_behind(tmp_path) == [os.path.basename(installed.prefix)]


def test_key_can_name_no_other_folder(tmp_path):
    store = BundleStore(str(tmp_path / "data"), str(tmp_path / "programs"))
    for key in ("../x@1", "a/b@1", "a", "@1", "A@1", "a@1/.."):
        with pytest.raises(AtipError):
            store.folder(key)


def test_the_log_of_a_manager_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(work, "MAX_LOG", 100_000)
    log = os.open(tmp_path / "log", os.O_RDWR | os.O_CREAT)
    try:
        action = Action(kind="run", argv=("/bin/sh", "-c", "yes | head -c 3000000; exit 3"))
        assert work._run_logged(action, {"PATH": "/usr/bin:/bin"}, log) == 3
        assert os.fstat(log).st_size == 100_000
    finally:
        os.close(log)
