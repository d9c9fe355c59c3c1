"""`atip run --pattern TOOL.NAME key=value`: layers, judgment before the first step, one JSON document."""

from __future__ import annotations

import hashlib
import json

import pytest

from atip.registry import tree
from tests.cli.run import atip
from tests.simulators.registry import RegistrySimulator, shim_of

pytestmark = pytest.mark.sandbox


def pattern(says: str, *, executable: bool = True) -> dict[str, object]:
    step = {"command": f"echo {says} {{word}}"}
    return {"name": "greet", "description": "Greets", "tools": ["frob"], "steps": [step], "executable": executable}  # fmt: skip


@pytest.fixture
def machine(tmp_path, tmp_path_factory):
    """A tool that nothing describes, in a folder of its own, and a home with a workspace."""
    (tmp_path / "work").mkdir()
    program = tmp_path_factory.mktemp("opt") / "frob"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    return tmp_path, program


def put(home, folder: str, document: dict[str, object]) -> None:
    path = home / folder / "patterns" / "team.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"patterns": [document]}))


def run(home, *words: str, **env: str):
    return atip("run", *words, home=home, cwd=home / "work", **env)


@pytest.mark.proves("ATIP6-3.9-90", "ATIP6-2-04")
def test_a_later_layer_replaces_the_pattern_of_an_earlier_one(machine):
    home, program = machine
    digest = "sha256:" + hashlib.sha256(program.read_bytes()).hexdigest()
    plain, own = RegistrySimulator(), RegistrySimulator()
    plain.add(shim_of(digest, "frob", patterns=[pattern("tool")]))
    own.put(tree.POLICY, {"policy": {"version": "1"}})
    for simulator, layer in ((plain, "registry"), (own, "organization")):
        simulator.put_manifest()
        simulator.put(tree.PATTERNS, {"version": "1", "patterns": {"team": {"description": "x"}}})
        simulator.put(tree.pattern_path("team"), {"patterns": [pattern(layer)]})
        simulator.publish()

    def greeting() -> tuple[str, str]:
        document = run(home, "--pattern", "--json", "frob.greet", "word=you").document
        (step,) = document["steps"]
        return document["from"], step["stdout"]

    with plain.serve() as first, own.serve() as second:
        add = ("registry", "add")
        atip(*add, first.url, "--name", "a", "--fingerprint", plain.fingerprint, home=home)
        atip("scan", "--path", str(program.parent), home=home)
        seen = [greeting()]
        atip("registry", "sync", home=home)
        seen.append(greeting())
        atip(*add, second.url, "--name", "b", "--organization", "--fingerprint", own.fingerprint, home=home)  # fmt: skip
        atip("registry", "sync", home=home)
        seen.append(greeting())
    put(home, ".local/share/agent-tools", pattern("user"))
    seen.append(greeting())
    put(home / "work", ".agent-tools", pattern("project"))
    seen.append(greeting())
    layers = ("tool", "registry", "organization", "user", "project")
    assert seen == [(layer, f"{layer} you\n") for layer in layers]


@pytest.mark.parametrize("words", [(), ("say",), ("--depth", "1"), ("--commands", "say")])
def test_show_layers_patterns_in_json_as_on_the_page(machine, words):
    home, program = machine
    digest = "sha256:" + hashlib.sha256(program.read_bytes()).hexdigest()
    commands = {"say": {"description": "Says"}, "stop": {"description": "Stops"}}
    own = {**pattern("tool"), "name": "own"}
    shim = shim_of(digest, "frob", patterns=[own, pattern("tool")], commands=commands)
    path = home / ".local/share/agent-tools/shims/sha256" / f"{digest.removeprefix('sha256:')}.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(shim))
    atip("scan", "--path", str(program.parent), home=home)
    put(home, ".local/share/agent-tools", pattern("user"))
    put(home / "work", ".agent-tools", {**pattern("project"), "name": "ship"})
    shown = atip("show", "frob", *words, "--json", home=home, cwd=home / "work").document
    assert {one["name"]: one["x-atip"]["from"] for one in shown["patterns"]} == {
        "own": "tool",
        "greet": "user",
        "ship": "project",
    }
    if not words:
        page = atip("show", "frob", home=home, cwd=home / "work").out
        assert all(f"  {one['name']} – " in page for one in shown["patterns"])


def known(home, program, document) -> None:
    put(home, ".local/share/agent-tools", document)
    shim = shim_of("sha256:" + hashlib.sha256(program.read_bytes()).hexdigest(), "frob")
    path = home / ".local/share/agent-tools/shims/sha256" / f"{shim['binary']['hash'][7:]}.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(shim))
    atip("scan", "--path", str(program.parent), home=home)


@pytest.mark.proves("ATIP6-3.9-90")
def test_every_step_is_judged_before_the_first_one_starts(machine):
    home, program = machine
    steps = [{"command": "touch made"}, {"command": "rm -rf /"}]
    known(home, program, {**pattern("x"), "steps": steps})
    ran = run(home, "--pattern", "--yes", "--json", "frob.greet")
    assert (ran.code, ran.document["error"]["code"]) == (126, "policy.denied")
    assert not (home / "work" / "made").exists()


def test_a_dry_run_prints_every_step_with_its_decision_and_starts_none(machine):
    home, program = machine
    known(home, program, {**pattern("x"), "steps": [{"command": "touch made"}, {"command": "ls"}]})
    document = run(home, "--pattern", "--dry-run", "--json", "frob.greet").document
    assert [(step["argv"], step["decision"]["decision"]) for step in document["steps"]] == [
        (["touch", "made"], "ask"),
        (["ls"], "allow"),
    ]
    assert list((home / "work").iterdir()) == []


@pytest.mark.proves("ATIP6-3.9-90")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("frob.greet",), "pattern.invalid"),
        (("frob.greet", "word=--help"), "pattern.invalid"),
        (("frob.greet", "word=x", "other=y"), "pattern.invalid"),
        (("frob.other", "word=x"), "pattern.not-found"),
        (("greet", "word=x"), "run.pattern-name"),
    ],
)
def test_what_is_missing_unsafe_or_unknown_is_refused(machine, words, code):
    home, program = machine
    known(home, program, pattern("hello"))
    ran = run(home, "--pattern", "--json", *words)
    assert ran.document["error"]["code"] == code


def test_a_suggestion_does_not_run(machine):
    home, program = machine
    known(home, program, pattern("hello", executable=False))
    ran = run(home, "--pattern", "--json", "frob.greet", "word=x")
    assert ran.document["error"]["code"] == "pattern.advisory"
