"""A person at a terminal: what they are shown before a registry is pinned or a weaker description is taken over."""

from __future__ import annotations

import argparse
import io
import json

import pytest

from atip.cli.context import Context
from atip.cli.verbs.registry import add, sync
from atip.toolbox import Toolbox
from tests.simulators.registry import RegistrySimulator, digest_for, shim_of

FROB = digest_for("frob")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def context(tmp_path, answer: str) -> Context:
    made = Context(out=Terminal(), err=Terminal(), stdin=Terminal(answer), color="never")
    made._app = Toolbox(home=str(tmp_path))
    return made


def options(module, *words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    module.configure(parser)
    return parser.parse_args(words)


@pytest.fixture
def simulator():
    made = RegistrySimulator()
    made.add(shim_of(FROB))
    signer = {"identity": "maintainers@example.org", "issuer": "https://accounts.example"}
    made.put_manifest(signers=[signer])
    made.publish()
    return made


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1), ("", 1)])
def test_the_fingerprint_is_shown_and_only_a_yes_pins_it(tmp_path, simulator, answer, code):
    with simulator.serve() as server:
        ctx = context(tmp_path, answer)
        assert add.run(options(add, server.url), ctx) == code
    assert simulator.fingerprint in ctx.out.getvalue()
    assert "maintainers@example.org (https://accounts.example)" in ctx.out.getvalue()
    assert "fingerprint that its owner publishes" in ctx.err.getvalue()
    path = tmp_path / ".config/agent-tools/registries.json"
    assert path.exists() is (code == 0)
    if code == 0:
        (entry,) = json.loads(path.read_text())["registries"]
        assert entry["root"] == simulator.fingerprint
        assert entry["signers"][0]["identity"] == "maintainers@example.org"


@pytest.mark.parametrize(("answer", "destructive"), [("y\n", False), ("n\n", True)])
def test_a_weaker_description_is_shown_and_only_a_yes_takes_it_over(
    tmp_path, simulator, answer, destructive
):
    from atip.registry.remote.remotes import find_signed

    with simulator.serve() as server:
        add.run(options(add, server.url), context(tmp_path, "y\n"))
        box = Toolbox(home=str(tmp_path))
        path = tmp_path / "frob"
        path.write_text("")
        box.store.put({"frob": {"path": str(path), "hash": FROB, "x-atip": {"rung": "native"}}})
        assert sync.run(options(sync), context(tmp_path, "")) == 0
        calm = {"go": {"description": "Goes", "effects": {"network": True, "destructive": False}}}
        simulator.add(shim_of(FROB, commands=calm))
        simulator.publish()
        ctx = context(tmp_path, answer)
        sync.run(options(sync), ctx)
    assert "destructive changed from true to false" in " ".join(ctx.out.getvalue().split())
    _, cached = find_signed(box.places, FROB)
    assert json.loads(cached.shim)["commands"]["go"]["effects"]["destructive"] is destructive


def test_what_a_registry_calls_itself_cannot_move_the_cursor(tmp_path, simulator):
    manifest = json.loads(simulator.files[".well-known/atip-registry.json"])
    manifest["registry"]["name"] = "\x1b[2Jfingerprint  sha256:nice\u202e"
    simulator.put(".well-known/atip-registry.json", manifest)
    simulator.publish()
    with simulator.serve() as server:
        ctx = context(tmp_path, "n\n")
        add.run(options(add, server.url), ctx)
    assert "\x1b" not in ctx.out.getvalue() and "\u202e" not in ctx.out.getvalue()
