"""Operations of APIs for a runner: made into calls, judged, and sent once they are permitted.

Synced operation → checked arguments → `OperationCall`; policy sees it as a `CommandContext` of the one judge. Permission and record are the
runner's (`execution.permit`), for operations as for programs: nothing here sends what a runner did not permit.
Implements DESIGN §2 `api call`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.apis.arguments import check_arguments, plain
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
"""Characters of one string in an answer; the rest is cut, and the cut is marked."""


class ResolvedOperation(Value):
    """An operation as the project's files described it when they were read."""

    config: ApiConfig
    header: Api
    operation: Operation
    document: Mapping[str, Any]
    """Its line of `operations.jsonl`."""

    @property
    def origin(self) -> str:
        """Where the document says that requests go; empty: it does not say."""
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
    """The call of an operation with checked arguments; judges and sends nothing.

    Args:
        argv: how it was named; empty: as `api call` names it.

    Raises:
        NotFoundError: `api.unknown-source`, `api.not-synced`, `api.unknown-operation`.
        UsageError: `api.unknown-argument`, `api.invalid-argument`.
    """
    options = options or CallOptions()
    header, operation, document = find_operation(config, source, name)
    given = plain(arguments)
    check_arguments(document["inputSchema"], given)
    found = ResolvedOperation(config=config, header=header, operation=operation, document=document)
    return OperationCall(
        argv=tuple(argv) or ("atip", "api", "call", f"{source}.{name}"),
        source=source,
        name=operation.name,
        method=operation.method,
        path=operation.path,
        arguments=given,
        subject=subject_of(source, operation, found.origin),
        project=found,
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
    """The call of a command of a `SOURCE-api` tool; errors are those of `make_operation_call`."""
    told: Any = tool.own["api"]
    config = load_config(told["config"])
    argv = (tool.name, *path)
    return make_operation_call(config, told["source"], path[-1], arguments, options, argv=argv)


class HostOperations:
    """Operations for the runners of one user (`execution.runner.Operations`)."""

    def __init__(self, host: Host, preset: str | None = None) -> None:
        self._host, self._preset = host, preset

    def judge(self, call: OperationCall) -> Judgment:
        """What policy says of a call."""
        local = LocalJudge(self._host, call.cwd, preset=self._preset)
        return Judgment(
            decision=local.decide(call.subject),
            effects=_found(call).operation.effects,
            audit=local.audit,
            policy=local.digest,
        )

    def prepare(self, call: OperationCall, ask: ConsentPrompt | None) -> None:
        """
        Raises:
            NeedsConfirmation: `api.not-approved`.
            Denied: `consent.refused`.
        """
        found = _found(call)
        # SECURITY: a project's file names programs, secrets and hosts; none of it is used before a person agreed.
        require_approval(self._host, found.config, source=call.source, origin=found.origin, ask=ask)

    def send(self, call: OperationCall) -> OperationAnswer:
        """The answer, without secrets.

        Raises:
            AuthRequired: `api.auth-missing`, `api.auth-required`.
            FetchError, ExecutionError: as the source says.
        """
        found = _found(call)
        with open_caller(self._host, found.config, call.source, cleaned) as caller:
            result = caller.run_resolved(
                call.source, found.header, found.operation, found.document, call.arguments
            )
        return OperationAnswer(
            data=result.data,
            status=result.status,
            next_page=result.next_page,
            problems=result.problems,
        )


def _found(call: OperationCall) -> ResolvedOperation:
    assert isinstance(call.project, ResolvedOperation)
    return call.project


def arguments_of(tool: Tool, argv: Sequence[str]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Operation and arguments of a line: `github-api issues_get --owner a --issue-number 7`."""
    from atip.apis.arguments import typed
    from atip.calls.parse import parse

    found = parse(tool, argv)
    command = found.nodes[-1] if found.nodes else None
    if command is None or found.unknown or found.unknown_command or found.arguments:
        odd = next(iter((*found.unknown, found.unknown_command, *found.arguments)), "")
        raise UsageError(
            "api.unknown-argument", f"`{odd}` is not an operation or argument of `{tool.name}`"
        )
    given: dict[str, Any] = {}
    for each in found.options:
        given[each.name] = True if each.value is None else each.value
    schema = {"properties": {each.name: dict(each.schema or {}) for each in command.options or ()}}
    return found.path, typed(schema, given)


def tool_name(source: str) -> str:
    """What a source is called among the tools."""
    return source if source.endswith("api") else f"{source}-api"


def subject_of(source: str, operation: Operation, base: str = "") -> CommandContext:
    """One call as policy sees it.

    That it uses the network is what the user granted by configuring the source. Effects that follow from the protocol (a
    GET, a query, a SELECT) are believed like our own knowledge; what a server says of itself (MCP) is a claim.
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


def cleaned(data: Any, known: tuple[bytes, ...]) -> Any:
    """An answer without secrets, and without endless strings."""
    if isinstance(data, str):
        text = redact_text(data, known)
        if len(text) > MAX_TEXT:
            return f"{text[:MAX_TEXT]}… [{len(text) - MAX_TEXT} more characters]"
        return text
    if isinstance(data, dict):
        return {str(key): cleaned(each, known) for key, each in data.items()}
    if isinstance(data, list):
        return [cleaned(each, known) for each in data]
    return data
