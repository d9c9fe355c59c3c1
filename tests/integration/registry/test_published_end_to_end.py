"""Two registries made by the publisher and read by the client: an organisation's, signed, with a policy; a community's."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.cli.run import atip
from tests.cli.test_registry_publish import Served
from tests.unit.registry.publish.source import digits_of, shim_of

pytest.importorskip("tuf")

CALM = {"network": False, "destructive": False, "reversible": True, "subprocess": False,
        "filesystem": {"read": False, "write": False, "delete": False}}  # fmt: skip
WORDS = {"name": "words", "description": "What to say", "type": "string", "variadic": True}
COMMANDS = {
    "": {"description": "Says", "arguments": [{**WORDS, "required": False}], "effects": CALM}
}
POLICY = {
    "policy": {
        "version": "1",
        "organization": "Acme",
        "approval": {"mode": "allowlist"},
        "trust": {"requireSignatures": True},
    }
}
RULES = [{"decision": "allow", "tools": ["sayer", "stranger"], "name": "ours"}]


class Scene:
    """A home with two programs and two source folders."""

    def __init__(self, home) -> None:
        self.home = home
        (home / "bin").mkdir()
        self.digits = {}
        for name, original in (("sayer", "/bin/echo"), ("stranger", "/bin/true")):
            shutil.copy(original, home / "bin" / name)
            self.digits[name] = digits_of((home / "bin" / name).read_bytes())
        config = home / ".config" / "agent-tools"
        config.mkdir(parents=True)
        policy = config / "policy.json"
        policy.write_text(json.dumps({"policy": {"version": "1", "rules": RULES}}))
        policy.chmod(0o600)
        settings = {"kind": "private", "requireSignatures": True}
        keys = [{"type": "cosign", "file": "shims.pub"}]
        self.source("acme", {**settings, "keys": keys}, ["sayer"])
        (home / "acme" / "policy.json").write_text(json.dumps(POLICY))
        self.atip("registry", "sign", "acme", "--keys", "acme-keys")
        shutil.copy(home / "acme-keys" / "shims.pub", home / "acme")
        self.source("community", {}, ["sayer", "stranger"])
        self.pins = {name: self.build(name) for name in ("acme", "community")}

    def source(self, name, settings, tools) -> None:
        (self.home / name / "shims").mkdir(parents=True)
        facts = {"name": name, "url": f"https://{name}.example", **settings}
        (self.home / name / "publisher.json").write_text(json.dumps(facts))
        for tool in tools:
            self.shim(name, tool)

    def shim(self, name, tool, **changes) -> None:
        digits = self.digits[tool]
        binary = {"hash": f"sha256:{digits}", "name": tool, "version": "1", "platform": "any"}
        document = shim_of(
            "x", **{"binary": binary, "commands": COMMANDS, "patterns": None, **changes}
        )
        (self.home / name / "shims" / f"{digits}.json").write_text(json.dumps(document))

    def build(self, name) -> str:
        words = ("registry", "build", name, "--keys", f"{name}-keys", "--json")
        return self.atip(*words).document["fingerprint"]

    def atip(self, *words, code=0):
        ran = atip(*words, home=self.home, PATH=f"{self.home / 'bin'}:/usr/bin:/bin")
        assert ran.code == code, ran
        return ran

    def add(self, acme, community) -> None:
        self.atip(
            "registry", "add", acme.url, "--name", "acme", "--fingerprint", self.pins["acme"],
            "--priority", "10", "--organization", "--key", "cosign", str(self.home / "acme/shims.pub"),
        )  # fmt: skip
        pin = self.pins["community"]
        self.atip("registry", "add", community.url, "--name", "community", "--fingerprint", pin)

    def tools(self):
        self.atip("scan", "--path", str(self.home / "bin"), "--json")
        return {tool["name"]: tool for tool in self.atip("list", "--json").document["tools"]}


@pytest.fixture
def scene(tmp_path):
    made = Scene(tmp_path)
    with Served(tmp_path / "acme/public") as acme, Served(tmp_path / "community/public") as other:
        made.acme = acme
        made.add(acme, other)
        yield made


@pytest.mark.proves("ATIP6-4.8-01", "ATIP6-4.4.3-02", "ATIP1-5.3-03")
def test_what_the_organisation_signed_and_published_is_used_and_nothing_else(scene):
    scene.atip("registry", "sync", "--json")
    tools = scene.tools()
    assert tools["sayer"]["shimRegistry"] == scene.acme.url
    assert "shimRegistry" not in tools["stranger"]
    decisions = {
        line: atip("policy", "check", line, "--json", home=scene.home,
                   PATH=f"{scene.home / 'bin'}:/usr/bin:/bin").document["decision"]
        for line in ("sayer hello", "stranger")
    }  # fmt: skip
    assert decisions == {"sayer hello": "allow", "stranger": "deny"}


def test_shim_changed_behind_the_publisher_is_refused_and_a_new_release_is_accepted(scene):
    path = scene.home / "acme/public/shims/sha256" / f"{scene.digits['sayer']}.json"
    good = path.read_bytes()
    path.write_bytes(good.replace(b"A tool", b"A fool"))
    assert "shimRegistry" not in scene.tools()["sayer"]
    assert scene.atip("registry", "check", "acme/public", code=1).out
    path.write_bytes(good)
    scene.shim("acme", "sayer", description="Corrected")
    scene.atip("registry", "sign", "acme", "--keys", "acme-keys", "--again")
    scene.build("acme")
    scene.atip("registry", "sync", "--refresh", "--json")
    assert scene.tools()["sayer"]["shimRegistry"] == scene.acme.url
    shown = scene.atip("show", "sayer", "--json").document
    assert shown["description"] == "Corrected"
