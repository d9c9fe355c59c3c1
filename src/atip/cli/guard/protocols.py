"""Hook protocols of coding agents: their JSON → a shell line; a decision → their JSON. Pure.

| client | event | `ask` becomes |
|---|---|---|
| claude-code | PreToolUse | `ask` where the permission mode asks, else `deny` (`modes.py`) |
| claude-code, codex | PermissionRequest | nothing: the client asks itself |
| codex | PreToolUse | `deny`: this client runs the command when a hook answers `ask` or `allow` here, so `allow` is an empty answer |
| gemini-cli | BeforeTool | `deny`: there is no `ask` |
| kimi | PreToolUse | `deny`: there is no `ask`; `allow` is an empty answer |
| copilot | preToolUse | `deny`: whether this client asks is not verified |
| cursor | beforeShellExecution, beforeMCPExecution | `ask` |
| cursor | beforeReadFile | `deny`: there is no `ask` |
| generic, opencode | `{"line", "cwd"}`, `{"tool", "arguments", "cwd"}` | `ask`; the plugin of opencode refuses everything but `allow` and `none` |

SECURITY: every answer that cannot be given exactly is the stricter one. Events that are not listed get no answer.
"""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from atip.policy.lines.client_tools import ClientTool

SHELLS = frozenset(
    ("Bash", "bash", "shell", "Shell", "run_shell_command", "exec_command", "local_shell")
)
"""Names of the tools that run a shell line."""
BEFORE = frozenset(
    ("", "PreToolUse", "PermissionRequest", "BeforeTool", "preToolUse", "beforeShellExecution",
     "beforeReadFile", "beforeMCPExecution")
)  # fmt: skip
"""Events that expect a decision; clients without event names have only one."""
AFTER = frozenset(("PostToolUse", "PostToolUseFailure", "afterShellExecution"))
"""Events after a run."""
OFF = "off"
_NEEDS = "needs the user's confirmation: "


class HookRequest(Value):
    """A request of a client."""

    event: str = ""
    line: str | None = None
    """None: not a shell line."""
    tool: ClientTool | None = None
    """A tool besides the shell; None: a shell line, or a tool without effects to judge."""
    cwd: str = ""
    """Absolute path; empty: missing or relative in the request."""
    mode: str | None = None
    """The client's permission mode; None: not reported."""
    arguments: Mapping[str, object] = {}
    """Arguments of the client's tool."""
    session: str = ""
    is_self_test: bool = False
    """Sent by `guard status`; not recorded."""


class BadRequest(ValueError):
    """The client's JSON does not follow its protocol."""


def unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """SECURITY: refuse duplicate fields: we would judge one, and the client might run the other.

    Raises:
        BadRequest: a name occurs twice.
    """
    document = dict(pairs)
    if len(document) != len(pairs):
        raise BadRequest("duplicate field")
    return document


def read_request(client: str, document: object) -> HookRequest:
    """Find the shell line in a client's JSON.

    Raises:
        BadRequest: a shell call without a line, or not an object.
    """
    if not isinstance(document, dict):
        raise BadRequest("expected a JSON object")
    request = _frame(document)
    if request.event not in BEFORE | AFTER:
        return request
    if client in ("generic", "opencode"):
        return _plain(request, client, document)
    if request.event == "beforeReadFile":
        return request.replace(tool=_tool("Read", document))
    if client == "cursor" and "command" in document and request.event != "beforeMCPExecution":
        return request.replace(line=_line(document["command"]))
    name = document.get("tool_name", document.get("toolName"))
    if not isinstance(name, str):
        raise BadRequest("`tool_name` is missing")
    arguments = _arguments(document) if name in SHELLS or request.event not in AFTER else {}
    if name not in SHELLS:
        is_mcp = request.event == "beforeMCPExecution"
        tool = _tool(
            name, arguments, document, _text(document.get("server")) or ("?" if is_mcp else "")
        )
        return request.replace(tool=tool, arguments=arguments)
    line = _line(arguments.get("command", arguments.get("cmd")))
    return request.replace(line=line, cwd=_folder(arguments, request.cwd), arguments=arguments)


def _plain(request: HookRequest, client: str, document: dict[str, Any]) -> HookRequest:
    """`{"line"}` or `{"tool", "arguments"}`."""
    name = document.get("tool")
    if name is None:
        return request.replace(line=_line(document.get("line")))
    if not isinstance(name, str) or "line" in document:
        raise BadRequest("expected either `line` or `tool`")
    arguments = document.get("arguments")
    if not isinstance(arguments, dict):
        raise BadRequest("`arguments` is missing")
    owner = _text(document.get("server"))
    if client == "opencode" and not owner:
        from atip.cli.guard.tools import KINDS

        owner = "" if name in KINDS else name.partition("_")[0]  # its names of MCP tools
    return request.replace(tool=_tool(name, arguments, document, owner), arguments=arguments)


def _tool(
    name: str, arguments: dict[str, Any], document: dict[str, Any] | None = None, server: str = ""
) -> ClientTool | None:
    # imported where it is needed: most calls of the guard are shell lines
    from atip.cli.guard.tools import read_tool

    fields = document or {}
    context = fields.get("mcp_context")
    if isinstance(context, dict):
        server = server or _text(context.get("server_name"))
    return read_tool(name, arguments, fields.get("annotations"), server)


def _frame(document: dict[str, Any]) -> HookRequest:
    mode = document.get("permission_mode")
    cwd = _text(document.get("cwd"))
    return HookRequest(
        event=_text(document.get("hook_event_name")),
        cwd=cwd if cwd.startswith("/") else "",
        mode=None if mode is None else str(mode)[:40],
        session=_text(document.get("session_id"))[:100],
        is_self_test=document.get("atip_self_test") is True,
    )


def _arguments(document: dict[str, Any]) -> dict[str, Any]:
    value = document.get("tool_input", document.get("toolArgs"))
    if isinstance(value, str):
        import json

        value = json.loads(
            value, object_pairs_hook=unique_object
        )  # this client sends its arguments as a JSON string
    if not isinstance(value, dict):
        raise BadRequest("`tool_input` is missing")
    return value


def _folder(arguments: dict[str, Any], cwd: str) -> str:
    folder = _text(
        arguments.get("workdir") or arguments.get("directory") or arguments.get("dir_path")
    )
    if not folder or folder.startswith("/"):
        return folder or cwd
    return f"{cwd}/{folder}" if cwd else ""


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
    """The answer in the client's format; `outcome` None: no opinion; `off`: the guard is switched off."""
    if client in ("generic", "opencode"):
        return {"decision": "allow" if outcome == OFF else outcome or "none", "reason": reason}
    if outcome == OFF:
        return {}
    if outcome is None:
        return {}
    if client == "cursor" and event not in AFTER:
        # this event has no `ask`
        permission = "deny" if outcome == "ask" and event == "beforeReadFile" else outcome
        return {"permission": permission, "user_message": reason, "agent_message": reason}
    if event == "PermissionRequest":
        return _permission_request(outcome, reason)
    if outcome == "ask" and client != "claude-code":
        outcome, reason = "deny", _NEEDS + reason
    if client == "gemini-cli":
        return {"decision": "allow"} if outcome == "allow" else {"decision": "deny", "reason": reason}  # fmt: skip
    if client == "copilot":
        return {"permissionDecision": outcome, "permissionDecisionReason": reason}
    if client in ("codex", "kimi") and outcome == "allow":
        return {}
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": outcome,
            "permissionDecisionReason": reason,
        }
    }


def _permission_request(outcome: str, reason: str) -> dict[str, Any]:
    if outcome == "ask":
        return {}
    decision = {"behavior": outcome}
    if outcome == "deny":
        decision["message"] = reason
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}


def client_outcome(client: str, event: str, outcome: str) -> str:
    """The effective outcome in the client, for the log: `ask` becomes `deny` where the protocol has no `ask`."""
    if outcome != "ask" or client in ("claude-code", "cursor", "generic"):
        return outcome
    return "ask" if event == "PermissionRequest" else "deny"
