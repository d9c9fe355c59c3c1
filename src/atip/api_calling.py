"""Calling an API under policy: the same decision, consent, redaction and audit as a program gets.

Where the workflow meets: synced operation → effects → policy → a person's yes → `apis.calling` → a bounded,
redacted answer. The question shows the call as it could be typed. Implements DESIGN §2 `api call`.
"""

from __future__ import annotations

import json
import os
import secrets

from atip.apis.calling import Caller
from atip.apis.config import load_config
from atip.apis.interface import open_door
from atip.apis.operations import find_operation
from atip.errors import Denied
from atip.execution.consent import Question, Tokens, bind, obtain
from atip.execution.redact import redact_text
from atip.model.facts import fact_of
from atip.policy.decide import decide
from atip.policy.subject import Subject
from atip.registry.policies import load_policies
from atip.running import audit_of
from atip.system.clock import now_iso
from atip.system.digests import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from atip.apis.calling import CallResult
    from atip.execution.consent import Asker
    from atip.model.operation import Operation
    from atip.policy.decision import Decision
    from atip.toolbox import Toolbox

MAX_TEXT = 200_000
"""Characters of one string in an answer; the rest is cut, and the cut is marked."""


def call_operation(
    box: Toolbox,
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
        yes: answer yes where nothing can be destroyed; never covers a destructive operation.

    Raises:
        Denied, NeedsConfirmation: policy.
        AuthRequired: `api.auth-missing`, `api.auth-required`.
        UsageError: `api.invalid-argument` and its like.
    """
    config = load_config(folder)
    header, operation, told = find_operation(config, source, name)
    policies = load_policies(box.places, os.getcwd(), preset=preset or box.policy)
    base = next(iter(header.servers), "")
    decision = decide(policies, subject_of(source, operation, base))
    run_id = secrets.token_hex(8)
    with Caller(folder, door=open_door(offline=box.offline), clean=cleaned) as caller:
        caller.check(told, arguments)
        _permit(decision, source, operation, arguments, repr(policies), yes=yes, ask=ask)
        # No record, no call: an operation that nobody can account for is not made.
        audit_of(box).append(_record(run_id, "start", source, operation, decision))
        try:
            result = caller.run(source, name, arguments)
        except BaseException:
            audit_of(box).append({"run": run_id, "event": "end", "time": now_iso(), "ok": False})
            raise
        audit_of(box).append(
            {"run": run_id, "event": "end", "time": now_iso(), "ok": True, "status": result.status}
        )
        return result


def subject_of(source: str, operation: Operation, base: str = "") -> Subject:
    """One call as policy sees it.

    That it uses the network is what the user granted by configuring the source. Effects that follow from the protocol (a
    GET, a query, a SELECT) are believed like our own knowledge; what a server says of itself (MCP) is a claim.
    """
    return Subject(
        tool=source,
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
    destructive = fact_of(operation.effects, "destructive") is True
    if yes and not destructive:
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
