"""Objects of the official packages: their responses are read, their request models take our messages."""

from __future__ import annotations

from atip.session import Session
from tests.packages import package
from tests.unit.calls.tools import argument, command, tool

TOOL = tool(commands={"get": command(arguments=[argument("key")])})


def test_openai_objects_go_in_and_messages_fit_its_models():
    package("openai")
    from openai.types.chat import ChatCompletion, ChatCompletionToolMessageParam
    from openai.types.responses import Response
    from openai.types.responses.response_input_param import FunctionCallOutput
    from pydantic import TypeAdapter

    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "t_get", "arguments": '{"key":"a"}'},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    completion = ChatCompletion.model_validate(
        {
            "id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        }
    )  # fmt: skip
    session = Session([TOOL], "openai", strict=True)
    for response in (
        completion,
        completion.choices[0].message,
        completion.choices[0].message.tool_calls,
    ):
        (parsed,) = session.parse(response)
        assert parsed.argv == ("t", "get", "a")
    TypeAdapter(ChatCompletionToolMessageParam).validate_python(session.result(parsed, "out"))
    answer = Response.model_construct(
        output=[
            {"type": "function_call", "call_id": "r", "name": "t_get", "arguments": '{"key":"a"}'}
        ]
    )
    (parsed,) = Session([TOOL], "openai", shape="responses").parse(answer)
    assert (parsed.id, parsed.argv) == ("r", ("t", "get", "a"))
    TypeAdapter(FunctionCallOutput).validate_python(session.result(parsed, "out"))


def test_anthropic_objects_go_in_and_messages_fit_its_models():
    types = package("anthropic.types")
    from pydantic import TypeAdapter

    message = types.Message.model_validate(
        {
            "id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use",
            "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
            "content": [{"type": "tool_use", "id": "u", "name": "t_get", "input": {"key": "a"}}],
        }
    )  # fmt: skip
    session = Session([TOOL], "anthropic")
    for response in (message, message.content):
        (parsed,) = session.parse(response)
        assert (parsed.id, parsed.argv) == ("u", ("t", "get", "a"))
    TypeAdapter(types.MessageParam).validate_python(session.result(parsed, "out"))


def test_gemini_objects_go_in_and_messages_fit_its_models():
    types = package("google.genai.types")
    parts = [{"function_call": {"name": "t_get", "args": {"key": key}}} for key in "ab"]
    response = types.GenerateContentResponse.model_validate(
        {"candidates": [{"content": {"role": "model", "parts": parts}}]}
    )
    session = Session([TOOL], "gemini")
    calls = session.parse(response)
    assert [call.argv[-1] for call in calls] == ["a", "b"]
    (message,) = session.results(calls, ["1", "2"])
    content = types.Content.model_validate(message)
    assert [part.function_response.response for part in content.parts] == [
        {"output": "1"},
        {"output": "2"},
    ]
    types.GenerateContentConfig(tools=session.tools, system_instruction=session.system_prompt)
