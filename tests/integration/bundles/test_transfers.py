"""Installs that really transfer: `download` and `cargo` from loopback HTTPS with a test authority; choco and scoop by stand-ins.

The stand-in of a manager takes the manager's own arguments and refuses others; it fetches the program from the server.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

from atip.bundles.install.work import InstallWorker, fetch_with
from atip.bundles.installing import Installer
from atip.bundles.requirements import HostMachine
from atip.bundles.state import BundleStore
from atip.bundles.versions import judge_version
from atip.errors import AtipError
from atip.system.network.http_addresses import Access
from tests.simulators.bundle_host import make_bundle
from tests.simulators.certificates import server_context
from tests.simulators.fault_server import FaultServer, body

PROGRAM = b"#!/bin/sh\necho demo 1.4.0\n"
STAND_IN = """#!{python}
import argparse, os, ssl, sys, urllib.request
parser = argparse.ArgumentParser(prog={name!r})
{options}
given = parser.parse_args()
data = urllib.request.urlopen(os.environ["DEMO_URL"], timeout=20, context=ssl.create_default_context()).read()
target = {target}
os.makedirs(os.path.dirname(target), exist_ok=True)
with open(target, "wb") as file:
    file.write(data)
os.chmod(target, 0o755)
print("installed", given.package)
"""
COMMON = 'parser.add_argument("command", choices=["install"])\nparser.add_argument("package")'
MANAGERS = {
    "cargo": (
        f'{COMMON}\nparser.add_argument("--root", required=True)\nparser.add_argument("--quiet", action="store_true")',
        'os.path.join(given.root, "bin", given.package)',
        HostMachine(os="linux", arch="x64", disk_mb=9000, memory_mb=9000),
    ),
    "choco": (
        f'{COMMON}\nparser.add_argument("--yes", action="store_true", required=True)',
        'os.path.join(os.environ["DEMO_PATH"], given.package)',
        HostMachine(os="windows", arch="x64", disk_mb=9000, memory_mb=9000),
    ),
    "scoop": (
        COMMON,
        'os.path.join(os.environ["DEMO_PATH"], given.package)',
        HostMachine(os="windows", arch="x64", disk_mb=9000, memory_mb=9000),
    ),
}


def archive() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, data in (("demo-1.4/README", b"read me"), ("demo-1.4/bin/demo", PROGRAM)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return made.getvalue()


@pytest.fixture
def server(tmp_path, monkeypatch):
    context, authority = server_context(tmp_path, "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    pages = {"/demo.tar.gz": body(archive()), "/demo": body(PROGRAM)}
    with FaultServer(pages, tls=context) as running:
        yield running


def installer(tmp_path, server, entry, host, *, root=True):
    bundle = make_bundle(tmp_path / "demo", install=[entry])
    path = os.pathsep.join([str(tmp_path / "bin"), str(tmp_path / "path")])
    questions: list[tuple[str, ...]] = []

    def check(program):
        done = subprocess.run(
            [program.binary, "--version"], capture_output=True, text=True, check=False
        )
        return judge_version(bundle.manifest.version_check, done.stdout, done.returncode)

    def confirm_root(argv):
        questions.append(argv)
        return root

    made = Installer(
        bundle,
        BundleStore(str(tmp_path / "data"), str(tmp_path / "programs")),
        worker=InstallWorker(fetch_with(Access(private=(server.url,)))),
        check=check,
        digest=lambda path: hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest(),
        find=lambda name: shutil.which(name, path=path),
        home=str(tmp_path),
        confirm=lambda proposal: True,
        confirm_root=confirm_root,
        note=lambda text: None,
        host=host,
    )
    return made, questions


def stand_in(tmp_path, name: str) -> None:
    options, target, _host = MANAGERS[name]
    program = tmp_path / "bin" / name
    program.parent.mkdir(exist_ok=True)
    program.write_text(
        STAND_IN.format(python=sys.executable, name=name, options=options, target=target)
    )
    program.chmod(0o755)


LINUX = MANAGERS["cargo"][2]


def download(server, sha256: str) -> dict[str, str]:
    return {
        "method": "download",
        "url": f"{server.url}/demo.tar.gz",
        "extract_bin": "demo-1.4/bin/demo",
        "verify_sha256": sha256,
    }


@pytest.mark.proves("AIP29-INSTALL-90")
def test_download_transfers_checks_and_unpacks(tmp_path, server):
    entry = download(server, hashlib.sha256(archive()).hexdigest())
    made, _ = installer(tmp_path, server, entry, LINUX)
    done = made.install()
    assert (done.method, done.version) == ("download", "1.4.0")
    assert pathlib.Path(done.binary).read_bytes() == PROGRAM
    assert os.path.commonpath([done.binary, tmp_path]) == str(tmp_path)


@pytest.mark.parametrize("wrong", ["hash", "authority", "member"])
def test_download_that_is_not_the_named_file_leaves_nothing(tmp_path, server, monkeypatch, wrong):
    entry = download(server, hashlib.sha256(archive()).hexdigest())
    if wrong == "hash":
        entry["verify_sha256"] = "0" * 64
    elif wrong == "authority":
        monkeypatch.delenv("SSL_CERT_FILE")
    else:
        entry["extract_bin"] = "demo-1.4/bin/other"
    made, _ = installer(tmp_path, server, entry, LINUX)
    with pytest.raises(AtipError):
        made.install()
    assert not list((tmp_path / "programs").rglob("demo"))


@pytest.mark.parametrize("name", sorted(MANAGERS))
def test_manager_gets_its_own_arguments_and_what_it_fetched_is_used(
    tmp_path, server, monkeypatch, name
):
    stand_in(tmp_path, name)
    monkeypatch.setenv("DEMO_URL", f"{server.url}/demo")
    monkeypatch.setenv("DEMO_PATH", str(tmp_path / "path"))
    made, asked = installer(
        tmp_path, server, {"method": name, "package": "demo"}, MANAGERS[name][2]
    )
    done = made.install()
    assert (done.method, done.version) == (name, "1.4.0")
    assert pathlib.Path(done.binary).read_bytes() == PROGRAM
    assert len(asked) == (name == "choco")


@pytest.mark.parametrize("name", ["choco", "scoop"])
def test_manager_that_fails_is_named_with_what_it_said(tmp_path, server, monkeypatch, name):
    stand_in(tmp_path, name)
    monkeypatch.setenv("DEMO_URL", f"{server.url}/missing")
    monkeypatch.setenv("DEMO_PATH", str(tmp_path / "path"))
    made, _ = installer(tmp_path, server, {"method": name, "package": "demo"}, MANAGERS[name][2])
    with pytest.raises(AtipError) as caught:
        made.install()
    assert caught.value.code == "bundle.install-failed"
    assert "404" in str(caught.value)


def crate() -> bytes:
    """A package as a registry has it, whose program answers with its version."""
    files = {
        "Cargo.toml": '[package]\nname = "demo"\nversion = "1.4.0"\nedition = "2021"\n[[bin]]\nname = "demo"\npath = "src/main.rs"\n',
        "src/main.rs": 'fn main() { println!("demo 1.4.0"); }\n',
    }
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(f"demo-1.4.0/{name}")
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return made.getvalue()


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_cargo_itself_fetches_and_builds_from_a_registry(tmp_path, monkeypatch):
    """A sparse registry on loopback, over HTTPS with an authority of our own."""
    context, authority = server_context(tmp_path, "127.0.0.1")
    packed = crate()
    pages: dict[str, object] = {}
    with FaultServer(pages, tls=context) as running:
        line = {
            "name": "demo", "vers": "1.4.0", "deps": [], "features": {}, "yanked": False,
            "cksum": hashlib.sha256(packed).hexdigest(),
        }  # fmt: skip
        pages["/index/config.json"] = body(json.dumps({"dl": f"{running.url}/crates"}).encode())
        pages["/index/de/mo/demo"] = body(json.dumps(line).encode())
        pages["/crates/demo/1.4.0/download"] = body(packed)
        home = tmp_path / "cargo-home"
        home.mkdir()
        (home / "config.toml").write_text(
            f'[source.crates-io]\nreplace-with = "near"\n[source.near]\nregistry = "sparse+{running.url}/index/"\n'
            f'[http]\ncainfo = "{authority}"\n[net]\nretry = 0\n'
        )
        monkeypatch.setenv("CARGO_HOME", str(home))
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "cargo").symlink_to(shutil.which("cargo"))
        entry = {"method": "cargo", "package": "demo"}
        made, _ = installer(tmp_path, running, entry, LINUX)
        done = made.install()
        assert (done.method, done.version) == ("cargo", "1.4.0")
        assert pathlib.Path(done.binary).read_bytes()[:4] == b"\x7fELF"
        assert "/crates/demo/1.4.0/download" in [request.path for request in running.requests]
