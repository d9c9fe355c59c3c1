"""Both halves together: what `registry build` and `sign` make, `serve` gives, and the client reads and proves."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("tuf")
pytest.importorskip("sigstore")

from tests.cli.run import atip
from tests.simulators.registry import shim_of


class Publisher:
    """A folder of contributions, published and served by processes of their own."""

    def __init__(self, folder, home) -> None:
        self.folder, self.home = folder / "contributions", home
        (self.folder / "shims").mkdir(parents=True)
        settings = {"name": "Ours", "url": "http://127.0.0.1:1", "kind": "private"}
        (self.folder / "publisher.json").write_text(json.dumps(settings))

    def put(self, shim: dict) -> None:
        name = shim["binary"]["hash"][7:]
        (self.folder / "shims" / f"{name}.json").write_text(json.dumps(shim))

    def publish(self, *, sign: bool = True, again: bool = False) -> str:
        if sign:
            extra = ["--again"] if again else []
            signed = atip("registry", "sign", str(self.folder), *extra, home=self.home)
            assert signed.code == 0, signed
        built = atip("registry", "build", str(self.folder), home=self.home)
        assert built.code == 0, built
        found = re.search(r"fingerprint: (sha256:\w+)", built.out)
        root = (self.folder / "public/tuf/1.root.json").read_bytes()
        return found[1] if found else "sha256:" + hashlib.sha256(root).hexdigest()

    @property
    def key(self) -> str:
        (found,) = self.home.rglob("shims.pub")
        return str(found)

    def serve(self):
        env = {**os.environ, "HOME": str(self.home)}
        return subprocess.Popen(
            [sys.executable, "-m", "atip.cli.main", "registry", "serve", str(self.folder / "public")],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env,
        )  # fmt: skip


@pytest.fixture
def served(tmp_path):
    """A program, a signed shim of it, and the registry that holds it, on loopback."""
    (tmp_path / "publisher").mkdir()
    home = tmp_path / "user"
    (home / "bin").mkdir(parents=True)
    shutil.copy("/bin/echo", home / "bin" / "sayer")
    digest = "sha256:" + hashlib.sha256((home / "bin/sayer").read_bytes()).hexdigest()
    publisher = Publisher(tmp_path, tmp_path / "publisher")
    publisher.put(shim_of(digest, "sayer"))
    fingerprint = publisher.publish()
    server = publisher.serve()
    try:
        url = re.search(r"http://\S+", server.stdout.readline())[0].rstrip("/")
        yield publisher, home, url, fingerprint, digest
    finally:
        server.terminate()
        server.wait(10)
        server.stdout.close()


def test_what_is_published_is_found_and_its_signature_counts(served):
    publisher, home, url, fingerprint, digest = served
    added = atip(
        "registry", "add", url, "--fingerprint", fingerprint, "--require-signatures",
        "--key", "cosign", publisher.key, "--json", home=home,
    )  # fmt: skip
    assert added.code == 0, added
    atip("scan", "--path", str(home / "bin"), home=home)
    (tool,) = atip("list", "--json", home=home).document["tools"]
    assert (tool["hash"], tool["shimRegistry"]) == (digest, url)
    verdict = atip("verify", "sayer", "--json", home=home).document
    assert (verdict["capability"], verdict["security"]["attestedBy"]) == ("attested", "shims.pub")

    publisher.put(shim_of(digest, "sayer", description="Better words"))
    publisher.publish(again=True)
    done = atip("registry", "sync", "--json", home=home).document
    assert (done["fetched"], done["changed"], done["problems"]) == (1, ["sayer"], [])
    shown = atip("show", "sayer", "--json", home=home).document
    assert shown["description"] == "Better words"


def test_a_file_changed_behind_the_publishers_back_is_refused(served):
    publisher, home, url, fingerprint, digest = served
    atip("registry", "add", url, "--fingerprint", fingerprint, home=home)
    path = publisher.folder / "public/shims/sha256" / f"{digest[7:]}.json"
    path.write_bytes(path.read_bytes().replace(b"true", b"null"))
    atip("scan", "--path", str(home / "bin"), home=home)
    done = atip("registry", "sync", "--json", home=home).document
    assert done["found"] == 0
    assert {problem["code"] for problem in done["problems"]} <= {"tuf.mismatch", "http.truncated"}
    assert done["problems"]
