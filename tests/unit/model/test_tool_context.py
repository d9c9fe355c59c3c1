"""Tool contexts of both texts are read, kept whole, and written back."""

from __future__ import annotations

import json

import pytest

from atip.errors import FormatError
from atip.model.permissions.tool_context import (
    RecentCommand,
    ToolContext,
    decode_tool_context,
    encode_tool_context,
)

EXAMPLE = {
    "toolContext": {
        "availableTools": ["gh", "kubectl", "terraform"],
        "authenticatedTools": ["gh"],
        "toolStates": {"kubectl": {"currentContext": "production", "namespace": "default"}},
        "recentCommands": [{"tool": "gh", "command": "pr list", "exitCode": 0}],
    }
}


@pytest.mark.proves("ATIP6-10.3-01", "ATIP6-10.3-02", "ATIP1-4-04")
def test_context_carries_tools_logins_states_and_calls():
    context = decode_tool_context(json.dumps(EXAMPLE).encode())
    assert context == ToolContext(
        available_tools=("gh", "kubectl", "terraform"),
        authenticated_tools=("gh",),
        tool_states={"kubectl": {"currentContext": "production", "namespace": "default"}},
        recent_commands=(RecentCommand(tool="gh", command="pr list", exit_code=0),),
    )
    assert encode_tool_context(context) == EXAMPLE


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"availableTools": []},
        {"recentCommands": [{"tool": "x", "command": "", "took": 3}], "x-more": [1]},
    ],
)
def test_silence_emptiness_and_unknown_fields_survive(body):
    assert encode_tool_context(decode_tool_context({"toolContext": body})) == {"toolContext": body}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"availableTools": "gh"}, "format.type"),
        ({"recentCommands": [{"tool": "gh"}]}, "format.missing-field"),
        ({"toolStates": []}, "format.type"),
        ({"toolStates": {"gh": 1}}, "format.type"),
    ],
)
def test_malformed_context_is_refused(body, code):
    with pytest.raises(FormatError) as refused:
        decode_tool_context({"toolContext": body})
    assert refused.value.code == code
    with pytest.raises(FormatError):
        decode_tool_context(b"[]")
