"""`atip lint`: forms of output, configs, repairs, exit codes."""

from __future__ import annotations

import json

import pytest

from atip.cli.main import main


@pytest.fixture
def file(tmp_path):
    document = {
        "atip": {"version": "0.6"},
        "name": "no-such-program-here",
        "version": "1.0.0",
        "description": " A tool of some use ",
        "commands": {"wipe": {"description": "Wipe everything", "effects": {"destructive": True}}},
    }
    path = tmp_path / "tool.json"
    path.write_text(json.dumps(document, indent=2) + "\n")
    return path


def run_json(capsys, *words):
    code = main(["lint", *words])
    return code, json.loads(capsys.readouterr().out)


def test_text_is_grouped_by_file_with_lines(file, capsys):
    assert main(["lint", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        str(file),
        "     7:18  warning  $.description: description has leading or trailing whitespace"
        " [description-quality]",
        "    11:18  warning  $.commands.wipe.effects: destructive operations should declare"
        " `reversible` [destructive-needs-reversible]",
        "1 file: 0 errors, 2 warnings, 0 notes; 2 can be repaired with --fix",
    ]


def test_json_is_one_document_of_a_fixed_shape(file, capsys):
    code, document = run_json(capsys, "--json", str(file))
    assert code == 0
    (result,) = document["files"]
    assert (document["errors"], document["warnings"], document["notes"]) == (0, 2, 0)
    assert set(result) == {"file", "errors", "warnings", "notes", "fixed", "findings"}
    assert result["findings"][0] == {
        "rule": "description-quality",
        "severity": "warning",
        "path": "$.description",
        "message": "description has leading or trailing whitespace",
        "fix": {"action": "replace", "path": ["description"], "value": "A tool of some use"},
        "line": 7,
        "column": 18,
        "endLine": 7,
        "endColumn": 40,
    }


def test_sarif_has_the_parts_that_services_read(file, capsys):
    code, document = run_json(capsys, "--format", "sarif", str(file))
    assert (code, document["version"]) == (0, "2.1.0")
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert region["startLine"] <= region["endLine"]
        (fix,) = result["fixes"]
        (replaced,) = fix["artifactChanges"][0]["replacements"]
        assert set(replaced) == {"deletedRegion", "insertedContent"}


def test_fix_repairs_in_place_and_says_so(file, capsys):
    before = file.read_text()
    assert main(["lint", "--fix", str(file)]) == 0
    assert capsys.readouterr().out == "1 file: 0 errors, 0 warnings, 0 notes; 2 repaired\n"
    assert file.read_text() == before.replace(
        '" A tool of some use "', '"A tool of some use"'
    ).replace('"destructive": true', '"destructive": true,\n        "reversible": false')


def test_fix_without_anything_to_repair_leaves_the_file_alone(file):
    main(["lint", "--fix", str(file)])
    before = file.stat().st_mtime_ns, file.read_bytes()
    main(["lint", "--fix", str(file)])
    assert (file.stat().st_mtime_ns, file.read_bytes()) == before


def test_too_many_warnings_fail(file):
    assert main(["lint", "--max-warnings", "1", str(file)]) == 1
    assert main(["lint", "--max-warnings", "2", str(file)]) == 0


def test_preset_config_and_rule_decide(file, tmp_path, capsys):
    assert main(["lint", "--preset", "strict", str(file)]) == 1
    config = tmp_path / "lint.yaml"
    config.write_text("extends: minimal\nrules:\n  destructive-needs-reversible: error\n")
    assert main(["lint", "--config", str(config), str(file)]) == 1
    off = ["--rule", "destructive-needs-reversible=off"]
    assert main(["lint", "--config", str(config), *off, str(file)]) == 0


def test_a_bad_config_is_an_error_with_its_path(file, tmp_path, capsys):
    config = tmp_path / "lint.json"
    config.write_text('{"rules": {"no-empty-effects": "loud"}}')
    code, document = run_json(capsys, "--json", "--config", str(config), str(file))
    assert (code, document["error"]["code"]) == (1, "lint.config")


def test_a_binary_that_is_not_here_is_noticed(file, capsys):
    _code, document = run_json(capsys, "--json", "--check-binary", str(file))
    assert "binary-exists" in {finding["rule"] for finding in document["files"][0]["findings"]}


@pytest.mark.parametrize("text", ["{", "[]", '{"a":1,"a":2}'])
def test_an_unreadable_file_is_a_finding(file, capsys, text):
    file.write_text(text)
    code, document = run_json(capsys, "--json", str(file))
    assert (code, document["files"][0]["findings"][0]["rule"]) == (1, "valid-document")


def test_hidden_characters_do_not_reach_the_terminal(file, capsys):
    file.write_text(file.read_text().replace("wipe", "wi\\u001b[2Jpe"))
    main(["lint", str(file)])
    assert "\x1b" not in capsys.readouterr().out


def test_rules_are_listed(capsys):
    code, document = run_json(capsys, "--json", "--rules")
    assert (code, document["rules"]["no-duplicate-flags"]["minimal"]) == (0, "error")
