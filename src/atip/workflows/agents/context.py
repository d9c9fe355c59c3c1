"""Tool context between agents: exported from the store and the audit, imported after a check. ATIP 0.6 §10.3.

An import never widens permissions: it stores, approves and allows nothing. Tools that are missing here, or have another
digest, are dropped; the rest are hints that save a lookup.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError
from atip.model.permissions.tool_context import RecentCommand, ToolContext, decode_tool_context
from atip.model.value import Value
from atip.workflows.run.runner import run_argv
from atip.workflows.tools import find_tool, list_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.workflows.host import Host

MAX_TOOLS = 2_000
MAX_RECENT = 100
MAX_COMMAND = 500
NOT_HERE = "not on this machine"
OTHER_PROGRAM = "a different program on this machine"
NOT_OFFERED = "not among its available tools"


class ImportedContext(Value):
    """The accepted part of another agent's context, and what was dropped with the reason."""

    context: ToolContext
    dropped: tuple[tuple[str, str], ...] = ()


class SharedContext:
    """`Toolbox.context`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def export(
        self, *, only: Sequence[str] = (), recent: int = 20, logins: bool = False
    ) -> ToolContext:
        """Export the tools that exist on this machine, and the latest commands of the audit.

        Args:
            only: names; empty: all tools.
            logins: run the `checkCommand` of tools that have one, under policy, confined.
        """
        digests = self._local_digests(only)
        return ToolContext(
            available_tools=tuple(digests),
            authenticated_tools=tuple(self._logged_in(digests)) if logins else None,
            recent_commands=self._recent(set(digests), min(recent, MAX_RECENT)),
            extra={"x-atip": {"digests": digests}},
        )

    def take(self, data: bytes) -> ImportedContext:
        """Read another agent's context and keep what applies to this machine.

        Raises:
            FormatError: it is not a tool context, or too large.
        """
        received = decode_tool_context(data)
        available = (received.available_tools or ())[:MAX_TOOLS]
        local = self._local_digests(available) if available else {}
        digests = _digests(received)
        dropped = {name: _why_dropped(name, local, digests) for name in available}
        accepted = [name for name, reason in dropped.items() if not reason]
        logged_in = received.authenticated_tools or ()
        # SECURITY: a login of another program, or of a tool that was not offered, does not apply here.
        dropped.update({name: NOT_OFFERED for name in logged_in if name not in dropped})
        recent = [
            command for command in received.recent_commands or () if command.tool in accepted
        ][-MAX_RECENT:]
        context = ToolContext(
            available_tools=tuple(accepted),
            authenticated_tools=tuple(name for name in logged_in if name in accepted),
            recent_commands=tuple(
                call.replace(command=call.command[:MAX_COMMAND], extra={}) for call in recent
            ),
        )
        reasons = tuple((name, reason) for name, reason in dropped.items() if reason)
        return ImportedContext(context=context, dropped=reasons)

    def _local_digests(self, only: Sequence[str]) -> dict[str, str]:
        """Name → digest of tools whose file exists."""
        names = set(only)
        digests = {
            str(entry["name"]): str(entry.get("hash") or "")
            for entry in list_tools(self._host)
            if (not names or entry["name"] in names) and os.path.exists(str(entry.get("path")))
        }
        return dict(sorted(digests.items())[:MAX_TOOLS])

    def _logged_in(self, names: Mapping[str, str]) -> Iterator[str]:
        import shlex

        for name in names:
            tool = find_tool(self._host, name)
            check = tool.authentication.check_command if tool and tool.authentication else None
            words = shlex.split(check) if check else []
            # SECURITY: only the tool itself is run; a description cannot name another program.
            if words[:1] != [name]:
                continue
            try:
                if run_argv(self._host, words).exit_code == 0:
                    yield name
            except AtipError:
                continue  # it needs confirmation or cannot run: no login is reported

    def _recent(self, names: set[str], count: int) -> tuple[RecentCommand, ...]:
        if count <= 0:
            return ()
        started: dict[str, RecentCommand] = {}
        for record in self._host.audit.records():
            run = str(record.get("run", ""))
            if record.get("event") == "start":
                if (command := _command(record, names)) is not None:
                    started[run] = command
            elif record.get("event") == "end" and run in started:
                code = record.get("exitCode")
                started[run] = started[run].replace(
                    exit_code=code if isinstance(code, int) else None
                )
        return tuple(started.values())[-count:]


def _command(record: Mapping[str, Any], names: set[str]) -> RecentCommand | None:
    import shlex

    argv = record.get("argv")
    if not isinstance(argv, list) or not argv or os.path.basename(str(argv[0])) not in names:
        return None
    words = shlex.join(str(word) for word in argv[1:])
    return RecentCommand(tool=os.path.basename(str(argv[0])), command=words[:MAX_COMMAND])


def _digests(context: ToolContext) -> Mapping[str, object]:
    extension = context.extra.get("x-atip")
    digests = extension.get("digests") if isinstance(extension, dict) else None
    return digests if isinstance(digests, dict) else {}


def _why_dropped(name: str, local: Mapping[str, str], digests: Mapping[str, object]) -> str:
    if name not in local:
        return NOT_HERE
    digest = digests.get(name)
    return OTHER_PROGRAM if digest and digest != local[name] else ""
