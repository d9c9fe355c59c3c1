"""Clients of the guard: where each stores its hooks, and the format of our entry.

In most clients a hook that does not answer lets the command run. So the installed command turns every failure to
answer – missing, killed, slow, broken – into the answer that stops that client.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from atip.cli.guard.names import OTHER_NAMES, full_name
from atip.errors import NotFoundError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT_S, CLIENT_LIMIT_S = 8, 15
"""Our timeout, and the client's: always longer, because a client that times out lets the command run."""
_NO_ANSWER = "atip guard did not answer"
_STOPS = f'{{ echo "{_NO_ANSWER}" >&2; exit 2; }}'


class HookEvent(Value):
    """One event of a client that calls us."""

    name: str
    tools: tuple[str, ...] = ()
    """Tool names to match, in this client's syntax; empty: the event concerns one kind of tool."""
    form: str = "{}"
    """Separator of alternative names in this client's syntax."""
    decides: bool = True
    """Whether the client waits for our answer."""

    @property
    def matcher(self) -> str:
        return self.form.format("|".join(self.tools))


class GuardClient(Value):
    """Settings file of one client, and its form for a hook."""

    name: str
    title: str
    user: tuple[str, ...]
    """File of the user, below the home directory; of several the first whose folder exists, else the first."""
    project: str = ""
    """Settings file of a project; empty: the client has none."""
    kind: str = "groups"
    """`groups`: a list of matchers with lists of hooks; `flat`: a list of hooks; `tables`: TOML; `plugin`: a program."""
    syntax: str = "json"
    """`json`, `jsonc` or `toml`. With comments in its settings Claude Code 2.1.197 ignores the whole file, silently."""
    events: tuple[HookEvent, ...] = ()
    without: tuple[str, ...] = ()
    """Tools that the plugin does not judge."""
    fallback: str = _STOPS
    """Shell command that runs when the guard does not answer."""


CLAUDE = ("Write", "Edit", "MultiEdit", "NotebookEdit", "Read", "Glob", "Grep", "WebFetch")
GEMINI = ("run_shell_command", "write_file", "replace", "read_file", "read_many_files", "search_file_content", "grep_search", "web_fetch", "mcp_.*")  # fmt: skip
KIMI = ("Bash", "Shell", "WriteFile", "StrReplaceFile", "ReadFile", "Grep", "FetchURL")
SHELLS = frozenset(("Bash", "Shell", "run_shell_command", "beforeShellExecution"))
"""Tools that are always judged."""
_MCP = {"mcp": ("mcp__.*", "mcp_.*", "beforeMCPExecution")}
"""Short names for `--without`."""

CLIENTS = {
    client.name: client
    for client in (
        GuardClient(
            name="claude-code",
            title="Claude Code",
            user=(".claude/settings.json",),
            project=".claude/settings.local.json",
            events=(
                HookEvent(name="PreToolUse", tools=("Bash", *CLAUDE, "mcp__.*")),
                HookEvent(name="PostToolUse", tools=("Bash",), decides=False),
            ),
        ),
        GuardClient(
            name="codex",
            title="Codex",
            user=(".codex/hooks.json",),
            project=".codex/hooks.json",
            events=(
                HookEvent(name="PreToolUse", tools=("Bash", "apply_patch", "mcp__.*")),
                HookEvent(name="PermissionRequest", tools=("Bash",)),
            ),
        ),
        GuardClient(
            name="gemini-cli",
            title="Gemini CLI",
            user=(".gemini/settings.json",),
            project=".gemini/settings.json",
            syntax="jsonc",
            events=(HookEvent(name="BeforeTool", tools=GEMINI),),
        ),
        GuardClient(
            name="cursor",
            title="Cursor",
            user=(".cursor/hooks.json",),
            project=".cursor/hooks.json",
            kind="flat",
            events=(
                HookEvent(name="beforeShellExecution"),
                HookEvent(name="beforeReadFile"),
                HookEvent(name="beforeMCPExecution"),
                HookEvent(name="afterShellExecution", decides=False),
            ),
            fallback=f"""{{ echo '{{"permission":"deny","user_message":"{_NO_ANSWER}"}}'; exit 2; }}""",
        ),
        GuardClient(
            name="copilot",
            title="GitHub Copilot CLI",
            user=(".copilot/hooks/atip.json",),
            project=".github/hooks/atip.json",
            kind="flat",
            events=(HookEvent(name="preToolUse"),),
            fallback=f"""echo '{{"permissionDecision":"deny","permissionDecisionReason":"{_NO_ANSWER}"}}'""",
        ),
        GuardClient(
            name="opencode",
            title="opencode",
            user=(".config/opencode/plugins/atip-guard.js",),
            project=".opencode/plugins/atip-guard.js",
            kind="plugin",
        ),
        GuardClient(
            name="kimi",
            title="Kimi Code CLI",
            user=(".kimi-code/config.toml", ".kimi/config.toml"),
            kind="tables",
            syntax="toml",
            events=(HookEvent(name="PreToolUse", tools=KIMI, form="^({})$"),),
        ),
    )
}


def find_client(name: str) -> GuardClient:
    """Return a client by name.

    Raises:
        NotFoundError: `guard.unknown-client`.
    """
    client = CLIENTS.get(full_name(name))
    if client is None:
        from atip.model.shapes.shape import closest

        close = closest(name, [*CLIENTS, *OTHER_NAMES])
        hint = f"did you mean `{close}`?" if close else "clients: " + ", ".join(CLIENTS)
        raise NotFoundError("guard.unknown-client", f"unknown client `{name[:40]}`", hint=hint)
    return client


def without_tools(client: GuardClient, names: Sequence[str]) -> GuardClient:
    """The client without some tools; the shell cannot be left out.

    Raises:
        NotFoundError: `guard.unknown-tool`.
    """
    if client.kind == "plugin":
        return client.replace(without=tuple(names))
    tools = {tool for event in client.events for tool in (*event.tools, event.name)} - SHELLS
    left = {each for name in names for each in _MCP.get(name, (name,))}
    for name in names:
        if not tools & set(_MCP.get(name, (name,))):
            hint = "tools: " + ", ".join(sorted(tools - {"PreToolUse", "PostToolUse", "PermissionRequest", "BeforeTool"}))  # fmt: skip
            raise NotFoundError("guard.unknown-tool", f"{client.title} has no tool `{name[:40]}` that is judged", hint=hint)  # fmt: skip
    events = [
        event.replace(tools=tuple(tool for tool in event.tools if tool not in left))
        for event in client.events
        if event.name not in left
    ]
    return client.replace(events=tuple(events))


def hook_command(client: GuardClient, event: HookEvent, program: str, limiter: str) -> str:
    """The shell line that a client calls.

    Args:
        program: absolute path of `atip`.
        limiter: absolute path of `timeout`; empty: not installed, only the client's own timeout applies.
    """
    call = f"{shlex.quote(program)} guard hook --for {client.name} --record"
    if not event.decides:
        return f"{call} || true"
    limit = f"{shlex.quote(limiter)} -k 1 {LIMIT_S} " if limiter else ""
    return f"{limit}{call} || {client.fallback}"


def handler_of(client: GuardClient, event: HookEvent, command: str) -> dict[str, Any]:
    """Our hook in this client's format."""
    if client.name == "copilot":
        return {"type": "command", "bash": command, "timeoutSec": CLIENT_LIMIT_S}
    if client.name == "cursor":
        closed = {"failClosed": True} if event.decides else {}
        return {"command": command, "timeout": CLIENT_LIMIT_S, **closed}
    if client.name == "kimi":
        return {
            "event": event.name,
            "matcher": event.matcher,
            "command": command,
            "timeout": CLIENT_LIMIT_S,
        }
    if client.name == "gemini-cli":
        return {"name": "atip", "type": "command", "command": command, "timeout": CLIENT_LIMIT_S * 1000}  # fmt: skip
    later = {} if event.decides else {"async": True}
    return {"type": "command", "command": command, "timeout": CLIENT_LIMIT_S, **later}
