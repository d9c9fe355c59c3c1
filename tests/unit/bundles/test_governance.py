"""Governance: approvals that hold for a whole bundle, reviews of changes, advice on versions; authoring; doctor."""

from __future__ import annotations

import copy

import pytest

from atip.bundles.doctor import advise
from atip.bundles.documents.authoring import (
    derive_pattern,
    derived_check,
    find_install,
    merge_blocks,
    write_folder,
)
from atip.bundles.governance import (
    ApprovalRule,
    gate,
    missing_bump,
    mutations_of,
    read_approvals,
    refuse_unreviewed,
    review,
)
from atip.bundles.install.interface import refused_plan
from atip.bundles.installing import InstallProposal
from atip.errors import AtipError
from tests.simulators.bundle_host import MANIFEST, make_bundle

ASK = ApprovalRule(mutates=("external:*",), decision="ask")
DENY = ApprovalRule(mutates=("external:prod*",), decision="deny", bundle="demo@*")


@pytest.mark.proves("AIP29-COMPAT-01")
@pytest.mark.parametrize(
    ("own", "shared", "approval", "rules", "outcome"),
    [
        ([], [], "auto", [ASK, DENY], "allow"),
        ([], ["external:github.com"], "auto", [ASK], "ask"),
        ([], ["external:production"], "auto", [ASK, DENY], "deny"),
        (["workspace:./x"], [], "on-mutate", [], "ask"),
        ([], [], "on-mutate", [], "allow"),
        ([], [], "always", [], "ask"),
        ([], [], "policy:acme/strict", [], "ask"),
        (["external:a"], [], "always", [ASK], "ask"),
    ],
)
def test_rules_on_mutates_hold_for_every_tool_of_the_bundle(
    tmp_path, own, shared, approval, rules, outcome
):
    bundle = make_bundle(
        tmp_path / "demo", tool={"mutates": own, "approval": approval}, metadata={"mutates": shared}
    )
    assert mutations_of(bundle, bundle.tools[0]) == (*shared, *own)
    assert gate(bundle, bundle.tools[0], rules)[0] == outcome


def test_approvals_are_read_strictly():
    good = {"approvals": [{"mutates": ["external:*"], "decision": "deny", "bundle": "gh@1"}]}
    assert read_approvals(good) == (
        ApprovalRule(mutates=("external:*",), decision="deny", bundle="gh@1"),
    )
    assert read_approvals(None) == ()
    for bad in (
        {"approvals": {}},
        {"approvals": [{}]},
        {"approvals": [{"mutates": [], "dcision": "x"}]},
        [],
    ):
        with pytest.raises(AtipError):
            read_approvals(bad)


def changed(**changes):
    fields = copy.deepcopy(MANIFEST)
    for path, value in changes.items():
        node = fields
        *parents, last = path.split("__")
        for parent in parents:
            node = node[parent]
        node[last] = value
    return fields


@pytest.mark.proves("AIP29-SECURITY-06", "AIP29-IDENTITY-03")
@pytest.mark.parametrize(
    "changes",
    [
        {"sandbox__exec": {"allow": True, "spawn": ["git"]}},
        {"version_check__range": ">=2 <3"},
        {"sandbox__network": {"egress": ["example.com"]}},
        {"sandbox__fs": {"read": ["./**"], "write": ["./**"]}},
        {"sandbox__env": {"pass": ["TOKEN"]}},
        {"bin": "other"},
        {"install": [{"method": "npm", "package": "demo"}]},
    ],
)
def test_what_widens_or_retargets_needs_a_major_and_a_review(changes):
    new = changed(**changes)
    assert any(change.bump == "major" and change.needs_review for change in review(MANIFEST, new))
    assert "2.0.0" in (missing_bump(MANIFEST, new) or "")
    assert missing_bump(MANIFEST, {**new, "version": "2.0.0"}) is None
    with pytest.raises(AtipError) as caught:
        refuse_unreviewed("demo@1", review(MANIFEST, new))
    assert caught.value.code == "bundle.review-needed"


def test_narrower_or_other_words_need_no_review():
    for changes in (
        {"sandbox__fs": {"read": [], "write": []}},
        {"description": "New."},
        {"tags": ["x"]},
    ):
        changes = review(MANIFEST, changed(**changes))
        assert not any(change.needs_review for change in changes)
        refuse_unreviewed("demo@1", changes)
    assert missing_bump(MANIFEST, changed(description="x")) is None


@pytest.mark.proves("AIP29-SKILL-02")
@pytest.mark.parametrize(
    ("output", "pattern", "version"),
    [
        ("git version 2.39.5\n", r"git version (\S+)", "2.39.5"),
        ("jq-1.6\n", r"jq-(\S+)", "1.6"),
        ("3.2.4\n", r"(\d+\.\d+\S*)", "3.2.4"),
        ("Foo (bar) v1.2.3, built today\n", r"Foo \(bar\) v(\S+)", "1.2.3"),
        ("welcome\n\nfoo 10.2 (x)\n", r"foo (\S+)", "10.2"),
    ],
)
def test_pattern_is_derived_from_real_output(output, pattern, version):
    assert derive_pattern(output) == (pattern, version)
    assert derived_check("x", ("--version",), output).cmd == "x --version"


def test_no_version_gives_no_check():
    assert derived_check("x", ("--version",), "usage: x [-h]\n") is None


@pytest.mark.proves("AIP29-SKILL-01")
def test_install_paths_are_those_of_the_records_then_marked_proposals(tmp_path):
    found = find_install("/usr/bin/git")
    assert [entry["method"] for entry in found][-3:] == ["brew", "dnf", "pacman"]
    assert all(entry.get("experimental") for entry in found[-3:])
    script = tmp_path / "lib" / "node_modules" / "@a" / "b" / "cli.js"
    script.parent.mkdir(parents=True)
    script.write_text("")
    assert find_install(str(script))[0] == {"method": "npm", "package": "@a/b", "global": True}
    binary = tmp_path / "venv" / "bin" / "tool"
    record = (
        tmp_path
        / "venv"
        / "lib"
        / "python3.11"
        / "site-packages"
        / "my_tool-1.0.dist-info"
        / "RECORD"
    )
    for path, text in ((binary, ""), (record, "../../../bin/tool,sha256=x,1\n")):
        path.parent.mkdir(parents=True)
        path.write_text(text)
    assert find_install(str(binary))[0] == {"method": "pip", "package": "my-tool"}
    crates = tmp_path / "cargo" / ".crates.toml"
    (tmp_path / "cargo" / "bin").mkdir(parents=True)
    crates.write_text('[v1]\n"ripgrep 13.0.0 (registry+x)" = ["rg"]\n')
    assert find_install(str(tmp_path / "cargo/bin/rg"))[0] == {
        "method": "cargo",
        "package": "ripgrep",
    }


@pytest.mark.proves("AIP29-SKILL-04")
def test_observed_blocks_are_united():
    one = {
        "network": {"egress": ["a"]},
        "fs": {"read": ["./**"], "write": []},
        "exec": {"allow": False},
    }
    two = {"network": {"egress": ["b", "a"]}, "exec": {"allow": True, "spawn": ["git"]}}
    merged = merge_blocks([one, two])
    assert merged["network"]["egress"] == ["a", "b"]
    assert merged["exec"] == {"allow": True, "spawn": ["git"]}
    assert "~/.ssh/**" in merged["fs"]["deny"]


def test_bundle_that_is_there_is_not_overwritten(tmp_path):
    write_folder(str(tmp_path / "x"), {"CLI.md": "a", "tools/t/TOOL.md": "b"})
    with pytest.raises(AtipError):
        write_folder(str(tmp_path / "x"), {"CLI.md": "c"})
    write_folder(str(tmp_path / "x"), {"CLI.md": "c"}, replace=True)
    assert (tmp_path / "x" / "CLI.md").read_text() == "c"


@pytest.mark.proves("AIP29-SETUP-13")
def test_doctor_names_what_is_missing_in_the_order_of_the_lifecycle(tmp_path):
    steps = [{"id": "a", "kind": "cmd", "cmd": "demo a"}]
    bundle = make_bundle(tmp_path / "demo", setup=steps)
    proposal = InstallProposal(key="demo@1", plans=(refused_plan("brew", "no brew", "get brew"),))
    told = advise(
        bundle,
        is_installed=False,
        proposal=proposal,
        pending=bundle.manifest.setup,
        auth="unauthed",
    )
    fixes = [advice.fix for advice in told if not advice.ok]
    folder = bundle.folder
    assert fixes == [
        f"atip bundle install {folder}", "get brew", f"atip bundle setup {folder}", f"atip bundle login {folder}",
    ]  # fmt: skip
    assert all(
        advice.ok for advice in advise(make_bundle(tmp_path / "b" / "demo"), is_installed=True)
    )


@pytest.mark.proves("AIP29-SECURITY-06")
def test_one_more_program_to_start_needs_a_major_and_a_review():
    old = changed(sandbox__exec={"allow": True, "spawn": ["git"]})
    new = changed(sandbox__exec={"allow": True, "spawn": ["git", "sh"]})
    found = review(old, new)
    assert [(one.path, one.bump, one.needs_review) for one in found if one.needs_review] == [
        ("$.sandbox.exec.spawn", "major", True)
    ]
    assert "`sh`" in found[0].message
    assert not any(one.needs_review for one in review(new, old))
