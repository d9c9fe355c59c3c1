"""Two registries, an organisation's policy, a signed shim for a real program: found, proven, and tampering caught at
each hop – server, transport, metadata, cache, store, program."""

from __future__ import annotations

import hashlib
import json
import pathlib
import shutil

import pytest

minisign = pytest.importorskip("minisign")

from atip.registry import tree  # noqa: E402
from tests.cli.run import atip  # noqa: E402
from tests.simulators.registry import RegistrySimulator, shim_of  # noqa: E402

PAIR = minisign.KeyPair.generate()
ORGANIZATION = {
    "policy": {
        "version": "1",
        "organization": "Acme",
        "approval": {"mode": "allowlist"},
        "trust": {"requireSignatures": True, "allowedSigners": ["secops@*", "secops.pub"]},
        "execution": {"requireConfirmation": {"destructive": True}},
    }
}
CALM = {"network": False, "destructive": False, "reversible": True, "subprocess": False,
        "filesystem": {"read": False, "write": False, "delete": False}}  # fmt: skip
WORDS = {
    "name": "words",
    "description": "What to say",
    "type": "string",
    "variadic": True,
    "required": False,
}
COMMANDS = {"": {"description": "Says words", "arguments": [WORDS], "effects": CALM}}


class Scene:
    """A home with a copied program, an organisation's registry (signed) and a community one (not)."""

    def __init__(self, home: pathlib.Path) -> None:
        self.home = home
        (home / "bin").mkdir()
        self.program = home / "bin" / "sayer"
        shutil.copy("/bin/echo", self.program)
        self.other = home / "bin" / "stranger"
        shutil.copy("/bin/true", self.other)
        self.digest = digest_of(self.program)
        self.key = home / "secops.pub"
        self.key.write_bytes(bytes(PAIR.public_key))
        self.acme, self.community = RegistrySimulator(), RegistrySimulator()
        self.publish(shim_of(self.digest, "sayer", commands=COMMANDS))
        self.acme.put(tree.POLICY, ORGANIZATION)
        self.acme.put_manifest(requireSignatures=True)
        self.acme.publish()
        for program in (self.program, self.other):
            self.community.add(shim_of(digest_of(program), program.name, description="community"))
        self.community.put_manifest()
        self.community.publish()
        rules = [{"decision": "allow", "tools": ["sayer", "stranger"], "name": "ours"}]
        config = home / ".config" / "agent-tools"
        config.mkdir(parents=True)
        (config / "policy.json").write_text(
            json.dumps({"policy": {"version": "1", "rules": rules}})
        )
        (config / "policy.json").chmod(0o600)

    def publish(self, shim: dict, pair=PAIR) -> None:
        data = json.dumps(shim).encode()
        self.acme.add(data, bytes(pair.secret_key.sign(data)))
        self.acme.publish()

    def add(self, acme, community) -> None:
        """What `registry add` writes (tests/cli/test_registry.py)."""
        key = {"type": "minisign", "file": str(self.key), "name": "secops.pub"}
        entries = [
            {"name": "acme", "url": acme.url, "root": self.acme.fingerprint, "priority": 10,
             "organization": True, "keys": [key]},
            {"name": "community", "url": community.url, "root": self.community.fingerprint},
        ]  # fmt: skip
        path = self.home / ".config" / "agent-tools" / "registries.json"
        path.write_text(json.dumps({"registries": entries}))
        path.chmod(0o600)

    def atip(self, *words: str, **env: str):
        path = f"{self.home / 'bin'}:/usr/bin:/bin"
        return atip(*words, home=self.home, PATH=path, **env)

    def scan(self):
        return self.atip("scan", "--path", str(self.home / "bin"), "--json")

    def tools(self) -> dict[str, dict]:
        return {tool["name"]: tool for tool in self.atip("list", "--json").document["tools"]}

    def check(self, line: str) -> dict:
        return self.atip("policy", "check", line, "--json").document


def digest_of(path: pathlib.Path) -> str:
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def scene(tmp_path):
    scene = Scene(tmp_path)
    with scene.acme.serve() as acme, scene.community.serve() as community:
        scene.acme_server, scene.community_server = acme, community
        scene.add(acme, community)
        yield scene


@pytest.mark.proves("ATIP6-4.8-01", "ATIP6-4.8-02", "ATIP6-3.2.2-10", "ATIP1-3.3.1-02")
def test_a_signed_shim_is_found_proven_and_enforced(scene):
    assert scene.atip("registry", "sync", "--json").code == 0
    scene.scan()
    tools = scene.tools()
    # The organisation approves by allowlist: a program it does not know is described by nobody.
    assert tools["sayer"]["shimRegistry"] == scene.acme_server.url
    assert "shimRegistry" not in tools["stranger"]
    verdict = scene.atip("verify", "sayer", "--json").document
    assert verdict["capability"] == "attested"
    assert verdict["security"]["attestedBy"] == "secops.pub"
    assert scene.check("sayer hello")["decision"] == "allow"
    denied = scene.check("stranger")
    assert (denied["decision"], denied["rule"]) == ("deny", "organisation: allowlist")
    ran = scene.atip("run", "--", "sayer", "hello")
    assert (ran.code, ran.out) == (0, "hello\n"), ran
    assert scene.atip("run", "--", "stranger").code == 126


def test_another_program_of_the_same_name_is_not_the_approved_one(scene, tmp_path):
    scene.atip("registry", "sync")
    scene.scan()
    fake = tmp_path / "sayer"
    shutil.copy("/bin/true", fake)
    assert scene.check(f"{fake} hello")["decision"] == "deny"
    shutil.copy("/bin/true", scene.program)
    assert scene.check("sayer hello")["decision"] == "deny"
    assert scene.atip("run", "--", "sayer", "hello").code == 126


def test_tampering_at_the_server_is_caught(scene):
    """Somebody who can write the organisation's tree, but holds no key."""
    path = tree.shim_path(scene.digest)
    scene.acme.files[path] = scene.acme.files[path].replace(b"Does what", b"Does that")
    scene.scan()
    assert "shimRegistry" not in scene.tools()["sayer"]
    ran = scene.atip("registry", "sync", "--json")
    assert {problem["code"] for problem in ran.document["problems"]} == {"tuf.mismatch"}
    assert ran.code == 1


def test_tampering_with_the_metadata_is_caught(scene):
    name = tree.metadata_path(tree.bin_of(tree.shim_path(scene.digest), 1), 1)
    scene.acme.files[name] = scene.acme.files[name].replace(b'"length":', b'"length": ')
    scene.scan()
    assert "shimRegistry" not in scene.tools()["sayer"]
    found = scene.atip("registry", "sync", "--json").document["problems"]
    assert {problem["code"] for problem in found} <= {"tuf.mismatch", "http.too-large"} and found


def test_a_shim_signed_by_somebody_else_is_caught_even_when_the_index_lists_it(scene):
    """Somebody who can publish, but is not secops."""
    scene.publish(shim_of(scene.digest, "sayer"), minisign.KeyPair.generate())
    scene.scan()
    (problem,) = scene.atip("registry", "sync", "--json").document["problems"]
    assert problem["code"] == "registry.signature"
    assert "shimRegistry" not in scene.tools()["sayer"]


def test_an_old_state_of_the_registry_is_caught(scene):
    scene.atip("registry", "sync")
    yesterday = dict(scene.acme.files)
    scene.publish(shim_of(scene.digest, "sayer", commands=COMMANDS, description="newer"))
    scene.scan()
    scene.atip("registry", "sync")
    scene.acme.files.clear()
    scene.acme.files.update(yesterday)
    found = scene.atip("registry", "sync", "--json").document["problems"]
    assert {problem["code"] for problem in found} == {"tuf.rollback"}


def test_tampering_in_the_cache_is_caught_and_mended(scene):
    scene.atip("registry", "sync")
    scene.scan()
    (cached,) = (scene.home / ".cache").rglob(f"{scene.digest[7:]}.json")
    honest = cached.read_bytes()
    cached.write_bytes(honest.replace(b"Does what", b"Does that"))
    assert scene.check("sayer hello")["decision"] == "deny"
    assert not cached.exists()
    assert scene.atip("registry", "sync", "--json").document["fetched"] == 1
    assert cached.read_bytes() == honest
    assert scene.check("sayer hello")["decision"] == "allow"


def test_tampering_in_the_store_is_caught(scene):
    scene.atip("registry", "sync")
    scene.scan()
    stored = scene.home / ".local/share/agent-tools/shims/sha256" / f"{scene.digest[7:]}.json"
    stored.write_bytes(stored.read_bytes().replace(b"Does what", b"Does that"))
    ran = scene.atip("show", "sayer", "--json")
    assert (ran.code, ran.document["error"]["code"]) == (1, "store.corrupt")


def test_blocking_the_organisation_does_not_let_the_community_answer(scene):
    scene.acme.files.clear()
    scene.scan()
    assert "shimRegistry" not in scene.tools()["sayer"]
    assert not any("shims" in path for path in scene.community_server.paths)


def test_a_policy_that_vanished_stays_in_force(scene):
    scene.atip("registry", "sync")
    del scene.acme.files[tree.POLICY]
    scene.acme.publish()
    scene.atip("registry", "sync")
    layers = scene.atip("policy", "show", "--json").document["layers"]
    assert [(layer["layer"], layer["allowlist"]) for layer in layers] == [
        ("organisation", True),
        ("user", False),
    ]
