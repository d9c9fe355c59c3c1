"""Test an installed hook: call it as its client would, with a read-only line and with one that is always denied.

Calls only the command in the client's own file, through a shell like the client.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from atip.cli.guard.installation.settings import command_in
from atip.errors import AtipError
from atip.model.value import Value
from atip.system.programs.captured import capture

if TYPE_CHECKING:
    from atip.cli.guard.installation.clients import GuardClient

READS, NEVER = "pwd", "rm -rf /"
LIMIT_S = 30.0


class TestResult(Value):
    """Result of a hook test."""

    works: bool
    says: str


def is_tested(event: str) -> bool:
    """Whether an event is tested: those that decide on shell lines; one hook serves all events."""
    return not event.startswith(("Post", "after", "beforeRead", "beforeMCP"))


def test_hook(client: GuardClient, event: str, hook: dict[str, Any], cwd: str) -> TestResult:
    """Call the hook twice; the tested lines never run."""
    try:
        reads = _ask(client, event, hook, READS, cwd)
        never = _ask(client, event, hook, NEVER, cwd)
    except (AtipError, ValueError) as error:
        reason = error.message if isinstance(error, AtipError) else f"no answer: {error}"
        return TestResult(works=False, says=reason)
    if not _denies(never):
        return TestResult(works=False, says="does not stop a line that is always denied")
    if _denies(reads):
        return TestResult(works=False, says="stops a read-only line: see `atip policy show`")
    return TestResult(works=True, says="answers")


def _ask(client: GuardClient, event: str, hook: dict[str, Any], line: str, cwd: str) -> Any:
    argv = hook.get("argv") or ["/bin/sh", "-c", command_in(hook)]
    request = json.dumps(_request(client, event, line, cwd)).encode()
    answer = capture(argv, timeout_s=LIMIT_S, max_bytes=100_000, stdin=request)
    if answer.exit_code != 0:
        raise ValueError(f"it ended with status {answer.exit_code}")
    return json.loads(answer.stdout)


def _request(client: GuardClient, event: str, line: str, cwd: str) -> dict[str, Any]:
    frame = {"hook_event_name": event, "cwd": cwd, "atip_self_test": True}
    if client.name == "opencode":
        return {"line": line, "cwd": cwd, "atip_self_test": True}
    if client.name == "cursor":
        return {**frame, "command": line}
    if client.name == "copilot":
        arguments = json.dumps({"command": line})
        return {"toolName": "bash", "toolArgs": arguments, "cwd": cwd, "atip_self_test": True}
    tool = "run_shell_command" if client.name == "gemini-cli" else "Bash"
    return {**frame, "tool_name": tool, "tool_input": {"command": line}}


def _denies(answer: Any) -> bool:
    text = json.dumps(answer)
    return '"deny"' in text
