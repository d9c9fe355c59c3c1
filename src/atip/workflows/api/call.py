"""Calling an API under policy: the same decision, consent, redaction and audit as a program gets.

Where the workflow meets: synced operation → effects → policy → a person's yes → `apis.calling` → a bounded,
redacted answer. The question shows the call as it could be typed. Implements DESIGN §2 `api call`.
"""

from __future__ import annotations

import json
import os
import secrets

from atip.apis.config import load_config
from atip.apis.operations import MAX_BYTES, find_operation, load_operations, operations_path
from atip.codecs.api_tree import tool_of
from atip.errors import Denied, UsageError
from atip.execution.call import Call, CallOptions, Judgement
from atip.execution.consent import Question, Tokens, bind, obtain, yes_covers
from atip.execution.redact import redact_text
from atip.execution.result import DEFAULT_MAX_BYTES, Result
from atip.model.encode import encode
from atip.policy.subject import Subject
from atip.registry.layout import metadata_name
from atip.system.clock import monotonic, now_iso
from atip.system.digests import sha256_hex
from atip.system.files import read_bytes
from atip.workflows.api.approve import require_approval
from atip.workflows.api.caller import keep_sessions, open_caller
from atip.workflows.judge import LocalJudge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from atip.apis.calling import CallResult
    from atip.apis.config import ApiConfig
    from atip.apis.interface import Door
    from atip.execution.consent import Asker
    from atip.model.operation import Operation
    from atip.model.tool import Tool
    from atip.policy.decision import Decision
    from atip.workflows.host import Host

MAX_TEXT = 200_000
"""Characters of one string in an answer; the rest is cut, and the cut is marked."""


def call_operation(
    host: Host,
    folder: str,
    source: str,
    name: str,
    arguments: Mapping[str, Any],
    *,
    preset: str | None = None,
    yes: bool = False,
    ask: Asker | None = None,
) -> CallResult:
    """Call an operation of a configured source.

    Args:
        folder: `codegen.config.json` or its folder.
        yes: answer yes where it is known that nothing is destroyed and no secret is read.

    Raises:
        Denied, NeedsConfirmation: policy.
        AuthRequired: `api.auth-missing`, `api.auth-required`.
        UsageError: `api.invalid-argument` and its like.
    """
    config = load_config(folder)
    header, operation, told = find_operation(config, source, name)
    base = next(iter(header.servers), "")
    judgement = _judge(host, source, operation, base, preset)
    decision = judgement.decision
    run_id = secrets.token_hex(8)
    with open_caller(host, config, source, cleaned) as caller:
        caller.check(told, arguments)
        _permit(decision, source, operation, arguments, judgement.policy, yes=yes, ask=ask)
        # SECURITY: a project's file names programs, secrets and hosts; none of it is used before a person agreed.
        require_approval(host, config, source=source, origin=base, ask=ask)
        # No record, no call: an operation that nobody can account for is not made.
        host.audit.append(_record(run_id, "start", source, operation, decision))
        try:
            result = caller.run(source, name, arguments)
        except BaseException:
            host.audit.append({"run": run_id, "event": "end", "time": now_iso(), "ok": False})
            raise
        host.audit.append(
            {"run": run_id, "event": "end", "time": now_iso(), "ok": True, "status": result.status}
        )
        return result


def plan_operation(
    host: Host,
    folder: str,
    source: str,
    name: str,
    arguments: Mapping[str, Any],
    *,
    preset: str | None = None,
) -> Judgement:
    """What policy says of a call; checks its arguments, sends and records nothing.

    Raises:
        UsageError: `api.invalid-argument` and its like.
    """
    from atip.apis.calling import Caller

    header, operation, told = find_operation(load_config(folder), source, name)
    Caller.check(told, arguments)
    return _judge(host, source, operation, next(iter(header.servers), ""), preset)


def _judge(
    host: Host, source: str, operation: Operation, base: str, preset: str | None
) -> Judgement:
    local = LocalJudge(host, os.getcwd(), preset=preset)
    return Judgement(
        decision=local.decide(subject_of(source, operation, base)),
        effects=operation.effects,
        audit=local.audit,
        policy=local.digest,
    )


def remember_api(host: Host, config: ApiConfig, source: str) -> str:
    """Put a synced source into the store as a tool, so that list, show, search, compile and MCP know it.

    It is called `SOURCE-api`, because a program of the source's name may well be there, too. Returns that name, or
    nothing when something else has it.
    """
    name = tool_name(source)
    known = host.store.find(name)
    if known is not None and "api" not in (known.get("x-atip") or {}).get("rung", ""):
        return ""
    path = os.path.abspath(operations_path(config, source))
    digest = f"sha256:{sha256_hex(read_bytes(path, MAX_BYTES))}"
    if known is not None and known.get("hash") == digest:
        return name
    told = {"config": os.path.abspath(config.folder), "source": source}
    tool = tool_of(load_operations(config, source)).replace(
        name=name, extra={"x-atip": {"api": told}}
    )
    written = host.store.save_metadata(metadata_name(digest, "manual"), encode(tool))
    entry = {
        "path": path,
        "hash": digest,
        "source": "manual",
        "lastChecked": now_iso(),
        "x-atip": {"rung": "api", "metadataHash": written, "description": tool.description[:120]},
    }
    host.store.put({name: entry})
    return name


def api_call(
    host: Host,
    tool: Tool,
    path: Sequence[str],
    arguments: Mapping[str, Any],
    options: CallOptions | None = None,
) -> Call:
    """The run of an operation: what a `Runner` gets instead of a program."""
    options = options or CallOptions()
    told: Any = tool.own["api"]
    argv = (tool.name, *path)

    def direct(ask: Asker | None) -> Result:
        began = monotonic()
        result = call_operation(
            host,
            told["config"],
            told["source"],
            path[-1],
            arguments,
            preset=options.preset,
            yes=options.assume_yes,
            ask=ask,
        )
        text = (
            result.data
            if isinstance(result.data, str)
            else json.dumps(result.data, ensure_ascii=False)
        )
        limit = options.max_bytes or DEFAULT_MAX_BYTES
        cut = len(text.encode()) > limit
        return Result(
            argv=argv,
            exit_code=0,
            stdout=text.encode()[:limit].decode("utf-8", "ignore") if cut else text,
            truncated=cut,
            data=result.data,
            duration_s=monotonic() - began,
        )

    def judge_direct() -> Judgement:
        return plan_operation(
            host, told["config"], told["source"], path[-1], arguments, preset=options.preset
        )

    return Call(
        argv=argv,
        program="",
        cwd=options.cwd or os.getcwd(),
        direct=direct,
        judge_direct=judge_direct,
        operation=f"{told['source']}.{path[-1]}",
    )


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


def subject_of(source: str, operation: Operation, base: str = "") -> Subject:
    """One call as policy sees it.

    That it uses the network is what the user granted by configuring the source. Effects that follow from the protocol (a
    GET, a query, a SELECT) are believed like our own knowledge; what a server says of itself (MCP) is a claim.
    """
    return Subject(
        tool=source,
        also_called=(tool_name(source),),
        path=(operation.name,),
        argv=("atip", "api", "call", f"{source}.{operation.name}"),
        text=f"{source}.{operation.name}",
        effects=operation.effects.replace(network=False),
        evidence="claim" if operation.method == "CALL" else "knowledge",
        hosts=(base,) if base else (),
    )


def _permit(
    decision: Decision,
    source: str,
    operation: Operation,
    arguments: Mapping[str, Any],
    policy: str,
    *,
    yes: bool,
    ask: Asker | None,
) -> None:
    if decision.outcome == "allow":
        return
    if decision.outcome == "deny":
        why = "; ".join(decision.reasons) or decision.rule
        raise Denied("policy.denied", f"`{source}.{operation.name}`: {why}")
    destructive = operation.effects.destructive is not False
    if yes and yes_covers(operation.effects):
        return
    argv = ("atip", "api", "call", f"{source}.{operation.name}", "--args", json.dumps(arguments))
    digest = f"sha256:{sha256_hex(json.dumps(arguments, sort_keys=True).encode())}"
    binding = bind(digest=digest, argv=argv, env={}, cwd=os.getcwd(), policy=policy)
    question = Question(
        argv=argv,
        program=f"{operation.method} {operation.path}".strip() or operation.name,
        digest=digest,
        cwd=os.getcwd(),
        reasons=decision.reasons,
        rule=decision.rule,
        destructive=destructive,
        binding=binding,
    )
    tokens = Tokens()
    tokens.redeem(obtain(question, ask, tokens), binding)


def _record(
    run_id: str, event: str, source: str, operation: Operation, decision: Decision
) -> dict[str, Any]:
    """What the audit keeps: which operation and why it was allowed; never values."""
    return {
        "run": run_id,
        "event": event,
        "time": now_iso(),
        "api": f"{source}.{operation.name}",
        "method": operation.method,
        "path": operation.path,
        "decision": decision.outcome,
        "rule": decision.rule,
    }


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


class Apis:
    """Operations of configured APIs, for one user."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def call(
        self,
        folder: str,
        source: str,
        name: str,
        arguments: Mapping[str, Any],
        *,
        preset: str | None = None,
        yes: bool = False,
        ask: Asker | None = None,
    ) -> CallResult:
        """Call an operation of a configured source; arguments and errors are those of `call_operation`."""
        return call_operation(
            self._host, folder, source, name, arguments, preset=preset, yes=yes, ask=ask
        )

    def approve(self, config: ApiConfig, *, calling: bool = True, ask: Asker | None = None) -> None:
        """Return once a person agreed to what a configuration starts, reads and reaches; see `require_approval`."""
        require_approval(self._host, config, calling=calling, ask=ask)

    @property
    def door(self) -> Door:
        """The way out for the sources of a project: what they start is confined."""
        from atip.workflows.api.programs import project_door

        return project_door(self._host)

    def remember(self, config: ApiConfig, source: str) -> str:
        """Put a synced source into the store as a tool; returns its name there, or nothing."""
        return remember_api(self._host, config, source)

    def keep_sessions(self) -> AbstractContextManager[None]:
        """While this holds, calls to an MCP server share its session."""
        return keep_sessions(self._host)
