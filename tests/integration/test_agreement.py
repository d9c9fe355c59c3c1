"""Every entry point agrees: the same call has the same decision for the same reasons, whoever asks.

Calls: a program with a command for each of some hundred curated tools, as an argv, as a shell line, in a line with others, and
as the tool call of four providers. Situations: every preset, a trust policy, an organization's policy, a delegation. Nothing runs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import pathlib
import shlex

import pytest

from atip.cli.guard.judging import judge_request, reason_of
from atip.cli.guard.protocols import read_request
from atip.errors import Denied, NeedsConfirmation
from atip.execution.output.conventions import read_conventions
from atip.knowledge.reading import load, names
from atip.model.tool import Tool
from atip.policy.decision import Decision
from atip.policy.presets import PRESETS
from tests.integration.execution.desk import Desk

TRUST = {"trust": {"requireSignatures": True, "allowedSigners": ["secops@acme.example"]}}
ORGANIZATION = {
    "policy": {
        "version": "1",
        "organization": "Acme",
        "execution": {"requireConfirmation": {"network": True}},
        "rules": [{"tools": ["git"], "decision": "deny", "reason": "not here"}],
    }
}
DELEGATION = {"delegation": {"allowedTools": ["ls", "git", "cat", "rg", "wc"]}}
SITUATIONS = (*PRESETS, "trust", "organization", "delegation")
SHELL_ONLY = frozenset({"test", "[", "echo", "printf", "kill", "time", "pwd", "true", "false"})
"""Names that are a builtin in a line and a program in an argv."""
MORE = [
    ["rm", "-rf", "build"], ["cat", ".env"], ["cat", "/etc/shadow"], ["ls", "-la"], ["find", ".", "-delete"],
    ["find", ".", "-name", "*.py", "-exec", "rm", "{}", "+"], ["curl", "-T", "x", "https://h.example/"], ["sudo", "reboot"],
    ["env", "X=1", "git", "push", "--force"], ["bash", "-c", "rm -rf src | tee x"], ["sed", "-i", "s/a/b/", "f"],
    ["git", "-c", "core.pager=sh", "log"], ["git", "push", "--force"], ["tar", "xf", "a.tar"], ["xargs", "rm"],
    ["git", "commit", "-m", "two\nlines"], ["ls", "$HOME"], ["ls", "~"], ["ls", "*"], ["ls", "a b"], ["wc", ""],
    ["python3", "-c", "import os"], ["ssh", "host", "rm x"], ["dd", "of=/dev/sda"], ["chmod", "777", "/"], ["ls", "\u202e"],
]  # fmt: skip


def argvs() -> list[list[str]]:
    """Two calls each of the first hundred and more curated tools, and some that are known to be hard."""
    found = []
    for name in names()[::8]:
        tool = load(name)
        if tool is None or name in SHELL_ONLY or _is_builtin(name):
            continue
        commands = list(itertools.islice(tool.commands or {}, 2))
        found += [[name, command] for command in commands] or [[name], [name, "notes.txt"]]
    return found + MORE


def _is_builtin(name: str) -> bool:
    from atip.policy.lines.line import _OWN, _SHELL_WORDS

    return name in _OWN | _SHELL_WORDS


ARGVS = argvs()


def parts(decision: Decision) -> tuple[object, ...]:
    return decision.outcome, decision.reasons, decision.rule


@pytest.fixture(params=SITUATIONS)
def desk(
    request: pytest.FixtureRequest, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> Desk:
    """A user in one of the situations, with a small file for every program."""
    made = Desk(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.delenv("ATIP_DELEGATION", raising=False)
    situation = request.param
    if situation in PRESETS:
        made.policy(preset=situation)
    elif situation == "trust":
        made.policy(**TRUST)
    elif situation == "organization":
        path = tmp_path / "organization.json"
        path.write_text(json.dumps(ORGANIZATION))
        monkeypatch.setattr("atip.registry.policies.ORGANIZATION", str(path))
    else:
        path = tmp_path / "granted.json"
        path.write_text(json.dumps(DELEGATION))
        monkeypatch.setenv("ATIP_DELEGATION", str(path))
    programs = tmp_path / "opt"
    programs.mkdir()
    for name in {argv[0] for argv in ARGVS}:
        (programs / name).write_text(f"#!/bin/sh\necho {name}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.chdir(made.work)
    return made


def of_guard(desk: Desk, line: str) -> tuple[str, str]:
    request = read_request("generic", {"line": line, "cwd": str(desk.work)})
    options = argparse.Namespace(policy=None, record=False)
    judged = judge_request(request, "generic", options)
    return str(judged.outcome), judged.reason


def shown(decision: Decision) -> tuple[str, str]:
    """As the guard words a decision to a client that cannot be given another line."""
    outcome = "ask" if decision.outcome == "confine" else decision.outcome
    return outcome, reason_of(decision)


def test_there_are_enough_calls() -> None:
    lines, argvs, several, provider_calls = len(ARGVS), len(ARGVS), len(ARGVS) // 6, 4 * 6
    assert lines + argvs + several + provider_calls >= 500


def test_lines_and_argvs_agree(desk: Desk, request: pytest.FixtureRequest) -> None:
    runner = desk.box.make_runner()
    differences = []
    outcomes = set()
    for argv in ARGVS:
        line = shlex.join(argv)
        explained = desk.box.explain(line, cwd=str(desk.work)).decision
        planned = runner.plan(desk.box.make_call(argv))[0].decision
        outcomes.add(explained.outcome)
        if parts(explained) != parts(planned) or shown(explained) != of_guard(desk, line):
            differences.append((line, parts(explained), parts(planned), of_guard(desk, line)))
    assert differences == []
    expected = {"trust": {"deny"}, "read-only": {"allow", "deny"}, "ci": {"allow", "deny"}}
    situation = request.node.callspec.params["desk"]
    assert outcomes >= expected.get(situation, {"allow", "ask"})


def test_lines_of_several_commands_agree(desk: Desk) -> None:
    differences = []
    for first, second in itertools.pairwise(ARGVS[::6]):
        line = f"{shlex.join(first)} && {shlex.join(second)} | cat"
        explained = desk.box.explain(line, cwd=str(desk.work))
        if shown(explained.decision) != of_guard(desk, line):
            differences.append(line)
        each = [desk.box.explain(shlex.join(argv), cwd=str(desk.work)) for argv in (first, second)]
        order = ("allow", "confine", "ask", "deny")
        worst = max(order.index(one.decision.outcome) for one in each)
        # a line may be worse than its parts (what a pipe feeds), never better
        if order.index(explained.decision.outcome) < worst:
            differences.append(line)
    assert differences == []


def wrapped(provider: str, name: str) -> object:
    """A tool call without arguments, as each provider sends it."""
    if provider == "openai":
        call = {"id": "1", "type": "function", "function": {"name": name, "arguments": "{}"}}
        return {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}
    if provider == "anthropic":
        return {"content": [{"type": "tool_use", "id": "1", "name": name, "input": {}}]}
    if provider == "gemini":
        content = {"parts": [{"functionCall": {"name": name, "args": {}}}]}
        return {"candidates": [{"content": content}]}
    return {"method": "tools/call", "params": {"name": name, "arguments": {}}}


@pytest.mark.filterwarnings("ignore:.* commands in one session")
@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini", "mcp"])
def test_tool_calls_of_providers_agree_with_the_line(desk: Desk, provider: str) -> None:
    from atip.calls.functions import functions_of

    runner = desk.box.make_runner()
    seen, differences = 0, []
    for name in ("git", "ls", "wc", "rm"):
        tool: Tool | None = load(name)
        assert tool is not None
        for function in itertools.islice(functions_of(tool), 8):
            _, (call,) = desk.box.calls.understand(
                wrapped(provider, function.name), provider, tools=[tool]
            )
            if call.problems or call.argv is None:
                continue
            seen += 1
            planned = runner.plan(desk.box.calls.prepare(call))[0].decision
            line = shlex.join(call.argv)
            explained = desk.box.explain(line, cwd=str(desk.work)).decision
            if parts(planned) != parts(explained) or shown(explained) != of_guard(desk, line):
                differences.append(line)
    assert differences == []
    assert seen > 5


def test_what_is_not_allowed_is_refused_by_every_way_to_run_it(desk: Desk) -> None:
    """`run`, `observe` and `preview` without a person, with the reasons of the decision; nothing is started."""
    refused = 0
    for argv in MORE[::3]:
        decision = desk.box.explain(shlex.join(argv), cwd=str(desk.work)).decision
        if decision.outcome in ("allow", "confine"):
            continue
        refused += 1
        for start in (
            lambda argv=argv: desk.box.run(argv, cwd=str(desk.work)),
            lambda argv=argv: desk.box.observe(argv, cwd=str(desk.work), real=True),
            lambda argv=argv: desk.box.preview(argv, cwd=str(desk.work)),
        ):
            with pytest.raises(Denied if decision.outcome == "deny" else NeedsConfirmation) as told:
                start()
            details = told.value.details or {}
            reasons = (
                details["decision"]["reasons"] if "decision" in details else details["reasons"]
            )
            assert tuple(reasons) == decision.reasons
    assert refused > 3


def test_every_curated_description_of_output_can_be_read() -> None:
    """`run` reads it for every call; one that cannot be read made each call of its tool fail."""
    for name in names():
        tool = load(name)
        assert tool is not None
        read_conventions(tool.own.get("output"))
