"""Judge tools that a coding agent has besides its shell, by the same policies and the same judge as a line."""

from __future__ import annotations

from atip.model.value import Value
from atip.policy.decision import Decision
from atip.policy.lines.client_tools import MCP, ToolSubject, subject_of
from atip.workflows.judge import LocalJudge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.policy.lines.client_tools import ClientTool
    from atip.workflows.host import Host


class ToolJudgment(Value):
    """The decision on a tool call."""

    subject: ToolSubject
    decision: Decision
    audit: bool
    """Policy requires a record of this decision."""


class ClientTools:
    """`Toolbox.client_tools`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def judge(self, tool: ClientTool, *, cwd: str, preset: str | None = None) -> ToolJudgment:
        """As `judge_tool`."""
        return judge_tool(self._host, tool, cwd=cwd, preset=preset)

    def pin_of(self, server: str, cwd: str = "") -> str:
        """As `pin_of`."""
        return pin_of(self._host, server, cwd)

    def runs_ourselves(self, server: str, cwd: str) -> bool:
        """SECURITY: a name proves nothing: every server of that name must be configured as `mcp serve` of this very program."""
        from atip.system.programs.own_program import is_own_program
        from atip.workflows.tools import mcp_servers

        servers = [
            configured
            for configured in mcp_servers(self._host, cwd).servers
            if configured.name == server
        ]
        return bool(servers) and all(
            is_own_program(server.command or "") and server.args[:2] == ("mcp", "serve")
            for server in servers
        )


def judge_tool(
    host: Host, tool: ClientTool, *, cwd: str, preset: str | None = None
) -> ToolJudgment:
    """Judge a tool call; starts and fetches nothing.

    Raises:
        AtipError: a policy cannot be read.
    """
    judge = LocalJudge(host, cwd, preset=preset)
    if tool.kind == MCP and any(rule.pin for policy in judge.policies for rule in policy.rules):
        tool = tool.replace(pin=pin_of(host, tool.server, cwd))
    subject = subject_of(tool, cwd=cwd, home=host.places.home, links=judge.links)
    return ToolJudgment(subject=subject, decision=judge.decide(subject.subject), audit=judge.audit)


def pin_of(host: Host, server: str, cwd: str = "") -> str:
    """Digest of how all client settings start or reach a server of this name; empty: not configured.

    A second server of the same name, of a project say, changes the digest. Tool descriptions are not in it: hooks do not receive them.
    """
    from atip.system.digests import sha256_hex
    from atip.workflows.tools import mcp_servers

    configurations = {
        repr((configured.transport, configured.command, configured.args, configured.url))
        for configured in mcp_servers(host, cwd).servers
        if configured.name == server
    }
    return f"sha256:{sha256_hex(repr(sorted(configurations)).encode())}" if configurations else ""
