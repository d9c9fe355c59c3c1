"""`atip policy`: what is in force, and a decision as an exit code."""

from __future__ import annotations

import json

from tests.cli.run import atip


def write(folder, name: str, document: object, mode: int = 0o600) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(document))
    path.chmod(mode)


def user(tmp_path, body: dict, mode: int = 0o600) -> None:
    write(
        tmp_path / ".config" / "agent-tools",
        "policy.json",
        {"policy": {"version": "1", **body}},
        mode,
    )


def test_the_default_is_cautious(tmp_path):
    (layer,) = atip("policy", "show", "--json", home=tmp_path).document["layers"]
    assert (layer["layer"], layer["preset"], layer["default"]) == ("user", "cautious", "ask")


def test_rules_of_the_user_come_before_the_preset(tmp_path):
    user(tmp_path, {"rules": [{"name": "notes", "decision": "allow", "tools": ["mkdir"]}]})
    ran = atip("policy", "check", "mkdir x", "--json", home=tmp_path)
    assert (ran.code, ran.document["rule"]) == (0, "user: notes")
    assert atip("policy", "check", "touch x", home=tmp_path).code == 126


def test_a_project_narrows_and_cannot_widen(tmp_path):
    rules = [{"decision": "allow"}, {"decision": "deny", "tools": ["git"], "name": "no git here"}]
    write(
        tmp_path / "p" / ".agent-tools",
        "policy.json",
        {"policy": {"version": "1", "rules": rules}},
        0o644,
    )
    here = tmp_path / "p"
    assert (
        atip("policy", "check", "rm x", "--json", home=tmp_path, cwd=here).document["decision"]
        == "ask"
    )
    denied = atip("policy", "check", "git status", "--json", home=tmp_path, cwd=here).document
    assert (denied["decision"], denied["rule"]) == ("deny", "project: no git here")


def test_a_delegation_narrows(tmp_path):
    write(tmp_path, "granted.json", {"delegation": {"allowedTools": ["ls"]}})
    ran = atip(
        "policy",
        "check",
        "git status",
        "--json",
        home=tmp_path,
        ATIP_DELEGATION=str(tmp_path / "granted.json"),
    )
    assert ran.document["decision"] == "deny"


def test_a_delegation_that_is_missing_stops(tmp_path):
    ran = atip(
        "policy",
        "check",
        "ls",
        "--json",
        home=tmp_path,
        ATIP_DELEGATION=str(tmp_path / "none.json"),
    )
    assert ran.code != 0
    assert "error" in ran.document


def test_a_misspelt_key_stops(tmp_path):
    user(tmp_path, {"ruls": []})
    ran = atip("policy", "check", "ls", "--json", home=tmp_path)
    assert ran.document["error"]["code"].startswith("format.")


def test_a_policy_that_others_may_write_stops(tmp_path):
    user(tmp_path, {}, mode=0o666)
    assert (
        atip("policy", "check", "ls", "--json", home=tmp_path).document["error"]["code"]
        == "settings.unsafe-file"
    )


def test_an_unknown_preset_stops(tmp_path):
    ran = atip("policy", "check", "--policy", "yolo", "ls", "--json", home=tmp_path)
    assert ran.document["error"]["code"] == "policy.unknown-preset"


def test_the_exit_code_is_the_decision(tmp_path):
    assert atip("policy", "check", "ls", home=tmp_path).code == 0
    assert atip("policy", "check", "rm x", home=tmp_path).code == 126
