"""API operations for a runner: converted to calls, judged, and sent once permitted.

Synced operation → checked arguments → `OperationCall`; policy sees it as a `CommandContext` of the one judge. The runner
(`execution.permit`) permits and records operations like programs: nothing here sends what a runner did not permit.
See docs/architecture.md `api call`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.apis.arguments import check_arguments, to_wire
from atip.apis.config import load_config
from atip.apis.sync.operations import find_operation
from atip.errors import UsageError
from atip.execution.call import CallOptions, Judgment, OperationCall
from atip.execution.output.result import DEFAULT_MAX_BYTES, OperationAnswer
from atip.execution.redaction.redact import redact_text
from atip.model.value import Value
from atip.policy.command_context import CommandContext
from atip.workflows.api.approve import require_approval
from atip.workflows.api.caller import open_caller
from atip.workflows.judge import LocalJudge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.apis.config import ApiConfig
    from atip.execution.consent import ConsentPrompt
    from atip.model.operation import Api, Operation
    from atip.model.tool import Tool
    from atip.workflows.host import Host

MAX_TEXT = 200_000
"""Characters of one string in an answer; the rest is cut and marked."""


class ResolvedOperation(Value):
    """An operation as described in the project's files at the time of the call."""

    config: ApiConfig
    header: Api
    operation: Operation
    document: Mapping[str, Any]
    """Its line of `operations.jsonl`."""

    @property
    def origin(self) -> str:
        """The server that the document names for requests; empty: none."""
        return next(iter(self.header.servers), "")


def make_operation_call(
    config: ApiConfig,
    source: str,
    name: str,
    arguments: Mapping[str, Any],
    options: CallOptions | None = None,
    *,
    argv: Sequence[str] = (),
) -> OperationCall:
    """Make the call of an operation with checked arguments; judges and sends nothing.

    Args:
        argv: how the caller named it; empty: as `api call` names it.

    Raises:
        NotFoundError: `api.unknown-source`, `api.not-synced`, `api.unknown-operation`.
        UsageError: `api.unknown-argument`, `api.invalid-argument`.
    """
    options = options or CallOptions()
    header, operation, document = find_operation(config, source, name)
    values = to_wire(arguments)
    check_arguments(document["inputSchema"], values)
    resolved = ResolvedOperation(
        config=config, header=header, operation=operation, document=document
    )
    return OperationCall(
        argv=tuple(argv) or ("atip", "api", "call", f"{source}.{name}"),
        source=source,
        name=operation.name,
        method=operation.method,
        path=operation.path,
        arguments=values,
        subject=subject_of(source, operation, resolved.origin),
        project=resolved,
        cwd=options.cwd or os.getcwd(),
        max_bytes=options.max_bytes or DEFAULT_MAX_BYTES,
        assume_yes=options.assume_yes,
    )


def api_call(
    tool: Tool,
    path: Sequence[str],
    arguments: Mapping[str, Any],
    options: CallOptions | None = None,
) -> OperationCall:
    """Make the call of a command of a `SOURCE-api` tool; errors as in `make_operation_call`."""
    origin: Any = tool.own["api"]
    config = load_config(origin["config"])
    argv = (tool.name, *path)
    return make_operation_call(config, origin["source"], path[-1], arguments, options, argv=argv)


class HostOperations:
    """Operations for the runners of one user (`execution.runner.Operations`)."""

    def __init__(self, host: Host, preset: str | None = None) -> None:
        self._host, self._preset = host, preset

    def judge(self, call: OperationCall) -> Judgment:
        """Judge a call by policy."""
        local = LocalJudge(self._host, call.cwd, preset=self._preset)
        return Judgment(
            decision=local.decide(call.subject),
            effects=_resolve(call).operation.effects,
            audit=local.audit,
            policy=local.digest,
        )

    def prepare(self, call: OperationCall, ask: ConsentPrompt | None) -> None:
        """Require approval of the project's configuration.

        Raises:
            NeedsConfirmation: `api.not-approved`.
            Denied: `consent.refused`.
        """
        resolved = _resolve(call)
        # SECURITY: a project's file names programs, secrets and hosts; nothing of it is used before approval.
        require_approval(
            self._host, resolved.config, source=call.source, origin=resolved.origin, ask=ask
        )

    def send(self, call: OperationCall) -> OperationAnswer:
        """Send the call; returns the answer without secrets.

        Raises:
            AuthRequired: `api.auth-missing`, `api.auth-required`.
            FetchError, ExecutionError: as raised by the source.
        """
        resolved = _resolve(call)
        with open_caller(self._host, resolved.config, call.source, redact) as caller:
            result = caller.run_resolved(
                call.source, resolved.header, resolved.operation, resolved.document, call.arguments
            )
        return OperationAnswer(
            data=result.data,
            status=result.status,
            next_page=result.next_page,
            problems=result.problems,
        )


def _resolve(call: OperationCall) -> ResolvedOperation:
    assert isinstance(call.project, ResolvedOperation)
    return call.project


def arguments_of(tool: Tool, argv: Sequence[str]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Operation and arguments of a line: `github-api issues_get --owner a --issue-number 7`."""
    from atip.apis.arguments import to_schema_types
    from atip.calls.parse import parse

    parsed = parse(tool, argv)
    command = parsed.nodes[-1] if parsed.nodes else None
    if command is None or parsed.unknown or parsed.unknown_command or parsed.arguments:
        unexpected = next(iter((*parsed.unknown, parsed.unknown_command, *parsed.arguments)), "")
        raise UsageError(
            "api.unknown-argument",
            f"`{unexpected}` is not an operation or argument of `{tool.name}`",
        )
    values: dict[str, Any] = {}
    for option in parsed.options:
        values[option.name] = True if option.value is None else option.value
    schema = {
        "properties": {option.name: dict(option.schema or {}) for option in command.options or ()}
    }
    return parsed.path, to_schema_types(schema, values)


def tool_name(source: str) -> str:
    """The tool name of a source."""
    return source if source.endswith("api") else f"{source}-api"


def subject_of(source: str, operation: Operation, base: str = "") -> CommandContext:
    """One call as policy sees it.

    The user granted network access by configuring the source. Effects that follow from the protocol (a GET, a query,
    a SELECT) are trusted like curated knowledge; what a server declares (MCP) is a claim.
    """
    return CommandContext(
        tool=source,
        also_called=(tool_name(source),),
        path=(operation.name,),
        argv=("atip", "api", "call", f"{source}.{operation.name}"),
        text=f"{source}.{operation.name}",
        is_operation=True,
        effects=operation.effects.replace(network=False),
        evidence="claim" if operation.method == "CALL" else "knowledge",
        hosts=(base,) if base else (),
    )


def redact(data: Any, secrets: tuple[bytes, ...]) -> Any:
    """Remove secrets from an answer, and truncate long strings."""
    if isinstance(data, str):
        text = redact_text(data, secrets)
        if len(text) > MAX_TEXT:
            return f"{text[:MAX_TEXT]}… [{len(text) - MAX_TEXT} more characters]"
        return text
    if isinstance(data, dict):
        return {str(key): redact(item, secrets) for key, item in data.items()}
    if isinstance(data, list):
        return [redact(item, secrets) for item in data]
    return data
