"""Operations of APIs, CMP intents and tools of bundles: every entry point that accepts them decides the same for the same reasons."""

from __future__ import annotations

import json
import pathlib
import shlex
import typing

import pytest

from atip.apis.config import load_config
from atip.apis.interface import open_door
from atip.apis.syncing import sync
from atip.errors import AtipError, Denied, NeedsConfirmation
from atip.policy.decision import Decision
from atip.policy.presets import PRESETS
from atip.wrapped import WrappedApis
from tests.cli.run import atip
from tests.integration.bundles.test_fake_cli import Place
from tests.integration.execution.desk import Desk
from tests.integration.test_agreement import ARGVS, desk, of_guard, parts, shown, wrapped
from tests.simulators.bundle_host import FakeSurface
from tests.unit.discovery.cmp_folders import write_tool

__all__ = ["desk"]

VERBS = ("list", "get", "find", "add", "create", "update", "replace", "delete", "purge", "send", "run", "reset")  # fmt: skip
METHODS = ("get", "post", "put", "patch", "delete")
INTENTS = [argv for argv in ARGVS if not any(set(word) & set("{}'\"$*\n\u202e ") or not word for word in argv)][::4]  # fmt: skip


def reasons_of(error: AtipError) -> tuple[str, ...]:
    details = typing.cast("dict[str, typing.Any]", error.details or {})
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
    sync(loaded, open_door(offline=True))
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
    refused = [each for each in desk.box.audit.records() if each["event"] == "refused"]
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


@pytest.mark.sandbox
def test_tools_of_a_bundle_agree(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path, monkeypatch, setup=False)
    host, bundle, known = place.installed(FakeSurface())
    host.login(bundle, known).login()
    config = place.home / ".config/agent-tools"
    rule = {"tools": ["fake"], "decision": "deny", "reason": "not here"}
    outcomes = set()
    for situation in [*({"preset": preset} for preset in PRESETS), {"rules": [rule]}]:
        document = {"policy": {"version": "1", **situation}}
        (config / "policy.json").write_text(json.dumps(document))
        _, judgement, _ = host.plan(bundle, ["list"], {})
        outcomes.add(judgement.decision.outcome)
        done = atip(
            "bundle", "run", str(place.folder), "list", "--dry-run", "--json", home=place.home,
            cwd=place.workspace,
        )  # fmt: skip
        assert done.document["decision"] == judgement.decision.to_json(), done.document
        started = outcome_of(lambda: host.run(bundle, ["list"], {}))
        # a tool of a bundle always runs confined, so `confine` is permission to run it
        decision = judgement.decision
        permitted = decision.replace(outcome="allow") if decision.outcome == "confine" else decision
        assert started == refusal(permitted), situation
    assert "deny" in outcomes and len(outcomes) > 1
