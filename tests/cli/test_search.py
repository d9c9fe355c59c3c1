"""`atip search`, `context`, `tokens`, `convert --to cmp|skill`, and the agent facet of `atip` itself."""

from __future__ import annotations

import json
import pathlib

import pytest

from atip.codecs.cmp.document import Reader
from tests.cli.run import atip
from tests.unit.discovery.cmp_folders import write_tool

TOOL = {
    "atip": {"version": "0.6"},
    "name": "shelf",
    "version": "1.0.0",
    "description": "Keeps books in order",
    "commands": {
        "lend": {"description": "Give a book to somebody", "effects": {"destructive": False}},
        "burn": {"description": "Destroy a book for ever", "effects": {"destructive": True}},
    },
}


@pytest.fixture
def home(tmp_path) -> pathlib.Path:
    write_tool(tmp_path / ".cmp" / "tools")
    return tmp_path


def test_search_prints_lines_and_one_document(home):
    ran = atip("search", "throw", "notes", "away", home=home)
    assert ran.code == 0
    assert ran.out.splitlines()[0].split("  ")[0] == "notes/jot drop"
    document = atip("search", "throw notes away", "--json", home=home).document
    assert document["query"] == "throw notes away"
    first = document["results"][0]
    assert set(first) == {"tool", "command", "summary", "score", "effects"}
    assert first["effects"]["destructive"] is True


def test_the_option_that_answers_stands_below_the_hit(home, tmp_path):
    program = tmp_path / "bin" / "leaf"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\ncat <<END\nUsage: leaf [OPTION]... FILE\nCount the pages of a book.\n\n"
        "Options:\n  -r, --rotate   turn every page upside down\n  -q, --quiet    say less\nEND\n"
    )
    program.chmod(0o755)
    assert atip("scan", "--learn", "--path", str(program.parent), home=home).code == 0
    words = "turn the pages of a book upside down"
    lines = atip("search", words, home=home).out.splitlines()
    assert lines[0].startswith("leaf  ")
    assert lines[1] == "  -r, --rotate  turn every page upside down"
    first = atip("search", words, "--json", home=home).document["results"][0]
    assert first["option"] == {
        "flags": ["-r", "--rotate"],
        "description": "turn every page upside down",
    }
    assert "--" not in atip("search", "count pages of a book", home=home).out


def test_search_filters_by_facts_tool_and_limit(home):
    def found(*words: str) -> list[str]:
        document = atip("search", "notes", *words, "--json", home=home).document
        return [" ".join((row["tool"], *row["command"])) for row in document["results"]]

    assert found("--having", "destructive") == ["notes/jot drop"]
    assert found("--lacking", "destructive") == ["notes/jot list"]
    assert len(found("--limit", "1")) == 1
    assert set(found("--tool", "notes/jot")) == {
        f"notes/jot {c}" for c in ("add", "list", "drop", "restore")
    }
    ran = atip("search", "notes", "--having", "nonsense", "--json", home=home)
    assert (ran.code, ran.document["error"]["code"]) == (2, "effects.unknown-fact")


def test_nothing_found_is_1_with_a_hint(home):
    ran = atip("search", "zzzzqqqq", home=home)
    assert (ran.code, ran.out) == (1, "")
    assert "nothing found" in ran.err
    assert atip("search", "zzzzqqqq", "--json", home=home).document["results"] == []


def test_a_misspelt_tool_is_told_from_a_request_that_finds_nothing(home, tmp_path):
    program = tmp_path / "frobnicate"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert atip("scan", "--path", str(tmp_path), home=home).code == 0
    ran = atip("search", "anything", "--tool", "frobnicat", home=home)
    assert (ran.code, ran.out) == (1, "")
    assert "did you mean `frobnicate`?" in ran.err


def test_an_index_that_cannot_be_read_is_built_again(home):
    assert atip("search", "notes", home=home).code == 0
    index = home / ".local/share/agent-tools/index.sqlite"
    for content in (b"garbage" * 1000, b""):
        index.write_bytes(content)
        assert atip("search", "throw notes away", home=home).out.startswith("notes/jot drop")
    index.unlink()
    assert atip("search", "throw notes away", home=home).out.startswith("notes/jot drop")


@pytest.mark.proves("CMP-5.3-02")
def test_context_prints_a_short_instruction_or_a_skill(home):
    ran = atip("context", home=home)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "## Local tools (atip)")
    assert atip("context", "--json", home=home).document["tokens"] < 100
    assert atip("context", "--skill", home=home).out.startswith("---\nname: local-tools\n")


def test_tokens_compares_the_ways(home):
    document = atip("tokens", "notes/jot", "--estimate", "--json", home=home).document
    assert (document["tools"], document["commands"]) == (1, 4)
    assert [row["way"] for row in document["ways"]][-2:] == ["CMP levels", "search, describe, run"]
    assert all(row["oneCall"] >= row["before"] > 0 for row in document["ways"])
    text = atip("tokens", home=home).out
    assert text.startswith("1 tool, 4 commands, tokens by ")
    ran = atip("tokens", "nobody", "--json", home=home)
    assert ran.document["error"]["code"] == "tool.not-found"


def test_convert_writes_cmp_and_skill_and_reads_cmp(home):
    (home / "shelf.json").write_text(json.dumps(TOOL))
    document = atip("convert", "--to", "cmp", "shelf.json", "--json", home=home).document
    intents = Reader(strict=True).intents(document["data"]["capability"])
    assert [(i.command, i.confirm, i.destructive) for i in intents] == [
        ("shelf lend", False, False),
        ("shelf burn", True, True),
    ]
    assert document["losses"]
    skill = atip("convert", "--to", "skill", "shelf.json", home=home).out
    assert skill.startswith("---\nname: shelf\n")
    (home / "cmp.json").write_text(json.dumps(document["data"]))
    back = atip("convert", "--from", "cmp", "--to", "atip", "cmp.json", "--json", home=home)
    assert set(back.document["data"]["commands"]) == {"lend", "burn"}
    ran = atip("convert", "--from", "skill", "--to", "atip", "shelf.json", "--json", home=home)
    assert ran.document["error"]["code"] == "convert.one-way"


@pytest.mark.proves("CMP-6-02", "CMP-6-04", "CMP-6-06")
@pytest.mark.parametrize(
    "words", [(), ("list",), ("cmp", "list"), ("search", "notes"), ("nosuch",)]
)
def test_an_agent_gets_json_and_structured_errors(home, words):
    ran = atip(*words, home=home, CMP_AGENT="1")
    assert ran.document
    assert "\x1b" not in ran.out
    if words == ("nosuch",):
        assert ran.document["error"]["code"] == "cli.unknown-verb"
        assert ran.err == ""


@pytest.mark.proves("CMP-6-01", "CMP-6-05")
@pytest.mark.parametrize("value", ["0", "", "false"])
def test_a_person_gets_text(home, value):
    ran = atip("list", home=home, CMP_AGENT=value)
    assert ran.out.startswith("notes/jot")
    assert atip("nosuch", home=home, CMP_AGENT=value).err.startswith("atip: no verb")
