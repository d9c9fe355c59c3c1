"""`atip bundle …`: exit codes, JSON documents, refusals without a person."""

from __future__ import annotations

import json
import pathlib
import shutil

import pytest

from tests.cli.run import atip
from tests.integration.bundles.fake_cli import write_fake
from tests.shared import ROOT

EXAMPLES = ROOT / "examples" / "bundles"
ANSWERS = (
    "--answer",
    "url=wss://y",
    "--answer",
    "token=t0p-secret",
    "--answer",
    "region=us",
    "--answer",
    "channel=7",
)


def test_validate_judges_folders_and_documents(tmp_path):
    ran = atip("bundle", "validate", "--json", str(EXAMPLES), home=tmp_path)
    assert ran.code == 0 and ran.document["valid"] is True
    assert {bundle["bundle"] for bundle in ran.document["bundles"]} == {
        "jq@1",
        "httpie@1",
        "cowsay@1",
    }
    broken = tmp_path / "jq"
    shutil.copytree(EXAMPLES / "jq", broken)
    text = (broken / "CLI.md").read_text()
    (broken / "CLI.md").write_text(text.replace("jq --version", "jq --version | cat"))
    ran = atip("bundle", "validate", str(broken), home=tmp_path)
    assert ran.code == 1 and "command.shell" in ran.out
    (broken / "CLI.md").write_text(text.replace('range: ">=1.5 <2"', 'range: ">=2 <3"'))
    ran = atip("bundle", "validate", "--against", str(EXAMPLES / "jq"), str(broken), home=tmp_path)
    assert ran.code == 1 and "2.0.0" in ran.out


def test_dry_run_shows_the_plan_and_does_nothing(tmp_path):
    ran = atip(
        "bundle",
        "install",
        "--dry-run",
        "--again",
        "--json",
        str(EXAMPLES / "cowsay"),
        home=tmp_path,
    )
    assert ran.code == 0
    plans = {plan["method"]: plan for plan in ran.document["plans"]}
    assert plans["apt"]["root"] is True and plans["brew"]["possible"] is False
    assert not (tmp_path / ".local").exists()


def test_install_without_a_person_or_a_yes_is_refused(tmp_path):
    folder = write_fake(tmp_path / "fake")
    ran = atip("bundle", "install", "--json", str(folder), home=tmp_path)
    assert (ran.code, ran.document["error"]["code"]) == (126, "consent.no-terminal")


def test_unknown_bundle_and_command_say_so(tmp_path):
    ran = atip("bundle", "status", "nowhere", "--json", home=tmp_path)
    assert ran.code == 1 and ran.document["problems"][0]["code"] == "bundle.not-found"
    ran = atip("bundle", "run", str(EXAMPLES / "jq"), "nothing", home=tmp_path)
    assert ran.code != 0 and "bundle.no-command" in ran.err


@pytest.mark.sandbox
def test_life_of_a_bundle_from_the_command_line(tmp_path):
    folder = write_fake(tmp_path / "fake")
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    state = pathlib.Path(home, ".config", "fake")

    def run(*words):
        return atip("bundle", *words, "--json", home=home, cwd=work)

    assert run("install", "--yes", str(folder)).document["phase"] == "setup"
    doctor = run("doctor", "fake")
    assert doctor.code == 1
    assert any("atip bundle setup" in (one["fix"] or "") for one in doctor.document["advice"])
    marks = [one["ok"] for one in doctor.document["advice"]]
    assert marks == sorted(marks) and True in marks  # nothing is "ok" above what is missing
    refused = run("run", "fake", "list")
    assert refused.document["error"]["code"] == "setup_required"
    headless = run("setup", "fake")
    assert (headless.code, headless.document["error"]["code"]) == (1, "setup_required")
    done = run("setup", "fake", *ANSWERS)
    assert done.document["phase"] == "login", done
    assert run("login", "fake", "--check").code == 4
    refused = run("run", "fake", "list")
    assert (refused.code, refused.document["error"]["code"]) == (4, "auth_required")
    # the login is interactive and nobody is there: the person logs in with the program itself
    assert run("login", "fake").code == 4
    (state / "token").write_text("good")
    assert run("status", "fake").document["bundles"][0]["ready"] is True
    ran = run("run", "fake", "list", "value=x")
    assert ran.document["ok"] is True and ran.document["value"]["args"] == ["x"]
    assert "t0p-secret" not in json.dumps(ran.document)
    plan = run("run", "fake", "list", "--dry-run").document
    assert plan["argv"] == ["fake", "list"] and plan["confinement"]["network"]["egress"] == []
    assert "requires-cli: fake@1" in run("skill", "fake").document["skill"]
    assert run("remove", "fake").document == {"removed": True}
    assert run("run", str(folder), "list").document["error"]["code"] == "bundle.not-installed"


@pytest.mark.sandbox
def test_init_writes_a_valid_bundle(tmp_path):
    if shutil.which("jq") is None:
        pytest.skip("there is no jq")
    ran = atip("bundle", "init", "jq", "--to", str(tmp_path / ".cli"), "--json", home=tmp_path)
    assert ran.code == 0, ran.err
    folder = pathlib.Path(ran.document["folder"])
    assert folder == tmp_path / ".cli" / "jq" and (folder / "CLI.md").exists()
    assert atip("bundle", "validate", str(folder), home=tmp_path).code == 0
    again = atip("bundle", "init", "jq", "--to", str(tmp_path / ".cli"), "--json", home=tmp_path)
    assert (again.code, again.document["error"]["code"]) == (1, "bundle.exists")
