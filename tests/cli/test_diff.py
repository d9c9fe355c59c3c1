"""`atip diff`: forms of output and exit codes."""

from __future__ import annotations

import json

import pytest

from atip.cli.main import main


@pytest.fixture
def pair(tmp_path):
    base = {
        "atip": {"version": "0.6"},
        "name": "tool",
        "version": "1.0.0",
        "description": "A tool of some use",
        "commands": {"run": {"description": "Run it", "effects": {"destructive": False}}},
    }
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(base))
    run = {"description": "Run *it*\n# now", "effects": {"destructive": True}}
    new.write_text(json.dumps({**base, "version": "1.1.0", "commands": {"run": run}}))
    return str(old), str(new)


def test_text_tells_worst_first_and_advises(pair, capsys):
    assert main(["diff", *pair]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "effects and trust (1)",
        "  $.commands.run.effects.destructive: effect destructive changed from false to true"
        " (more dangerous) [destructive-added]",
        "compatible (2)",
        "  $.version: version changed from `1.0.0` to `1.1.0` [version-changed]",
        "  $.commands.run.description: description of command `run` changed [description-changed]",
        "3 changes; advised version step: minor",
    ]


def test_json_is_one_document_of_a_fixed_shape(pair, capsys):
    assert main(["diff", "--json", *pair]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["summary"] == {
        "changes": 3,
        "breaking": 0,
        "compatible": 2,
        "effects": 1,
        "weakerClaims": 0,
    }
    assert document["semver"] == "minor"
    assert document["changes"][1 + 1] == {
        "kind": "destructive-added",
        "category": "effects",
        "path": ["commands", "run", "effects", "destructive"],
        "message": "effect destructive changed from false to true",
        "direction": "more-dangerous",
        "weakerClaim": False,
        "severity": "high",
        "old": False,
        "new": True,
    }


def test_markdown_has_a_heading_for_each_category(pair, capsys):
    assert main(["diff", "--format", "markdown", *pair]) == 0
    out = capsys.readouterr().out
    assert out.startswith("## tool 1.0.0 → 1.1.0\n\nAdvised version step: **minor**\n")
    assert "### Effects and trust\n\n- **more dangerous:** `$.commands.run.effects" in out


@pytest.mark.parametrize(
    ("flags", "code"),
    [([], 0), (["--fail-on", "breaking"], 0), (["--fail-on", "effects"], 1)],
)
def test_fail_on_decides_the_exit_code(pair, capsys, flags, code):
    assert main(["diff", *pair, *flags]) == code


def test_semver_prints_one_word(pair, capsys):
    main(["diff", "--semver", *pair])
    assert capsys.readouterr().out == "minor\n"


def test_a_broken_document_is_named(pair, tmp_path, capsys):
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    assert main(["diff", "--json", pair[0], str(broken)]) == 1
    error = json.loads(capsys.readouterr().out)["error"]
    assert str(broken) in error["message"]


def test_standard_input_serves_one_side_only(capsys):
    assert main(["diff", "-", "-"]) == 2
