"""`atip approvals`, `atip audit output`, `run --structured`, and what a dry run tells."""

from __future__ import annotations

import json
import pathlib
import re

import pytest

from tests.cli.run import atip
from tests.integration.execution.desk import Desk

pytestmark = pytest.mark.sandbox


@pytest.fixture
def desk(tmp_path: pathlib.Path) -> Desk:
    found = Desk(tmp_path)
    (found.work / "a.json").write_text('{"a": 1}\n')
    return found


def test_a_yes_that_is_remembered_is_listed_holds_and_can_be_taken_back(desk: Desk) -> None:
    # `mkdir` writes, and cannot destroy: it is asked, and may be remembered
    code, shown = desk.on_terminal("run", "mkdir", "-p", "made", answers=("r",))
    assert (code, "`r` to run it and remember this" in shown) == (0, True), shown
    held = atip("approvals", "list", "--json", home=desk.home).document["approvals"]
    assert [(each["argv"], each["cwd"]) for each in held] == [
        (["mkdir", "-p", "made"], str(desk.work))
    ]
    again = atip("run", "mkdir", "-p", "made", home=desk.home, cwd=desk.work)
    assert again.code == 0, again.err
    # another word, another place: asked again, and nobody is there
    assert atip("run", "mkdir", "-p", "more", home=desk.home, cwd=desk.work).code == 126
    assert atip("run", "mkdir", "-p", "made", home=desk.home, cwd=desk.home).code == 126
    assert held[0]["id"] in atip("approvals", "list", home=desk.home).out
    assert atip("approvals", "revoke", "000000000000", home=desk.home).code == 1
    revoked = atip("approvals", "revoke", "--json", held[0]["id"], home=desk.home)
    assert revoked.document == {"revoked": [held[0]["id"]]}
    assert atip("approvals", "list", "--json", home=desk.home).document == {"approvals": []}
    assert atip("run", "mkdir", "-p", "made", home=desk.home, cwd=desk.work).code == 126


def test_destruction_cannot_be_remembered(desk: Desk) -> None:
    code, shown = desk.on_terminal("run", "rm", "a.json", answers=("r",))
    assert code == 126
    assert "remember" not in shown
    assert (desk.work / "a.json").exists()
    assert atip("approvals", "list", "--json", home=desk.home).document == {"approvals": []}


def test_revoking_wants_ids_or_all(desk: Desk) -> None:
    assert atip("approvals", "revoke", home=desk.home).code == 2
    assert atip("approvals", "revoke", "--all", "--json", home=desk.home).document == {
        "revoked": []
    }


def test_the_mark_of_a_cut_output_leads_to_the_rest(desk: Desk) -> None:
    (desk.work / "long.txt").write_text("".join(f"line {number}\n" for number in range(5000)))
    ran = atip(
        "run", "--json", "--max-bytes", "1000", "cat", "long.txt", home=desk.home, cwd=desk.work
    )
    mark = re.search(r"run `atip (audit output (\S+) --from (\d+))`", ran.document["stdout"])
    assert mark is not None
    assert ran.document["kept"] == {"stdout": mark[2]}
    rest = atip(*mark[1].split(), home=desk.home).out
    assert (ran.document["stdout"][: int(mark[3])] + rest) == (desk.work / "long.txt").read_text()
    part = atip("audit", "output", mark[2], "--bytes", "6", "--json", home=desk.home).document
    assert (part["text"], part["next"]) == ("line 0", 6)
    assert atip("audit", "output", "0" * 16, home=desk.home).code == 1


def test_a_policy_may_forbid_to_keep_outputs(desk: Desk) -> None:
    desk.policy(execution={"keepOutput": False})
    (desk.work / "long.txt").write_text("x" * 5000)
    ran = atip(
        "run", "--json", "--max-bytes", "1000", "cat", "long.txt", home=desk.home, cwd=desk.work
    )
    assert "kept" not in ran.document
    assert "--max-bytes" in ran.document["stdout"]
    assert not (desk.home / ".cache/agent-tools/outputs").exists()


def test_structured_output_is_a_value(desk: Desk) -> None:
    ran = atip("run", "--json", "--structured", "jq", ".", "a.json", home=desk.home, cwd=desk.work)
    assert ran.document["data"] == {"a": 1}
    plain = atip("run", "--json", "jq", ".", "a.json", home=desk.home, cwd=desk.work)
    assert "data" not in plain.document


def test_a_preview_as_json_is_dropped_without_a_word_on_the_terminal(desk: Desk) -> None:
    desk.policy(rules=[{"decision": "allow", "tools": ["touch"]}])
    words = ("run", "--preview", "--json", "touch", "made")
    ran = atip(*words, home=desk.home, cwd=desk.work)
    assert ran.code == 0, ran.err
    preview = ran.document["preview"]
    assert [(change["kind"], change["path"]) for change in preview["changes"]] == [
        ("created", str(desk.work / "made"))
    ]
    assert (preview["dropped"], preview["kept"]) == (True, [])
    result = atip(
        "run", "--preview", "--keep", "--json", "touch", "made", home=desk.home, cwd=desk.work
    )
    assert (result.code, result.document["error"]["code"]) == (126, "consent.no-terminal")
    assert not (desk.work / "made").exists()


def test_the_dry_run_names_what_the_call_would_get(desk: Desk) -> None:
    desk.grant(hosts=["api.example.com"], env=["HUB_TOKEN"], tcp=["localhost:5432"])
    plan = atip(
        "run", "--dry-run", "--json", "curl", "https://example.com/x",
        home=desk.home, cwd=desk.work,
    ).document  # fmt: skip
    network = plan["confinement"]["network"]
    assert network["egress"] == ["api.example.com", "example.com"]
    assert network["tcp"] == ["localhost:5432"]
    assert plan["confinement"]["exec"] == {"allow": False, "spawn": []}
    assert "HUB_TOKEN" in plan["env"]
    text = atip(
        "run", "--dry-run", "curl", "https://example.com/x", home=desk.home, cwd=desk.work
    ).out
    assert "variables    AGENT CMP_AGENT HUB_TOKEN NO_COLOR" in text
    assert json.loads(json.dumps(plan)) == plan
