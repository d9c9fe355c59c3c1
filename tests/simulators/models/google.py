"""The `generateContent` interface of Google, as far as Gemini CLI uses it."""

from __future__ import annotations

import json
import typing

from tests.simulators.api_server import Recorded, Reply
from tests.simulators.models.script import Script, ToolCall, events

SHELL = ToolCall("run_shell_command", {"command": None, "description": "x"})
_ROUTED = {
    "reasoning": "x",
    "model_choice": "flash",
    "complexity_reasoning": "x",
    "complexity_score": 1,
    "next_speaker": "user",
}
"""What the client asks a model about itself: which model, who speaks next."""


def answer(script: Script, request: Recorded) -> Reply:
    """The next step of the script; questions that want JSON get some."""
    if request.method == "GET":
        return Reply(body={"models": []})
    if "countTokens" in request.target:
        return Reply(body={"totalTokens": 10})
    output = json.loads(request.body or b"{}")
    tools = [
        str(declared["name"])
        for tool in output.get("tools") or []
        for declared in tool.get("functionDeclarations", [])
    ]
    call = script.next_call(_results(output), tools) if tools else None
    part: dict[str, typing.Any] = {"text": "done"}
    if call is not None:
        done = len(script.results)
        part = {
            "functionCall": {
                "id": f"call_{done}",
                "name": call.name,
                "args": dict(call.arguments),
            }
        }
    elif _wants_json(output):
        part = {"text": json.dumps(_ROUTED)}
    said = {
        "candidates": [
            {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "x",
        "responseId": "r",
    }
    return events([said], named=False) if "stream" in request.target else Reply(body=said)


def _results(asked: dict[str, typing.Any]) -> list[object]:
    return [
        part["functionResponse"].get("response")
        for content in asked.get("contents", [])
        for part in content.get("parts", [])
        if "functionResponse" in part
    ]


def _wants_json(asked: dict[str, typing.Any]) -> bool:
    settings = asked.get("generationConfig") or {}
    return bool(settings.get("responseJsonSchema") or settings.get("responseSchema"))
