"""`atip call`: every provider's call in, that provider's message out; refusals, mistakes, exit codes."""

from __future__ import annotations

import json

import pytest

from tests.cli.run import atip
from tests.simulators.known_tools import home_with

pytestmark = pytest.mark.sandbox
ARGUMENTS = {"word": ["a b", "--loud"]}
SAID = "--\na b\n--loud\n"


@pytest.fixture
def home(tmp_path):
    home_with(tmp_path)
    return tmp_path


def call(home, value, *words):
    return atip("call", *words, home=home, stdin=json.dumps(value))


CALLS = {
    "openai chat": (
        {"choices": [{"message": {"tool_calls": [{"id": "c1", "type": "function", "function": {
            "name": "greet_say", "arguments": json.dumps({**ARGUMENTS, "loud": None})}}]}}]},
        {"role": "tool", "tool_call_id": "c1", "content": SAID},
    ),
    "openai one call": (
        {"id": "c1", "type": "function", "function": {"name": "greet_say", "arguments": json.dumps(ARGUMENTS)}},
        {"role": "tool", "tool_call_id": "c1", "content": SAID},
    ),
    "openai responses": (
        {"output": [{"type": "function_call", "call_id": "c2", "name": "greet_say", "arguments": json.dumps(ARGUMENTS)}]},
        {"type": "function_call_output", "call_id": "c2", "output": SAID},
    ),
    "anthropic": (
        {"content": [{"type": "text", "text": "hm"}, {"type": "tool_use", "id": "t1", "name": "greet_say", "input": ARGUMENTS}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": SAID}]},
    ),
    "gemini": (
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "greet_say", "args": ARGUMENTS}}]}}]},
        {"role": "user", "parts": [{"function_response": {"name": "greet_say", "response": {"output": SAID}}}]},
    ),
    "mcp": (
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "greet_say", "arguments": ARGUMENTS}},
        {"content": [{"type": "text", "text": SAID}], "isError": False},
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", CALLS)
@pytest.mark.proves("ATIP6-7.1-01", "ATIP6-7.1-02", "ATIP6-7.1-05")
def test_a_providers_call_is_answered_by_its_own_message(home, shape):
    given, expected = CALLS[shape]
    ran = call(home, given)
    assert (ran.code, ran.document, ran.err) == (0, expected, "")


def test_several_calls_are_answered_in_one_message_where_the_provider_wants_that(home):
    calls = [
        {"type": "tool_use", "id": "a", "name": "greet_say", "input": {"word": ["x"]}},
        {"type": "tool_use", "id": "b", "name": "greet_sya", "input": {}},
        {"type": "tool_use", "id": "c", "name": "greet_fail", "input": {}},
    ]
    ran = call(home, calls)
    assert ran.code == 1
    blocks = ran.document["content"]
    assert [block["tool_use_id"] for block in blocks] == ["a", "b", "c"]
    assert [block.get("is_error", False) for block in blocks] == [False, True, True]
    assert "did you mean `greet_say`?" in blocks[1]["content"]
    assert "call.unknown-function" in ran.err


def test_json_tells_argv_and_exit_code_of_every_call(home):
    ran = call(home, {"name": "greet_fail", "arguments": {}}, "--json")
    assert ran.code == 3
    (row,) = ran.document["calls"]
    assert (row["argv"], row["exitCode"]) == (["greet", "fail"], 3)
    assert ran.document["messages"][0]["isError"] is True


@pytest.mark.proves("ATIP6-11-05")
def test_what_destroys_is_refused_without_a_terminal_and_the_model_is_told(home):
    ran = call(home, {"type": "tool_use", "id": "t", "name": "greet_erase", "input": {}}, "--yes")
    assert ran.code == 126
    (block,) = ran.document["content"]
    assert block["is_error"] is True
    assert "consent.no-terminal" in block["content"]


def test_a_command_can_be_named_with_arguments_in_every_spelling(home):
    for words in (
        ("greet.say", "word=a b", "word=--loud"),
        ("greet.say", 'word:=["a b", "--loud"]'),
        ("greet say", "--args", json.dumps(ARGUMENTS)),
        ("greet_say", "word=a b", "word=--loud"),
    ):
        ran = atip("call", *words, home=home)
        assert (ran.code, ran.out) == (0, SAID)
    ran = atip("call", "greet.say", "--args", "-", home=home, stdin=json.dumps(ARGUMENTS))
    assert (ran.code, ran.out) == (0, SAID)
    typed = atip("call", "--json", "greet.flood", "bytes=3", home=home).document
    assert (typed["stdout"], typed["exitCode"]) == ("xxx", 0)
    message = atip("call", "--for", "anthropic", "greet.say", "word=x", home=home).document
    assert message["content"][0]["content"] == "x\n"


def test_exit_codes_of_direct_calls_are_those_of_run(home):
    assert atip("call", "greet.fail", home=home).code == 3
    assert atip("call", "greet.erase", home=home).code == 126
    assert atip("call", "--timeout", "0.5", "greet.wait", home=home).code == 124
    assert atip("call", "no-such-tool.x", home=home).code == 127


@pytest.mark.parametrize(
    ("words", "stdin", "code", "slug"),
    [
        ((), "", 2, "call.nothing"),
        ((), "{", 1, "format."),
        ((), '{"a": 1}', 2, "call.unknown-provider"),
        (("--for", "anthropic"), '{"content": []}', 2, "call.none"),
        (("--for", "nobody"), '{"name": "x"}', 1, "compile.unknown-provider"),
        (("greet.say", "word"), "", 2, "call.argument"),
        (("greet.say", "--args", "[]"), "", 2, "call.args"),
        (("greet.say", "wrod=x"), "", 1, "call.invalid"),
    ],
)
def test_mistakes_have_codes(home, words, stdin, code, slug):
    ran = atip("call", "--json", *words, home=home, stdin=stdin)
    assert ran.document["error"]["code"].startswith(slug)
    assert ran.code == code or (slug == "compile.unknown-provider" and ran.code == 125)


def test_a_dry_run_shows_argv_and_decision_and_runs_nothing(home):
    ran = call(home, {"name": "greet_erase", "arguments": {}}, "--dry-run")
    (row,) = ran.document["calls"]
    assert (row["argv"], row["decision"]["decision"]) == (["greet", "erase"], "ask")


def test_another_file_under_the_tools_name_is_not_run(home):
    """What was described is what runs: the entry is learnt anew, and a lie in between is refused."""
    program = home / "bin" / "greet"
    program.write_text("#!/bin/sh\necho changed\n")
    ran = call(home, {"name": "greet_say", "arguments": {"word": ["x"]}})
    assert ran.code != 0
    assert "changed" not in ran.out


def test_bytes_that_are_not_those_that_were_described_are_not_run(tmp_path):
    box = home_with(tmp_path)
    entry = box.store.find("greet")
    box.store.put({"greet": {**entry, "hash": "sha256:" + "0" * 64}})
    ran = call(tmp_path, {"name": "greet_say", "arguments": {"word": ["x"]}}, "--json")
    assert ran.code == 126
    assert ran.document["calls"][0]["error"]["code"] == "trust.digest-mismatch"


def test_the_names_of_a_grouped_compilation_are_understood(home):
    given = {"name": "greet", "arguments": {"action": "say", "word": ["x"]}}
    ran = call(home, given, "--tools", "greet", "--strategy", "action")
    assert ran.document["content"][0]["text"] == "x\n"
