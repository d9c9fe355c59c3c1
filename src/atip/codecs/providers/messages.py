"""Provider messages: the calls in a response, and the message that carries a result back.

Reads plain values and objects of the official packages (anything with `model_dump` or `to_dict`), Chat
Completions and Responses, Messages, candidates, and MCP requests. Nothing in a response can make it raise:
a call that cannot be read is a `RawCall` with a problem, in its place, so that its answer can say so.
Implements ATIP 0.6 §7.2, §7.3.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.codecs.providers.safety import clean_text
from atip.errors import FormatError
from atip.model.problems import Problem
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_CALLS = 256


class RawCall(Value):
    """One call as a provider sent it. `arguments` is empty where `problem` is set."""

    id: str
    """The provider's own; for Gemini without ids it is the position."""
    name: str
    arguments: Mapping[str, Any]
    position: int
    shape: str = ""
    """`responses` for OpenAI's newer interface; has another result message."""
    problem: Problem | None = None


def read_calls(provider: str, response: object) -> list[RawCall]:
    """List every call in a response, in order."""
    value = to_plain(response)
    calls: list[tuple[Any, Any, Any, str]] = []
    if provider == "openai":
        calls = _openai(value)
    elif provider == "anthropic":
        calls = _anthropic(value)
    elif provider == "gemini":
        calls = _gemini(value)
    elif provider == "mcp":
        calls = _mcp(value)
    return [_raw(position, *call) for position, call in enumerate(calls[:MAX_CALLS])]


def to_plain(value: object) -> Any:
    """Plain values of a response: an SDK object, JSON text, or values as they are."""
    for method in ("model_dump", "to_dict"):
        dump = getattr(value, method, None)
        if callable(dump):
            return dump()
    if isinstance(value, (str, bytes)):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value


def _raw(position: int, identity: Any, name: Any, arguments: Any, shape: str) -> RawCall:
    call = RawCall(
        id=identity if isinstance(identity, str) and identity else str(position),
        name=name if isinstance(name, str) else "",
        arguments={},
        position=position,
        shape=shape,
    )
    if not isinstance(name, str) or not name:
        return call.replace(problem=_problem("call.malformed", "the call has no name"))
    if arguments is None or arguments == "":
        return call
    if isinstance(arguments, str):
        from atip.model.reading.reader import read_json

        try:
            arguments = read_json(arguments.encode("utf-8", "surrogatepass"))
        except FormatError as error:
            message = f"the arguments are not JSON: {error.message}"
            return call.replace(problem=_problem("call.malformed", message))
    if not isinstance(arguments, dict) or not all(isinstance(key, str) for key in arguments):
        return call.replace(problem=_problem("call.malformed", "the arguments are not an object"))
    from atip.model.reading.reader import DOCUMENT, bound

    try:
        json.dumps(arguments)  # only what JSON can hold, and not deeper than it can be written
        bound(arguments, DOCUMENT)
    except (FormatError, TypeError, ValueError, RecursionError) as error:
        return call.replace(
            problem=_problem(
                "call.malformed", f"the arguments are not valid JSON values: {str(error)[:200]}"
            )
        )
    return call.replace(arguments=arguments)


def _problem(code: str, message: str) -> Problem:
    return Problem(path="$", code=code, message=message)


def _openai(value: Any) -> list[tuple[Any, Any, Any, str]]:
    if isinstance(value, dict) and isinstance(value.get("output"), list):
        value = value["output"]
    if isinstance(value, dict):
        choices = _items(value.get("choices"))
        message = _dict(choices[0]).get("message") if choices else value.get("message", value)
        value = _dict(to_plain(message)).get("tool_calls")
    calls = []
    for item in _items(value):
        entry = _dict(to_plain(item))
        if entry.get("type") == "function_call":
            calls.append(
                (entry.get("call_id"), entry.get("name"), entry.get("arguments"), "responses")
            )
        elif "function" in entry or entry.get("type") == "function":
            function = _dict(entry.get("function"))
            calls.append((entry.get("id"), function.get("name"), function.get("arguments"), ""))
    return calls


def _anthropic(value: Any) -> list[tuple[Any, Any, Any, str]]:
    blocks = value.get("content") if isinstance(value, dict) else value
    entries = [_dict(to_plain(block)) for block in _items(blocks)]
    return [
        (entry.get("id"), entry.get("name"), entry.get("input"), "")
        for entry in entries
        if entry.get("type") == "tool_use"
    ]


def _gemini(value: Any) -> list[tuple[Any, Any, Any, str]]:
    content = value
    if isinstance(value, dict) and "candidates" in value:
        candidates = _items(value["candidates"])
        content = _dict(candidates[0]).get("content") if candidates else None
    parts = content.get("parts") if isinstance(content, dict) else content
    calls = []
    for part in _items(parts):
        entry = _dict(to_plain(part))
        call = entry.get("function_call") or entry.get("functionCall")
        if call is not None:
            call = _dict(to_plain(call))
            calls.append((call.get("id"), call.get("name"), call.get("args"), ""))
    return calls


def _mcp(value: Any) -> list[tuple[Any, Any, Any, str]]:
    calls = []
    for item in _items(value) if isinstance(value, list) else [value]:
        entry = _dict(item)
        params = _dict(entry.get("params")) if "params" in entry else entry
        if params.get("name") is not None or entry.get("method") == "tools/call":
            identity = entry.get("id")
            identity = str(identity) if identity is not None else None
            calls.append((identity, params.get("name"), params.get("arguments"), ""))
    return calls


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def result_message(
    provider: str, *, id: str, name: str, result: object, is_error: bool = False, shape: str = ""
) -> dict[str, Any]:
    """The message that answers one call."""
    if provider == "gemini":
        if isinstance(result, dict):
            response = json.loads(result_text(result))
        else:
            response = {"error" if is_error else "output": result_text(result)}
        answer: dict[str, Any] = {"name": name, "response": response}
        if id and not id.isdigit():
            answer["id"] = id
        return {"role": "user", "parts": [{"function_response": answer}]}
    text = result_text(result)
    if provider == "anthropic":
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": id, "content": text}
        if is_error:
            block["is_error"] = True
        return {"role": "user", "content": [block]}
    if provider == "mcp":
        return {"content": [{"type": "text", "text": text}], "isError": is_error}
    if shape == "responses":
        return {"type": "function_call_output", "call_id": id, "output": text}
    return {"role": "tool", "tool_call_id": id, "content": text}


def merge_messages(provider: str, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages that answer one response: Anthropic and Gemini need all results in one message, in order."""
    field = {"anthropic": "content", "gemini": "parts"}.get(provider)
    if field is None or len(messages) < 2:
        return messages
    parts = [part for message in messages for part in message[field]]
    return [{"role": "user", field: parts}]


def result_text(result: object) -> str:
    """A result as text: text as it is, a finished program by its output, values as JSON."""
    if isinstance(result, str):
        return clean_text(result)
    code = getattr(result, "exit_code", None)
    if code is not None:
        out, err = str(getattr(result, "stdout", "")), str(getattr(result, "stderr", ""))
        if code == 0 and not err:
            return clean_text(out)
        result = {"exit_code": code, "stdout": clean_text(out), "stderr": clean_text(err)}
    return clean_text(json.dumps(result, ensure_ascii=False, default=str))
