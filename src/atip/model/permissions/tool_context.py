"""ToolContext: what one agent reports to another about its tools (ATIP 0.6 §10.3, 0.1 §4.2). Pure.

Untrusted hints: that a tool is available or logged in may only save a question; nothing here
grants a right. Unknown fields are kept and written back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.model.effects import NO_EXTRA
from atip.model.problems import Problem
from atip.model.reading.reader import read_json
from atip.model.shapes.check import check_shape
from atip.model.shapes.registry import TOOL_CONTEXT
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIELDS = ("availableTools", "authenticatedTools", "toolStates", "recentCommands")


class RecentCommand(Value):
    """One earlier call. `exit_code` None: not reported."""

    tool: str
    command: str
    exit_code: int | None = None
    extra: Mapping[str, object] = NO_EXTRA


class ToolContext(Value):
    """State of tools. A list that is None was not reported; an empty one means none."""

    available_tools: tuple[str, ...] | None = None
    authenticated_tools: tuple[str, ...] | None = None
    tool_states: Mapping[str, Mapping[str, object]] | None = None
    """Tool → its own state, such as the current context and namespace of `kubectl` (0.1)."""
    recent_commands: tuple[RecentCommand, ...] | None = None
    """Newest last."""
    extra: Mapping[str, object] = NO_EXTRA


def decode_tool_context(data: bytes | dict[str, Any]) -> ToolContext:
    """Read a `{"toolContext": {…}}` document.

    Raises:
        FormatError: with all problems.
    """
    document = read_json(data) if isinstance(data, bytes) else data
    problems = [p for p in check_shape(document, TOOL_CONTEXT, "strict") if p.severity == "error"]
    body = document.get("toolContext") if isinstance(document, dict) else None
    body = body if isinstance(body, dict) else {}
    problems += _state_problems(body.get("toolStates"))
    if problems:
        first = problems[0]
        raise FormatError(
            first.code, f"{first.path}: {first.message}", problems=problems, hint=first.hint
        )
    recent = body.get("recentCommands")
    return ToolContext(
        available_tools=_names(body.get("availableTools")),
        authenticated_tools=_names(body.get("authenticatedTools")),
        tool_states=body.get("toolStates"),
        recent_commands=None if recent is None else tuple(map(_recent, recent)),
        extra={key: value for key, value in body.items() if key not in _FIELDS},
    )


def encode_tool_context(context: ToolContext) -> dict[str, Any]:
    """Encode the document; fields that were not reported are left out."""
    recent = context.recent_commands
    body: dict[str, Any] = {
        "availableTools": _as_list(context.available_tools),
        "authenticatedTools": _as_list(context.authenticated_tools),
        "toolStates": context.tool_states,
        "recentCommands": None if recent is None else [_encode_recent(each) for each in recent],
    }
    fields = {key: value for key, value in body.items() if value is not None}
    return {"toolContext": {**fields, **context.extra}}


def _recent(entry: dict[str, Any]) -> RecentCommand:
    known_fields = ("tool", "command", "exitCode")
    return RecentCommand(
        tool=entry["tool"],
        command=entry["command"],
        exit_code=entry.get("exitCode"),
        extra={key: value for key, value in entry.items() if key not in known_fields},
    )


def _encode_recent(call: RecentCommand) -> dict[str, Any]:
    entry: dict[str, Any] = {"tool": call.tool, "command": call.command}
    if call.exit_code is not None:
        entry["exitCode"] = call.exit_code
    return {**entry, **call.extra}


def _state_problems(states: object) -> list[Problem]:
    if states is None:
        return []
    path = "$.toolContext.toolStates"
    if not isinstance(states, dict):
        return [Problem(path=path, code="format.type", message="expected an object")]
    return [
        Problem(path=f"{path}.{tool[:60]}", code="format.type", message="expected an object")
        for tool, state in states.items()
        if not isinstance(state, dict)
    ]


def _names(value: list[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)


def _as_list(value: tuple[str, ...] | None) -> list[str] | None:
    return None if value is None else list(value)
