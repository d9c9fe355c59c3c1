"""Calling: which tool a function's name belongs to, whose call a value is, and the doors of the toolbox."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atip.async_toolbox import AsyncToolbox
from atip.calls.functions import functions_of
from atip.calls.names import function_name
from atip.codecs.providers.guess import guess_provider, with_envelope
from atip.errors import AtipError, FormatError, NotFoundError, UsageError
from atip.session import call_published
from atip.workflows.agents.call import find_command, may_belong, target_words, understand
from tests.property.calls import tools
from tests.simulators.known_tools import document, home_with

NAMES = st.text(st.sampled_from("abcz09._+-"), min_size=1, max_size=20)
WORDS = st.lists(st.text(min_size=1, max_size=30), max_size=4).map(tuple)


@given(NAMES, WORDS)
def test_every_function_may_belong_to_its_own_tool(tool, path):
    assert may_belong(function_name(tool, path), tool)


@given(tools())
def test_a_published_function_takes_what_its_undo_map_says(tool):
    for function in functions_of(tool)[:5]:
        call = call_published(function, {"surely-no-parameter": 1})
        assert call.argv is None
        assert call.problems


@pytest.mark.parametrize(
    ("value", "provider"),
    [
        ({"choices": []}, "openai"),
        ({"output": []}, "openai"),
        ({"message": {"tool_calls": []}}, "openai"),
        ([{"type": "function", "function": {}}], "openai"),
        ({"type": "function_call", "name": "x"}, "openai"),
        ({"content": [{"type": "text"}, {"type": "tool_use"}]}, "anthropic"),
        ({"name": "x", "input": {}}, "anthropic"),
        ({"candidates": []}, "gemini"),
        ({"content": {"parts": []}}, "gemini"),
        ({"functionCall": {}}, "gemini"),
        ({"name": "x", "args": {}}, "gemini"),
        ({"method": "tools/call"}, "mcp"),
        ({"name": "x", "arguments": {}}, "mcp"),
        ({"a": 1}, ""),
        ([], ""),
        (3, ""),
        ("{", ""),
        ('{"name": "x"}', "mcp"),
    ],
)
def test_a_call_tells_whose_it_is(value, provider):
    assert guess_provider(value) == provider


@given(st.recursive(st.none() | st.booleans() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
    st.sampled_from(["name", "type", "function", "content", "parts", "args", "input", "choices", "message"]), inner, max_size=3)))  # fmt: skip
def test_no_value_breaks_the_guess(value):
    provider = guess_provider(value)
    with_envelope(provider or "openai", value)


def test_targets_are_words_dots_or_function_names(tmp_path):
    box = home_with(tmp_path, document("greet"), document("greet3.1"))
    assert target_words(box.host, "greet.say") == ["greet", "say"]
    assert target_words(box.host, "greet say") == ["greet", "say"]
    assert target_words(box.host, "greet_say") == ["greet", "say"]
    assert target_words(box.host, "greet3.1.say") == ["greet3.1", "say"]
    function, left = find_command(box.host, ["greet", "say", "x", "y"])
    assert (function.line, left) == ("greet say", ("x", "y"))
    with pytest.raises(NotFoundError):
        find_command(box.host, ["greet", "nothing"])


def test_problems_are_raised_before_anything_is_started(tmp_path):
    box = home_with(tmp_path)
    with pytest.raises(FormatError) as caught:
        box.call({"name": "greet_say", "arguments": {}})
    assert caught.value.code == "call.missing-argument"
    with pytest.raises(UsageError) as several:
        box.call([{"name": "greet_say", "arguments": {}}, {"name": "greet_say", "arguments": {}}])
    assert several.value.code == "call.not-one"
    with pytest.raises(UsageError) as nobody:
        understand(box.host, {"a": 1})
    assert nobody.value.code == "call.unknown-provider"


@pytest.mark.sandbox
def test_the_toolbox_and_its_asynchronous_twin_run_calls(tmp_path):
    box = home_with(tmp_path)
    given_call = {"name": "greet_say", "arguments": {"word": ["x"]}}
    assert box.call(given_call, cwd=str(tmp_path)).stdout == "x\n"
    session, (call,) = understand(box.host, given_call)
    assert box.call(call, cwd=str(tmp_path)).stdout == "x\n"
    assert session.result(call, "done")["content"][0]["text"] == "done"
    twin = AsyncToolbox(home=str(tmp_path))
    assert asyncio.run(twin.call(given_call, cwd=str(tmp_path))).stdout == "x\n"
    with pytest.raises(AtipError) as caught:
        box.call({"name": "greet_erase", "arguments": {}}, cwd=str(tmp_path))
    assert caught.value.code == "consent.no-terminal"
