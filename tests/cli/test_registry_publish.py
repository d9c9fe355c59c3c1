"""`registry build · sign · check · serve` as a person types them, and a client that reads the result."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import pytest

from tests.cli.run import atip
from tests.unit.registry.publish.source import digits_of, shim_of

pytest.importorskip("tuf")


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "registry"
    (folder / "shims").mkdir(parents=True)
    settings = {"name": "Acme Tools", "url": "https://registry.example"}
    (folder / "publisher.json").write_text(json.dumps(settings))
    add(tmp_path, "a")
    return tmp_path


def add(home, content, **changes):
    path = home / "registry" / "shims" / f"{digits_of(content)}.json"
    path.write_text(json.dumps(shim_of(content, **changes)))
    return path


def test_build_prints_what_it_did_and_what_to_pin(home):
    ran = atip("registry", "build", "registry", home=home)
    assert ran.code == 0, ran
    assert re.search(r"registry/public: 1 shim, 1 new, 0 changed, 0 removed\n", ran.out)
    assert re.search(r"fingerprint: sha256:[0-9a-f]{64}\n", ran.out)
    assert "keep the root keys elsewhere" in ran.err
    keys = home / ".config/agent-tools/keys/acme-tools"
    assert (keys / "timestamp.pem").exists()
    assert atip("registry", "check", "registry/public", home=home).code == 0


def test_json_shapes_are_pinned(home):
    built = atip("registry", "build", "registry", "--json", home=home).document
    assert sorted(built) == [
        "added", "advice", "bins", "changed", "fingerprint", "firstRelease", "place", "release",
        "removed", "shims",
    ]  # fmt: skip
    signed = atip("registry", "sign", "registry", "--json", home=home).document
    assert signed == {"signed": [digits_of("a")], "kept": 0, "skipped": []}
    again = atip("registry", "sign", "registry", "--refresh", "--json", home=home).document
    assert sorted(again) == ["expires", "place", "root", "rotated", "timestamp", "written"]
    checked = atip("registry", "check", "registry/public", "--json", home=home).document
    assert checked["ok"] is True
    assert sorted(checked) == ["ok", "path", "problems", "shims"]


def test_refused_build_names_the_shim_and_the_reason(home):
    add(home, "b", trust={"source": "user", "verified": False})
    ran = atip("registry", "build", "registry", "--json", home=home)
    assert ran.code == 1
    error = ran.document["error"]
    assert error["code"] == "publish.refused"
    assert error["details"]["problems"][0]["code"] == "publish.source"
    assert atip("registry", "check", "registry", home=home).code == 1


def test_approval_needs_a_terminal(home):
    ran = atip("registry", "build", "registry", "--approve", digits_of("a"), "--json", home=home)
    assert ran.document["error"]["code"] == "consent.no-terminal"
    assert not (home / "registry" / "approvals.json").exists()
    assert not (home / "registry" / "public").exists()


def test_release_date_makes_builds_reproducible(home):
    for place in ("one", "two"):
        ran = atip("registry", "build", "registry", "--to", place, "--unsigned", "--release",
                   "2026-01-15", home=home)  # fmt: skip
        assert ran.code == 0, ran
    for path in (home / "one").rglob("*.json"):
        other = home / "two" / path.relative_to(home / "one")
        assert path.read_bytes() == other.read_bytes()


@pytest.mark.proves("ATIP6-4.9-03", "ATIP6-4.9-04")
def test_contribution_workflow_from_binary_to_published_shim(home):
    """§4.9 step by step: binary, hash, shim, validate, sign, submit."""
    binary = home / "mytool-1.0.0-linux-amd64"
    shutil.copy("/bin/echo", binary)
    digits = hashlib.sha256(binary.read_bytes()).hexdigest()
    shim = home / "registry" / "shims" / f"{digits}.json"
    facts = {"name": "mytool", "version": "1.0.0", "platform": "linux-amd64"}
    shim.write_text(json.dumps(shim_of("x", binary={"hash": f"sha256:{digits}", **facts})))
    assert atip("validate", str(shim), home=home).code == 0
    assert atip("registry", "check", str(shim), home=home).code == 0
    assert atip("registry", "sign", "registry", digits, home=home).code == 0
    assert atip("registry", "build", "registry", home=home).code == 0
    published = home / "registry/public/shims/sha256"
    assert (published / f"{digits}.json").read_bytes() == shim.read_bytes()
    assert (published / f"{digits}.json.bundle").exists()
    assert not (published / f"{digits_of('a')}.json.bundle").exists()


def test_shims_and_metadata_are_not_signed_at_once(home):
    ran = atip("registry", "sign", "registry", "--refresh", "--again", "--json", home=home)
    assert (ran.code, ran.document["error"]["code"]) == (2, "cli.usage")


class Served:
    """`atip registry serve` as a process."""

    def __init__(self, folder: pathlib.Path, *words: str, **env: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "atip.cli.main", "registry", "serve", str(folder), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "HOME": str(folder), **env},
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().decode().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_failure):
        self.process.send_signal(signal.SIGTERM)
        self.out, self.err = self.process.communicate(timeout=20)


def test_served_registry_is_added_synchronised_and_used(home):
    """Publisher and client, both real: a signed shim of a program on this machine reaches its index."""
    (home / "bin").mkdir()
    program = home / "bin" / "sayer"
    shutil.copy("/bin/echo", program)
    digits = hashlib.sha256(program.read_bytes()).hexdigest()
    facts = {"name": "sayer", "version": "1.0", "platform": "linux-amd64"}
    shim = home / "registry" / "shims" / f"{digits}.json"
    shim.write_text(json.dumps(shim_of("x", binary={"hash": f"sha256:{digits}", **facts})))
    assert atip("registry", "sign", "registry", home=home).code == 0
    fingerprint = atip("registry", "build", "registry", "--json", home=home).document["fingerprint"]
    public_key = home / ".config/agent-tools/keys/acme-tools/shims.pub"
    with Served(home / "registry/public", "--token-env", "TOKEN", TOKEN="s3cret") as served:
        added = atip(
            "registry", "add", served.url, "--name", "acme", "--fingerprint", fingerprint,
            "--key", "cosign", str(public_key), "--require-signatures", "--token-env", "MINE",
            home=home, MINE="s3cret",
        )  # fmt: skip
        assert added.code == 0, added
        scanned = atip("scan", "--path", str(home / "bin"), "--json", home=home, MINE="s3cret")
        assert scanned.code == 0, scanned
        synced = atip("registry", "sync", "--json", home=home, MINE="s3cret")
        assert synced.code == 0, synced
        listed = atip("list", "--json", home=home, MINE="s3cret").document["tools"]
        shown = atip("show", "sayer", "--json", home=home, MINE="s3cret").document
    assert [(tool["name"], tool["source"]) for tool in listed] == [("sayer", "shim")]
    assert shown["binary"]["hash"] == f"sha256:{digits}"
    # No request named a hash that the registry does not know.
    asked = set(re.findall(r"[0-9a-f]{64}", served.err.decode()))
    assert asked <= {digits, digits_of("a")}
    assert "s3cret" not in served.err.decode()


def test_client_follows_a_rotated_root_and_refuses_a_tampered_tree(home):
    fingerprint = atip("registry", "build", "registry", "--json", home=home).document["fingerprint"]
    with Served(home / "registry/public") as served:
        words = ("registry", "add", served.url, "--name", "acme", "--fingerprint", fingerprint)
        assert atip(*words, home=home).code == 0
        for role in ("root", "timestamp"):
            assert atip("registry", "sign", "registry", "--rotate", role, home=home).code == 0
        assert atip("registry", "sync", "--json", "--refresh", home=home).code == 0
        timestamp = home / "registry/public/tuf/timestamp.json"
        timestamp.write_bytes(timestamp.read_bytes().replace(b'"version":', b'"version":9'))
        refused = atip("registry", "sync", "--json", "--refresh", home=home)
    assert served.process.returncode == 0
    assert (refused.code, "tuf." in refused.out) == (1, True), refused
