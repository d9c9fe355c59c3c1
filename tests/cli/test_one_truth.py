"""Contradictions that happened: what one verb of the real command line says, no other one takes back. A fresh home each time."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import typing

import pytest

from atip.knowledge.reading import load
from atip.toolbox import Toolbox
from tests.cli.run import Ran, atip
from tests.simulators.known_tools import READS, document, know

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

HARMLESS = {**READS, "creates": [], "modifies": [], "deletes": [], "idempotent": True,
            "interactive": {"stdin": "none", "prompts": False, "tty": False}, "cost": {"billable": False}}  # fmt: skip
CHANGERS = [
    ("git", "branch"), ("git", "tag"), ("git", "config"), ("git", "remote"), ("find",), ("sed",), ("tar",), ("awk",),
    ("xargs",), ("env",), ("sysctl",), ("ip",), ("mount",), ("reboot",), ("kill",), ("systemctl", "restart"),
]  # fmt: skip
SECRET = "ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6"
READERS = [("ls",), ("wc",), ("git", "status"), ("git", "log")]


class Place:
    """A home, a workspace in it, and a folder of programs outside of it."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.home, self.programs = folder / "home", folder / "opt"
        self.work = self.home / "work"
        self.config = self.home / ".config/agent-tools"
        for each in (self.work, self.programs, self.config):
            each.mkdir(parents=True)
        self.box = Toolbox(home=str(self.home))
        self.path = f"{self.programs}{os.pathsep}/usr/bin{os.pathsep}/bin"

    def atip(self, *words: str, stdin: str = "") -> Ran:
        return atip(*words, home=self.home, stdin=stdin, cwd=self.work, PATH=self.path)

    def program(self, name: str, folder: pathlib.Path | None = None) -> pathlib.Path:
        path = (folder or self.programs) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {name} ran\n")
        path.chmod(0o755)
        return path

    def first(self, folder: pathlib.Path) -> None:
        self.path = f"{folder}{os.pathsep}{self.path}"

    def policy(self, **parts: object) -> None:
        text = json.dumps({"policy": {"version": "1", **parts}})
        (self.config / "policy.json").write_text(text)

    def override(self, name: str, word: dict[str, object]) -> None:
        folder = self.config / "overrides"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.json").write_text(json.dumps(word))

    def decisions(self, *argv: str) -> dict[str, str]:
        """What each entry point decides about a call that nobody is there to approve."""
        line = " ".join(argv)
        asked = json.dumps({"line": line, "cwd": str(self.work)})
        ran = self.atip("run", "--json", *argv)
        error = ran.document.get("error") or {}
        codes = {"policy.denied": "deny", "consent.no-terminal": "ask"}
        return {
            "explain": self.atip("explain", line, "--json").document["decision"],
            "guard": self.atip("guard", stdin=asked).document["decision"],
            "policy check": self.atip("policy", "check", "--json", line).document["decision"],
            "run": codes.get(error.get("code"), "allow"),
        }


@pytest.fixture
def place(tmp_path: pathlib.Path) -> Place:
    return Place(tmp_path)


def agree(found: dict[str, str], wanted: str) -> None:
    assert set(found.values()) == {wanted}, found


def test_a_compromised_program_runs_nowhere_whatever_the_policy(place: Place) -> None:
    path = place.program("csum")
    wrong = {"source": "native", "integrity": {"checksum": "sha256:" + "0" * 64}}
    know(place.box, [document("csum", trust=wrong, effects=HARMLESS, commands={})], path)
    told = place.atip("verify", "csum", "--json")
    assert "compromised" in told.out.lower()
    agree(place.decisions("csum"), "deny")
    place.policy(rules=[{"tools": ["csum"], "decision": "allow"}])
    agree(place.decisions("csum"), "deny")
    refused = place.atip("run", "--yes", "csum")
    assert refused.code == 126 and "csum ran" not in refused.out


@pytest.mark.parametrize("command", CHANGERS, ids=" ".join)
def test_nothing_that_may_change_something_is_told_to_be_read_only(
    place: Place, command: tuple[str, ...]
) -> None:
    name, *words = command
    know(place.box, [named(name)], place.program(name))
    shown = place.atip("show", *command).out
    assert "read-only" not in shown
    told = place.atip("show", *command, "--json").document
    node = told
    for word in words:
        node = node["commands"][word]
    claim = node.get("x-atip", {}).get("claim")
    ceiling = claim["ceiling"] if claim else node.get("effects") or {}
    assert changes(ceiling), (command, ceiling)
    only = ("--commands", words[0]) if words else ()
    for provider in ("openai", "anthropic", "gemini", "mcp"):
        functions = json.loads(place.atip("compile", name, "--for", provider, *only).out)
        found = [part for part in parts(functions) if part.get("name") == "_".join(command)]
        assert found or node.get("commands"), (provider, functions)  # a group is no function
        text = json.dumps(found, ensure_ascii=False)
        assert "READ-ONLY" not in text and '"readOnlyHint": true' not in text, (provider, text)


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_claims_stay_useful(place: Place, command: tuple[str, ...]) -> None:
    know(place.box, [named(command[0])], place.program(command[0]))
    only = ("--commands", command[1]) if command[1:] else ()
    assert "READ-ONLY" in place.atip("compile", command[0], *only).out


def parts(value: object) -> Iterator[dict[str, object]]:
    """Every object of a document."""
    if isinstance(value, dict):
        yield value
    for each in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from parts(each)


def named(name: str) -> dict[str, object]:
    """A description as a scan leaves it: names, and what knowledge says of their effects."""
    from atip.discovery.sources.knowledge_source import storable
    from atip.model.reading.encode import encode
    from atip.model.tool import Trust

    known = load(name)
    assert known is not None
    trust = Trust(source="inferred", verified=False)
    return encode(storable(known.replace(name=name, version="1", description=name, trust=trust)))


def changes(effects: dict[str, object]) -> bool:
    """Whether effects leave open, or say, that something is changed or run."""
    files = effects.get("filesystem") or {}
    assert isinstance(files, dict)
    facts = (files.get("write"), files.get("delete"), effects.get("destructive"), effects.get("subprocess"))  # fmt: skip
    return any(fact is not False for fact in facts) or effects.get("reversible") is False


@pytest.mark.parametrize("source", ["native", "override", "override that was edited"])
def test_a_word_of_danger_on_a_curated_program_counts_everywhere(place: Place, source: str) -> None:
    path = place.program("wc")
    agree(place.decisions("wc", "-l"), "allow")
    danger = {"effects": {"destructive": True}}
    if source == "native":
        know(place.box, [{**document("wc", commands={}), **danger}], path)
    else:
        know(place.box, [document("wc", commands={}, effects=HARMLESS)], path)
        place.override("wc", danger if source == "override" else {"effects": {"network": False}})
        if source != "override":
            agree(place.decisions("wc", "-l"), "allow")
            place.override("wc", danger)
    agree(place.decisions("wc", "-l"), "ask")
    assert "destructive" in place.atip("show", "wc").out
    assert "READ-ONLY" not in place.atip("compile", "wc").out
    hits = place.atip("search", "says words", "--not", "destructive", "--json").out
    assert '"wc"' not in hits


def test_an_override_that_cannot_be_read_is_refused_everywhere(place: Place) -> None:
    know(place.box, [document("wc", commands={}, effects=HARMLESS)], place.program("wc"))
    (place.config / "overrides").mkdir()
    (place.config / "overrides/wc.json").write_text("{not json")
    for words in (("show", "wc"), ("compile", "wc"), ("explain", "wc -l"), ("run", "wc", "-l")):
        refused = place.atip(*words)
        assert refused.code != 0, (words, refused.out)
        assert "wc.json" in refused.err + refused.out, words


def test_a_file_of_the_name_below_the_home_is_judged_and_told_as_another_program(
    place: Place,
) -> None:
    place.program("ls")
    agree(place.decisions("ls"), "allow")
    path = place.program("ls", place.home / "bin")
    place.first(path.parent)
    agree(place.decisions("ls"), "ask")
    assert "READ-ONLY" not in place.atip("compile", "ls").out
    assert "read-only" not in place.atip("show", "ls").out
    agree(place.decisions("ls"), "ask")
    know(place.box, [named("ls")], path)  # also where it says so itself
    agree(place.decisions("ls"), "ask")
    assert "READ-ONLY" not in place.atip("compile", "ls").out


def test_a_trust_policy_is_the_same_for_all(place: Place) -> None:
    place.program("wc")
    place.policy(trust={"requireSignatures": True, "allowedSigners": ["secops@acme.example"]})
    agree(place.decisions("wc", "-l"), "deny")


def test_a_shim_about_other_bytes_than_its_name_says_is_used_nowhere(place: Place) -> None:
    path = place.program("greet")
    know(place.box, [document("greet")], path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    (shim,) = (place.home / ".local/share/agent-tools").rglob(f"{digest}*.json")
    other = {**document("greet"), "binary": {"hash": "sha256:" + "cd" * 32}}
    for words in (("show", "greet"), ("compile", "greet"), ("run", "greet", "say", "x")):
        shim.parent.mkdir(parents=True, exist_ok=True)
        shim.write_text(json.dumps(other))
        refused = place.atip(*words)
        assert refused.code != 0 and "Say words" not in refused.out, (words, refused)


def test_every_decision_of_the_guard_can_be_on_record(place: Place) -> None:
    place.policy(execution={"auditAllCalls": True})
    for line in ("ls", "rm -rf src"):
        place.atip("guard", stdin=json.dumps({"line": line, "cwd": str(place.work)}))
    shown = place.atip("audit", "show", "--decisions", "--json").out
    assert "rm -rf src" in shown and '"ls"' in shown


@pytest.mark.parametrize("word", ["$(rm -rf src)", "a; rm -rf src", "`id`", "x && y", "*", "<(id)"])
def test_an_argv_is_judged_as_an_argv(place: Place, word: str) -> None:
    """No shell reads it, so there is nothing in it to expand."""
    place.program("wc")
    planned = place.atip("run", "--dry-run", "--json", "wc", "-l", word).document
    assert planned["decision"]["decision"] == "allow", planned["decision"]
    assert planned["argv"][-1] == word


def test_results_are_redacted_unless_told_otherwise() -> None:
    from atip.validator import create_result_filter

    assert "ghp_a1B2c3" not in str(create_result_filter([])(f"token={SECRET}"))
