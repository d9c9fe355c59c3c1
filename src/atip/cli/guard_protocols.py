"""Hook protocols of coding agents: their JSON → a shell line; a decision → their JSON. Pure.

| client | event | ask is said as |
|---|---|---|
| claude | PreToolUse | `ask` |
| claude, codex | PermissionRequest | nothing: the client's own question follows |
| codex | PreToolUse | `deny`: this client runs the command when a hook answers `ask` or `allow` here, so that allowing is silence |
| gemini | BeforeTool | `deny`: there is no other word |
| cursor | beforeShellExecution | `ask` |
| generic | `{"line", "cwd"}` | `ask` |

SECURITY: every answer that cannot be given exactly is the stricter one.
"""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLIENTS = ("claude", "codex", "gemini", "cursor", "generic")
SHELLS = frozenset(
    ("Bash", "bash", "shell", "Shell", "run_shell_command", "exec_command", "local_shell")
)
"""Names of the tools that run a shell line."""
_NEEDS = "needs a person's yes: "


class Request(Value):
    """What a client asks."""

    event: str = ""
    line: str | None = None
    """None: not a shell line; this hook has no opinion."""
    cwd: str = ""


class BadRequest(ValueError):
    """The client's JSON is not what its protocol says."""


def read_request(client: str, document: object) -> Request:
    """Find the shell line in a client's JSON.

    Raises:
        BadRequest: a shell call without a line, or something else than an object.
    """
    if not isinstance(document, dict):
        raise BadRequest("expected a JSON object")
    event = _text(document.get("hook_event_name"))
    cwd = _text(document.get("cwd"))
    if client == "generic":
        return Request(event=event, line=_line(document.get("line")), cwd=cwd)
    if client == "cursor" and "command" in document:
        return Request(event=event, line=_line(document["command"]), cwd=cwd)
    name = document.get("tool_name")
    if not isinstance(name, str):
        raise BadRequest("`tool_name` is missing")
    if name not in SHELLS:
        return Request(event=event, cwd=cwd)
    arguments = document.get("tool_input")
    if not isinstance(arguments, dict):
        raise BadRequest("`tool_input` is missing")
    folder = _text(
        arguments.get("workdir") or arguments.get("directory") or arguments.get("dir_path")
    )
    if folder and not folder.startswith("/"):
        folder = f"{cwd}/{folder}" if cwd else ""
    return Request(
        event=event, line=_line(arguments.get("command", arguments.get("cmd"))), cwd=folder or cwd
    )


def _line(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        import shlex

        return shlex.join(value)
    raise BadRequest("the command is missing")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def answer(client: str, event: str, outcome: str | None, reason: str) -> dict[str, Any]:
    """The client's answer; `outcome` None: no opinion."""
    if client == "generic":
        return {"decision": outcome or "ask", "reason": reason}
    if client == "cursor":
        said = outcome or "ask"
        return {"permission": said, "user_message": reason, "agent_message": reason}
    if outcome is None:
        return {}
    if event == "PermissionRequest":
        return _permission_request(outcome, reason)
    if client == "gemini":
        return {"decision": "allow"} if outcome == "allow" else _gemini_denies(outcome, reason)
    if client == "codex":
        if outcome == "allow":
            return {}
        reason = reason if outcome == "deny" else _NEEDS + reason
        outcome = "deny"
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": outcome,
            "permissionDecisionReason": reason,
        }
    }


def _gemini_denies(outcome: str, reason: str) -> dict[str, Any]:
    return {"decision": "deny", "reason": reason if outcome == "deny" else _NEEDS + reason}


def _permission_request(outcome: str, reason: str) -> dict[str, Any]:
    if outcome == "ask":
        return {}
    decision = {"behavior": outcome}
    if outcome == "deny":
        decision["message"] = reason
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
