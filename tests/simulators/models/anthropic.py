"""The Messages interface of Anthropic, as far as Claude Code uses it."""

from __future__ import annotations

import json
import typing

from tests.simulators.api_server import Recorded, Reply
from tests.simulators.models.script import Script, ToolCall, events

SHELL = ToolCall("Bash", {"command": None, "description": "x"})
_USAGE = {"input_tokens": 1, "output_tokens": 1}


def answer(script: Script, request: Recorded) -> Reply:
    """The next step of the script; a question without tools (a title, a classifier) is answered with a refusal."""
    path = request.target.partition("?")[0]
    if path.endswith("/count_tokens"):
        return Reply(body={"input_tokens": 10})
    if not path.endswith("/messages"):
        return Reply(body={})
    output = json.loads(request.body or b"{}")
    tools = [str(tool.get("name")) for tool in output.get("tools", [])]
    call = script.next_call(_results(output), tools) if tools else None
    if call is None:
        block: dict[str, typing.Any] = {
            "type": "text",
            "text": "done" if tools else "<block>yes</block>",
        }
    else:
        done = len(script.results)
        block = {
            "type": "tool_use",
            "id": f"toolu_{done:04d}",
            "name": call.name,
            "input": dict(call.arguments),
        }
    stop = "tool_use" if call else "end_turn"
    message = {
        "id": f"msg_{len(script.results)}",
        "type": "message",
        "role": "assistant",
        "model": output.get("model"),
        "stop_sequence": None,
        "usage": _USAGE,
    }
    if not output.get("stream"):
        return Reply(body={**message, "content": [block], "stop_reason": stop})
    return events(_stream(message, block, stop), named=True)


def _results(asked: dict[str, typing.Any]) -> list[object]:
    found = []
    for message in asked.get("messages", []):
        if message["role"] == "user" and isinstance(message["content"], list):
            found += [
                part.get("content")
                for part in message["content"]
                if part.get("type") == "tool_result"
            ]
    return found


def _stream(
    message: dict[str, object], block: dict[str, typing.Any], stop: str
) -> list[dict[str, object]]:
    if block["type"] == "text":
        opened, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        opened = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": opened},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]
