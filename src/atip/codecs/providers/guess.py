"""Provider guess: which provider a tool call in JSON belongs to, by its fields.

Looks at field names only: every provider uses different ones. A single call
without its envelope is put into one, since that is what logs and scripts hold. Understands nothing of the arguments
(`messages.py`). Implements ATIP 0.6 §7.2.
"""

from __future__ import annotations

from typing import Any

from atip.codecs.providers.messages import to_plain


def guess_provider(response: object) -> str:
    """`openai`, `anthropic`, `gemini`, `mcp`, or empty if no field identifies one."""
    value = to_plain(response)
    if isinstance(value, list):
        return next(filter(None, map(_of_item, value)), "")
    if not isinstance(value, dict):
        return ""
    if any(key in value for key in ("choices", "tool_calls", "output")):
        return "openai"
    if "candidates" in value or "parts" in value:
        return "gemini"
    content = value.get("content")
    if isinstance(content, list):
        return next(filter(None, map(_of_item, content)), "")
    if isinstance(content, dict) and "parts" in content:
        return "gemini"
    message = value.get("message")
    if isinstance(message, dict) and "tool_calls" in message:
        return "openai"
    return _of_item(value)


def _of_item(item: Any) -> str:
    entry = to_plain(item)
    if not isinstance(entry, dict):
        return ""
    kind = entry.get("type")
    if kind in ("function_call", "function") or "function" in entry:
        return "openai"
    if kind == "tool_use":
        return "anthropic"
    if "function_call" in entry or "functionCall" in entry or "args" in entry:
        return "gemini"
    if entry.get("method") == "tools/call" or ("name" in entry and "arguments" in entry):
        return "mcp"
    if "name" in entry and "input" in entry:
        return "anthropic"
    return "mcp" if "name" in entry else ""


def with_envelope(provider: str, response: object) -> Any:
    """Return the response; wrap a single call without an envelope in a list."""
    value = to_plain(response)
    if isinstance(value, list):
        return [_mark(provider, item) for item in value]
    if not isinstance(value, dict) or provider == "mcp":
        return value
    schemas = {
        "openai": value.get("type") in ("function_call", "function") or "function" in value,
        "anthropic": "input" in value or value.get("type") == "tool_use",
        "gemini": any(key in value for key in ("function_call", "functionCall", "args"))
        or ("name" in value and "candidates" not in value),
    }
    return [_mark(provider, value)] if schemas.get(provider) else value


def _mark(provider: str, item: Any) -> Any:
    """Add the fields that the provider puts around a call, if they are missing."""
    entry = to_plain(item)
    if not isinstance(entry, dict) or "name" not in entry:
        return entry
    if provider == "anthropic" and "type" not in entry:
        return {"type": "tool_use", **entry}
    if provider == "gemini" and not ("function_call" in entry or "functionCall" in entry):
        return {"function_call": entry}
    return entry
