"""Operations of APIs, CMP intents and tools of bundles: every entry point that accepts them decides the same for the same reasons."""

from __future__ import annotations

import json
import pathlib
import shlex
import typing

import pytest

from atip.apis.config import load_config
from atip.apis.interface import open_access
from atip.apis.sync.syncing import sync
from atip.errors import AtipError, Denied, NeedsConfirmation
from atip.policy.decision import Decision
from atip.policy.presets import PRESETS
from atip.registry.remote.remotes import load_sources
from atip.system.paths import find_places
from atip.wrapped import WrappedApis
from tests.cli.run import atip
from tests.integration.bundles.test_fake_cli import Place
from tests.integration.execution.desk import Desk
from tests.integration.test_agreement import ARGVS, TRUST, desk, of_guard, parts, shown, wrapped
from tests.simulators.bundle_host import FakeSurface
from tests.unit.discovery.cmp_folders import write_tool

__all__ = ["desk"]

VERBS = ("list", "get", "find", "add", "create", "update", "replace", "delete", "purge", "send", "run", "reset")  # fmt: skip
METHODS = ("get", "post", "put", "patch", "delete")
INTENTS = [argv for argv in ARGVS if not any(set(word) & set("{}'\"$*\n\u202e ") or not word for word in argv)][::4]  # fmt: skip


def reasons_of(error: AtipError) -> tuple[str, ...]:
    return reasons_in(typing.cast("dict[str, typing.Any]", error.details or {}))


def reasons_in(details: dict[str, typing.Any]) -> tuple[str, ...]:
    found = details["decision"]["reasons"] if "decision" in details else details["reasons"]
    return tuple(found)


def outcome_of(start: typing.Callable[[], object]) -> tuple[str, tuple[str, ...]]:
    """How a call without a person ended: the outcome that it shows, and the reasons of a refusal."""
    try:
        start()
    except Denied as error:
        return "deny", reasons_of(error)
    except NeedsConfirmation as error:
        # permitted by policy, and stopped because nobody approved the project yet: nothing was sent
        return ("allow", ()) if error.code == "api.not-approved" else ("ask", reasons_of(error))
    return "allow", ()


def refusal(decision: Decision) -> tuple[str, tuple[str, ...]]:
    return decision.outcome, () if decision.outcome == "allow" else decision.reasons


def write_api(desk: Desk) -> None:
    paths = {
        f"/{verb}/{method}": {method: {"operationId": f"{verb}Thing{method.title()}", "responses": {}}}
        for verb in VERBS
        for method in METHODS
    }  # fmt: skip
    document = {"openapi": "3.1.0", "info": {"title": "Things", "version": "1"}, "paths": paths}
    (desk.work / "things.json").write_text(json.dumps(document))
    source = {"type": "openapi", "spec": "things.json", "baseUrl": "https://things.example.org"}
    config = {
        "name": "things",
        "sources": {"openapi": {"things": source}},
        "language": "python",
    }
    (desk.work / "codegen.config.json").write_text(json.dumps(config))
    loaded = load_config(str(desk.work))
    sync(loaded, open_access(offline=True))
    desk.box.apis.remember(loaded, "things")


def test_operations_of_an_api_agree(desk: Desk) -> None:
    from atip.calls.functions import functions_of

    write_api(desk)
    tool = desk.box.get("things-api")
    runner, apis = desk.box.make_runner(), desk.box.apis
    wrapper = WrappedApis(desk.work)
    seen, differences, outcomes = 0, [], set()
    for function in functions_of(tool):
        if not function.path:
            continue
        name, seen = function.path[-1], seen + 1
        wanted = runner.plan(desk.box.calls.prepare_argv([tool.name, name]))[0].decision
        outcomes.add(wanted.outcome)
        for provider in ("openai", "anthropic", "gemini", "mcp"):
            _, (call,) = desk.box.calls.understand(
                wrapped(provider, function.name), provider, tools=[tool]
            )
            planned = runner.plan(desk.box.calls.prepare(call))[0].decision
            if parts(planned) != parts(wanted):
                differences.append((provider, name, planned, wanted))
        for entry, start in {
            "api call": lambda name=name: apis.call(str(desk.work), "things", name, {}),
            "call": lambda call=call: desk.box.call(call),
            "wrapper": lambda name=name: wrapper.call("things", name, {}),
        }.items():
            if (found := outcome_of(start)) != refusal(wanted):
                differences.append((entry, name, found, wanted))
    wrapper.close()
    assert differences == []
    assert seen == len(VERBS) * len(METHODS)
    assert outcomes
    refused = [record for record in desk.box.audit.records() if record["event"] == "refused"]
    assert len(refused) == 3 * seen or "allow" in outcomes


def test_intents_agree_with_their_argv(desk: Desk) -> None:
    intents = [
        {"patterns": [f"number {number}"], "command": shlex.join(argv)}
        for number, argv in enumerate(INTENTS)
    ]
    manifest = {
        "domain": "test", "name": "all", "summary": "Calls", "version": "1.0.0",
        "binary": INTENTS[0][0], "requires": [], "tags": [],
    }  # fmt: skip
    documents = {"manifest": manifest, "capability": {"intents": intents}}
    write_tool(desk.home / ".cmp" / "tools", "all", documents)
    differences = []
    for number, argv in enumerate(INTENTS):
        intent = desk.box.intents.plan("", {}, tool="test/all", number=number)
        runner = desk.box.intents.make_runner(intent)
        planned = runner.plan(desk.box.make_call(intent.argv))[0].decision
        line = shlex.join(argv)
        explained = desk.box.explain(line, cwd=str(desk.work)).decision
        if parts(planned) != parts(explained) or shown(explained) != of_guard(desk, line):
            differences.append((line, planned, explained))
        if planned.outcome == "allow":
            continue
        found = outcome_of(
            lambda number=number: desk.box.run_intent("", {}, tool="test/all", number=number)
        )
        if found != refusal(planned):
            differences.append((line, found, planned))
    assert differences == []
    assert len(INTENTS) >= 40


BUNDLE_ORGANIZATION = {
    "policy": {
        "version": "1",
        "organization": "Acme",
        "rules": [{"tools": ["fake"], "decision": "ask", "reason": "Acme wants to know"}],
    }
}
BUNDLE_SITUATIONS = (
    *PRESETS,
    "rule",
    "trust",
    "organization",
    "delegation",
    "delegation to others",
)


def in_force(situation: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Put a situation into force as a user would find it; variables for programs that are started."""
    config = place.home / ".config/agent-tools"
    if situation == "organization":
        url = "https://tools.example.org"
        source = {"name": "acme", "url": url, "organization": True}
        (config / "registries.json").write_text(json.dumps({"registries": [source]}))
        (found,) = load_sources(find_places(home=str(place.home)))
        folder = place.home / ".local/share/agent-tools/registries" / found.id
        folder.mkdir(parents=True)
        (folder / "policy.json").write_text(json.dumps(BUNDLE_ORGANIZATION))
        return {}
    if situation.startswith("delegation"):
        path = place.home / "granted.json"
        tools = ["fake"] if situation == "delegation" else ["git"]
        path.write_text(json.dumps({"delegation": {"allowedTools": tools}}))
        monkeypatch.setenv("ATIP_DELEGATION", str(path))
        return {"ATIP_DELEGATION": str(path)}
    rule = {"tools": ["fake"], "decision": "deny", "reason": "not here"}
    document = {"trust": TRUST, "rule": {"rules": [rule]}}.get(situation, {"preset": situation})
    (config / "policy.json").write_text(json.dumps({"policy": {"version": "1", **document}}))
    return {}


@pytest.mark.sandbox
@pytest.mark.parametrize("situation", BUNDLE_SITUATIONS)
def test_tools_of_a_bundle_agree(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, situation: str
) -> None:
    monkeypatch.delenv("ATIP_DELEGATION", raising=False)
    place = Place(tmp_path, monkeypatch, setup=False)
    host, bundle, known = place.installed(FakeSurface())
    host.login(bundle, known).login()
    env = in_force(situation, place, monkeypatch)
    outcomes = set()
    for name in ("list", "escape", "fail"):
        _, judgment, _ = host.plan(bundle, [name], {})
        decision = judgment.decision
        outcomes.add(decision.outcome)
        words = ("bundle", "run", str(place.folder), name)
        result = atip(*words, "--dry-run", "--json", home=place.home, cwd=place.workspace, **env)
        assert result.document["decision"] == decision.to_json(), (name, result.document)
        found = outcome_of(lambda name=name: host.run(bundle, [name], {}))
        # a tool of a bundle always runs confined, so `confine` is permission to run it
        permitted = decision.replace(outcome="allow") if decision.outcome == "confine" else decision
        assert found == refusal(permitted), name
        ran = atip(*words, "--json", home=place.home, cwd=place.workspace, **env)
        if permitted.outcome != "allow":
            assert reasons_in(ran.document["error"]["details"]) == permitted.reasons
    wanted = {
        "trust": "deny",
        "rule": "deny",
        "delegation to others": "deny",
        "organization": "ask",
    }
    assert outcomes == {wanted[situation]} if situation in wanted else outcomes
