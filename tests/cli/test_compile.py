"""`atip compile`: output, budgets, counts, errors."""

from __future__ import annotations

import json

from tests.cli.run import atip

TOOL = {
    "atip": {"version": "0.6"}, "name": "x", "version": "1", "description": "does things",
    "commands": {
        "go": {"description": "Go there", "effects": {"destructive": True}},
        "stop": {"description": "Stop", "options": [
            {"name": "now", "flags": ["--now"], "type": "boolean", "description": "at once"}]},
    },
}  # fmt: skip


def written(folder):
    path = folder / "x.json"
    path.write_text(json.dumps(TOOL))
    return str(path)


def test_the_list_of_functions_is_the_result(tmp_path):
    ran = atip("compile", written(tmp_path), "--for", "anthropic", home=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert [one["name"] for one in ran.document] == ["x_go", "x_stop"]
    assert ran.document[0]["description"] == "Go there. [⚠️ DESTRUCTIVE]"


def test_json_is_one_document_with_what_was_left_out(tmp_path):
    ran = atip("compile", written(tmp_path), "--max-tokens", "55", "--json", home=tmp_path)
    assert ran.code == 0
    assert set(ran.document) == {
        "provider",
        "strategy",
        "tools",
        "leftOut",
        "losses",
        "tokenizer",
        "tokens",
    }
    assert ran.document["tokens"] <= 55
    assert ran.document["leftOut"]


def test_count_names_the_tokenizer(tmp_path):
    ran = atip("compile", "-", "--count", "--json", home=tmp_path, stdin=json.dumps(TOOL))
    assert ran.document["tokenizer"] in ("cl100k_base", "estimate (characters / 4)")
    assert ran.document["total"] == sum(
        function["tokens"] for function in ran.document["functions"]
    )
    text = atip("compile", "-", "--count", home=tmp_path, stdin=json.dumps(TOOL)).out
    assert text.splitlines()[-1].endswith(f"by {ran.document['tokenizer']}")


def test_only_some_commands(tmp_path):
    ran = atip("compile", written(tmp_path), "--commands", "stop", "--strict", home=tmp_path)
    assert [one["function"]["name"] for one in ran.document] == ["x_stop"]


def test_strategy_b_from_the_command_line(tmp_path):
    ran = atip("compile", written(tmp_path), "--strategy", "action", home=tmp_path)
    assert ran.document[0]["function"]["parameters"]["properties"]["action"]["enum"] == [
        "go",
        "stop",
    ]


def test_errors_have_codes(tmp_path):
    ran = atip("compile", written(tmp_path), "--for", "opnai", "--json", home=tmp_path)
    assert (ran.code, ran.document["error"]["code"]) == (1, "compile.unknown-provider")
    assert "did you mean `openai`?" in ran.document["error"]["hint"]
    ran = atip("compile", "nothing", "--json", home=tmp_path)
    assert (ran.code, ran.document["error"]["code"]) == (1, "tool.not-found")
