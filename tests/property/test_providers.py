"""Laws of compilation: every provider takes what we make, and a call comes back as it was meant."""

from __future__ import annotations

import json

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atip.calls.build import build
from atip.codecs.providers.tools import compile_tools
from atip.errors import FormatError
from atip.session import Session
from tests.packages import package
from tests.property.calls import calls, tools
from tests.simulators.provider_check import check_declarations
from tests.unit.codecs.provider_schemas import meta_schema

WAYS = [
    ("openai", False),
    ("openai", True),
    ("anthropic", False),
    ("gemini", False),
    ("mcp", False),
]
FEW = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)  # fmt: skip


@pytest.mark.parametrize(("provider", "strict"), WAYS)
@pytest.mark.parametrize("strategy", ["discrete", "action"])
def test_nothing_we_emit_can_be_refused(provider, strict, strategy):
    checker = jsonschema_rs.Draft202012Validator(meta_schema(provider, strict))

    @FEW
    @given(tools())
    def law(tool):
        made = compile_tools([tool], provider, strict=strict, strategy=strategy).declarations
        assert check_declarations(provider, made, strict=strict) == []
        for declaration in made:
            json.dumps(declaration, allow_nan=False)
            assert [error.message for error in checker.iter_errors(declaration)] == []

    law()


def provider_call(provider, session, function, values, strict):
    """What a model would send for a call: the provider's envelope around the provider's arguments."""
    name, arguments = encoded(session, function, values, strict)
    if provider == "openai":
        call = {
            "id": "c1",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        return {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}
    if provider == "anthropic":
        return {"content": [{"type": "tool_use", "id": "c1", "name": name, "input": arguments}]}
    if provider == "gemini":
        return {
            "candidates": [
                {"content": {"parts": [{"function_call": {"name": name, "args": arguments}}]}}
            ]
        }
    return {"method": "tools/call", "id": 1, "params": {"name": name, "arguments": arguments}}


def encoded(session, function, values, strict):
    """Arguments in the provider's terms, made from its schema: the inverse of the undo map."""
    compiled = session.compiled
    for name, group in compiled.groups.items():
        for action, member in group.actions.items():
            if member.path == function.path:
                back = {ours: (sent, how) for sent, (ours, how) in group.undo[action].items()}
                sent = {back[k][0]: as_sent(v, back[k][1]) for k, v in values.items()}
                if strict:
                    sent = {**dict.fromkeys(group.properties), **sent}
                return name, {**sent, "action": action}
    changes = compiled.undo.get(function.name, {})
    back = {ours: (sent, how) for sent, (ours, how) in changes.items()}
    sent = {}
    for key, value in values.items():
        new, how = back.get(key, (key, ""))
        sent[new] = as_sent(value, how)
    if strict:
        sent = {**dict.fromkeys(function.parameters), **sent}
    return function.name, sent


def as_sent(value, how):
    if how in ("number", "json"):
        return (
            [as_sent(part, how) for part in value] if isinstance(value, list) else json.dumps(value)
        )
    return value


@pytest.mark.parametrize(("provider", "strict"), WAYS)
@pytest.mark.parametrize("strategy", ["discrete", "action"])
@pytest.mark.proves("ATIP6-7.1-01", "ATIP6-7.1-02", "ATIP6-8.2-07", "ATIP6-8.2-08", "ATIP6-8.3-01")
def test_a_call_comes_back_as_the_same_argv(provider, strict, strategy):
    @FEW
    @given(calls())
    def law(call):
        function, values = call
        session = Session([function.tool], provider, strict=strict, strategy=strategy)
        response = provider_call(provider, session, function, values, strict)
        (parsed,) = session.parse(json.loads(json.dumps(response)))
        try:
            built = build(function, values)
        except FormatError as error:
            assert parsed.argv is None
            assert {p.code for p in parsed.problems} == {p.code for p in error.problems}
            return
        assert parsed.problems == ()
        assert parsed.argv == built.argv
        assert parsed.function.path == function.path

    law()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["choices", "message", "tool_calls", "function", "name", "arguments", "content", "type", "input",
             "candidates", "parts", "function_call", "args", "output", "call_id", "params", "method"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(JSON, st.sampled_from(["openai", "anthropic", "gemini", "mcp"]), tools())
def test_no_response_makes_parsing_fail(response, provider, tool):
    session = Session([tool], provider)
    for call in session.parse(response):
        assert call.problems or call.argv
        json.dumps(session.result(call, None))


@FEW
@given(tools())
def test_official_request_models_accept_everything(tool):
    anthropic = package("anthropic.types")
    genai = package("google.genai.types")
    package("openai")
    from openai.types.chat import ChatCompletionFunctionToolParam
    from openai.types.responses import FunctionToolParam
    from pydantic import TypeAdapter

    chat, responses = TypeAdapter(ChatCompletionFunctionToolParam), TypeAdapter(FunctionToolParam)
    claude = TypeAdapter(anthropic.ToolParam)
    for strict in (False, True):
        for declaration in compile_tools([tool], "openai", strict=strict).declarations:
            chat.validate_python(declaration, strict=True)
        for declaration in compile_tools(
            [tool], "openai", strict=strict, shape="responses"
        ).declarations:
            responses.validate_python(declaration, strict=True)
    for declaration in compile_tools([tool], "anthropic").declarations:
        claude.validate_python(declaration, strict=True)
    for declaration in compile_tools([tool], "gemini").declarations:
        read = genai.FunctionDeclaration.model_validate(declaration)
        assert read.name == declaration["name"]
    for wrapped in Session([tool], "gemini").tools:
        genai.Tool.model_validate(wrapped)
