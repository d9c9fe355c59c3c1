"""The Responses interface of OpenAI, as far as Codex uses it, and its chat completions, which opencode uses."""

from __future__ import annotations

import json
import typing

from tests.simulators.api_server import Recorded, Reply
from tests.simulators.models.script import Script, ToolCall, events

CODEX_SHELL = ToolCall("exec_command", {"cmd": None})
OPENCODE_SHELL = ToolCall("bash", {"command": None, "description": "x"})


def answer(script: Script, request: Recorded) -> Reply:
    """The next step of the script, in the interface that was asked."""
    if request.method == "GET":
        return Reply(body={"object": "list", "data": [], "models": []})
    if request.target.endswith("/chat/completions"):
        return _chat(script, json.loads(request.body))
    if request.target.endswith("/responses"):
        return _responses(script, json.loads(request.body))
    return Reply(body={})


def _responses(script: Script, asked: dict[str, typing.Any]) -> Reply:
    results = [
        each.get("output")
        for each in asked.get("input", [])
        if isinstance(each, dict) and str(each.get("type", "")).endswith("_call_output")
    ]
    tools = [str(tool.get("name") or tool.get("type")) for tool in asked.get("tools", [])]
    call = script.next_call(results, tools)
    at = len(results)
    if call is None:
        text = {"type": "output_text", "text": "done", "annotations": []}
        item: dict[str, object] = {"type": "message", "id": f"msg_{at}", "role": "assistant", "content": [text]}  # fmt: skip
    else:
        namespace, _, name = call.name.rpartition("/")
        item = {
            "type": "function_call",
            "id": f"fc_{at}",
            "call_id": f"call_{at}",
            "name": name,
            "arguments": json.dumps(dict(call.arguments)),
            **({"namespace": namespace} if namespace else {}),
        }
    item["status"] = "completed"
    response = {"id": f"resp_{at}", "object": "response"}
    usage = {
        "input_tokens": 1,
        "output_tokens": 1,
        "total_tokens": 2,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    done = {**response, "status": "completed", "output": [item], "usage": usage}
    return events(
        [
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": done},
        ],
        named=True,
    )  # fmt: skip


def _chat(script: Script, asked: dict[str, typing.Any]) -> Reply:
    results = [
        message.get("content") for message in asked["messages"] if message.get("role") == "tool"
    ]
    tools = [str(tool["function"]["name"]) for tool in asked.get("tools", [])]
    call = script.next_call(results, tools) if tools else None
    at = len(results)
    said: dict[str, object] = {"role": "assistant", "content": "done"}
    if call is not None:
        function = {"name": call.name, "arguments": json.dumps(dict(call.arguments))}
        calls = [{"index": 0, "id": f"call_{at}", "type": "function", "function": function}]
        said = {"role": "assistant", "content": None, "tool_calls": calls}
    end = "tool_calls" if call else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    chunk = {"id": f"c{at}", "object": "chat.completion.chunk", "created": 1, "model": asked.get("model")}  # fmt: skip
    if not asked.get("stream"):
        choice = {"index": 0, "message": said, "finish_reason": end}
        return Reply(body={**chunk, "object": "chat.completion", "choices": [choice], "usage": usage})  # fmt: skip
    first = {**chunk, "choices": [{"index": 0, "delta": said, "finish_reason": None}]}
    last = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": end}], "usage": usage}
    return events([first, last, "[DONE]"], named=False)
