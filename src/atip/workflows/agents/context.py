"""Tool context between agents: produced from what this machine knows and did, taken over after a check. ATIP 0.6 §10.3.

Taking over never widens: nothing is stored, approved or allowed by it. What is not on this machine, or is another program
here, is dropped; what is left are hints that save a question.
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
OTHER_PROGRAM = "another program here"
NOT_OFFERED = "not among its available tools"


class ImportedContext(Value):
    """What is left of another agent's context, and what was dropped with the reason."""

    context: ToolContext
    dropped: tuple[tuple[str, str], ...] = ()


class SharedContext:
    """`Toolbox.context`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def export(
        self, *, only: Sequence[str] = (), recent: int = 20, logins: bool = False
    ) -> ToolContext:
        """The tools of this machine that exist now, and the latest commands of the audit.

        Args:
            only: names; empty: all that are known.
            logins: run the `checkCommand` of tools that have one, under policy, confined.
        """
        digests = self._here(only)
        return ToolContext(
            available_tools=tuple(digests),
            authenticated_tools=tuple(self._logged_in(digests)) if logins else None,
            recent_commands=self._recent(set(digests), min(recent, MAX_RECENT)),
            extra={"x-atip": {"digests": digests}},
        )

    def take(self, data: bytes) -> ImportedContext:
        """Read another agent's context and keep what holds here.

        Raises:
            FormatError: it is not a tool context, or larger than one may be.
        """
        told = decode_tool_context(data)
        offered = (told.available_tools or ())[:MAX_TOOLS]
        here = self._here(offered) if offered else {}
        claimed = _digests(told)
        dropped = {name: _why_dropped(name, here, claimed) for name in offered}
        kept = [name for name, reason in dropped.items() if not reason]
        logged_in = told.authenticated_tools or ()
        # SECURITY: a login of another program, or of a tool that was not offered, says nothing about ours.
        dropped.update({name: NOT_OFFERED for name in logged_in if name not in dropped})
        recent = [one for one in told.recent_commands or () if one.tool in kept][-MAX_RECENT:]
        context = ToolContext(
            available_tools=tuple(kept),
            authenticated_tools=tuple(name for name in logged_in if name in kept),
            recent_commands=tuple(
                one.replace(command=one.command[:MAX_COMMAND], extra={}) for one in recent
            ),
        )
        reasons = tuple((name, reason) for name, reason in dropped.items() if reason)
        return ImportedContext(context=context, dropped=reasons)

    def _here(self, only: Sequence[str]) -> dict[str, str]:
        """Name → digest of tools whose file exists."""
        wanted = set(only)
        found = {
            str(entry["name"]): str(entry.get("hash") or "")
            for entry in list_tools(self._host)
            if (not wanted or entry["name"] in wanted) and os.path.exists(str(entry.get("path")))
        }
        return dict(sorted(found.items())[:MAX_TOOLS])

    def _logged_in(self, names: Mapping[str, str]) -> Iterator[str]:
        import shlex

        for name in names:
            tool = find_tool(self._host, name)
            check = tool.authentication.check_command if tool and tool.authentication else None
            words = shlex.split(check) if check else []
            # SECURITY: only the tool itself is asked; a description cannot name another program.
            if words[:1] != [name]:
                continue
            try:
                if run_argv(self._host, words).exit_code == 0:
                    yield name
            except AtipError:
                continue  # policy would have to ask, or it cannot run: no login is reported

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


def _digests(told: ToolContext) -> Mapping[str, object]:
    own = told.extra.get("x-atip")
    found = own.get("digests") if isinstance(own, dict) else None
    return found if isinstance(found, dict) else {}


def _why_dropped(name: str, here: Mapping[str, str], claimed: Mapping[str, object]) -> str:
    if name not in here:
        return NOT_HERE
    digest = claimed.get(name)
    return OTHER_PROGRAM if digest and digest != here[name] else ""
