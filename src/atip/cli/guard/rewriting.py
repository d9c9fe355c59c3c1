"""A rewritten line in each client's hook protocol. Pure.

| client | answer |
|---|---|
| claude-code, kimi, codex | `permissionDecision: allow` and `updatedInput` |
| gemini-cli | `decision: allow` and `hookSpecificOutput.tool_input` |
| copilot | `permissionDecision: allow` and `modifiedArgs` |
| opencode | `decision: allow` and `line`, which its plugin runs |

Other arguments of the command (a timeout, a description) stay unchanged.
"""

from __future__ import annotations

from atip.policy.rewriting import client_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_PRE_TOOL = frozenset(("claude-code", "kimi", "codex"))
_COMMANDS = ("command", "cmd")


def can_carry(client: str, event: str) -> bool:
    """Whether an answer to this event can carry another line."""
    name = client_name(client)
    if name in _PRE_TOOL:
        return event == "PreToolUse"
    return name in ("gemini-cli", "copilot", "opencode")


def rewritten_answer(
    client: str, arguments: Mapping[str, object], line: str, reason: str
) -> dict[str, Any]:
    """The answer *allow*, with `line` as the command."""
    name = client_name(client)
    if name == "opencode":
        return {"decision": "allow", "reason": reason, "line": line}
    changed = _change_line(arguments, line)
    if name == "gemini-cli":
        block = {"hookEventName": "BeforeTool", "tool_input": changed}
        return {"decision": "allow", "reason": reason, "hookSpecificOutput": block}
    decision = {"permissionDecision": "allow", "permissionDecisionReason": reason}
    if name == "copilot":
        return {**decision, "modifiedArgs": changed}
    return {
        "hookSpecificOutput": {"hookEventName": "PreToolUse", **decision, "updatedInput": changed}
    }


def _change_line(arguments: Mapping[str, object], line: str) -> dict[str, object]:
    key = next((name for name in _COMMANDS if name in arguments), _COMMANDS[0])
    if not isinstance(arguments.get(key), list):
        return {**arguments, key: line}
    import shlex  # brings `re` along; most clients send text

    return {**arguments, key: shlex.split(line)}
