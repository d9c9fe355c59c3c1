"""Judge one request of a client: the line under policy, the client's mode, the off switch, and the record."""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from atip.cli.guard.protocols import HookRequest
    from atip.policy.decision import Decision
    from atip.policy.lines.client_tools import ClientTool
    from atip.toolbox import Explanation, Toolbox

OWN_SERVER = "atip"
NO_FOLDER = "the request has no absolute `cwd`"


class GuardAnswer(Value):
    """The answer to a request."""

    outcome: str | None
    """None: no opinion."""
    reason: str = ""
    confined: dict[str, Any] | None = None
    """The complete answer, if the line runs in the sandbox instead."""


def judge_request(request: HookRequest, client: str, options: argparse.Namespace) -> GuardAnswer:
    """Answer a parsed request.

    Raises:
        AtipError: a policy cannot be read; the caller then answers `ask`.
    """
    from atip.cli.guard.protocols import AFTER, BEFORE

    if request.event in AFTER:
        return _note_run(request, client, options)
    if request.event not in BEFORE:
        return GuardAnswer(outcome=None, reason="not an event that the guard judges")
    if request.tool is not None:
        return _judge_tool(request, request.tool, client, options)
    if request.line is None:
        return GuardAnswer(outcome=None, reason="not a tool that the guard judges")
    return _judge(request, request.line, client, options)


def _judge_tool(
    request: HookRequest, tool: ClientTool, client: str, options: argparse.Namespace
) -> GuardAnswer:
    import os

    from atip.cli.guard.modes import PLAN, asks_itself, in_mode, in_plan
    from atip.policy.lines.client_tools import opinion
    from atip.system.clock import monotonic
    from atip.toolbox import Toolbox

    start = monotonic()
    folder = request.cwd or "/"
    box = Toolbox(cwd=folder if os.path.isdir(folder) else "/", policy=options.policy)
    if tool.server == OWN_SERVER and box.client_tools.runs_ourselves(OWN_SERVER, folder):
        return GuardAnswer(outcome=None, reason="atip's own MCP server applies the policy itself")
    judgment = box.client_tools.judge(tool, cwd=folder)
    asks = asks_itself(client, request.mode)
    outcome = opinion(tool, judgment.subject, judgment.decision, client_asks=asks)
    reason = reason_of(judgment.decision)
    if outcome == "allow" and not request.cwd:
        outcome, reason = "ask", NO_FOLDER
    if outcome and request.mode == PLAN:
        outcome, reason = in_plan(outcome, reason, (judgment.subject.subject,))
    if outcome is None and not judgment.audit:
        return GuardAnswer(outcome=None)
    answer = _apply_switch(GuardAnswer(outcome=outcome, reason=reason), judgment.decision, box)
    if not (judgment.audit or (options.record and not request.is_self_test)):
        return answer
    answered = in_mode(client, request.mode, str(answer.outcome), "")[0] if answer.outcome else ""
    trouble = _record(
        box, tool.text, judgment.decision, client=client, request=request, answered=answered,
        cwd=folder, took_s=monotonic() - start,
    )  # fmt: skip
    if not trouble or not judgment.audit or answer.outcome == "deny":
        return answer
    return GuardAnswer(
        outcome="ask", reason=f"the policy requires a record of this decision: {trouble}"
    )


def _judge(
    request: HookRequest, line: str, client: str, options: argparse.Namespace
) -> GuardAnswer:
    import os

    from atip.cli.guard.modes import PLAN, in_mode, in_plan
    from atip.policy.decision import CONFINE
    from atip.system.clock import monotonic
    from atip.toolbox import Toolbox

    start = monotonic()
    folder = request.cwd or os.getcwd()
    box = Toolbox(cwd=folder, policy=options.policy)
    explained = box.explain(line, cwd=folder, once=not request.is_self_test)
    decision = explained.decision
    outcome, reason = decision.outcome, reason_of(decision)
    if outcome == CONFINE:  # where the line cannot be rewritten, a person decides
        outcome = "ask"
    if not request.cwd and outcome == "allow":
        # SECURITY: which files a line reads depends on where it runs
        outcome, reason = "ask", NO_FOLDER
    if request.mode == PLAN:
        outcome, reason = in_plan(outcome, reason, explained.invocations)
    answer = _apply_switch(GuardAnswer(outcome=outcome, reason=reason), decision, box)
    if answer.outcome in ("allow", "ask") and not request.is_self_test:
        answer = answer.replace(confined=_confine(box, client, request, explained))
    lets_through = answer.confined if decision.outcome == CONFINE else answer.outcome == "allow"
    if explained.once and lets_through:
        answer = _use_up(box, explained, answer)
    if not (explained.audit or (options.record and not request.is_self_test)):
        return answer
    answered, _ = in_mode(client, request.mode, str(answer.outcome), "")
    answered = "confine" if answer.confined else answered
    trouble = _record(
        box, line, decision, client=client, request=request, answered=answered,
        cwd=folder, took_s=monotonic() - start,
    )  # fmt: skip
    if not trouble or not explained.audit or answer.outcome == "deny":
        return answer if not trouble else answer.replace(reason=f"{reason} (no record: {trouble})")
    # SECURITY: no record, no permission, confined neither; a denial stays one.
    return GuardAnswer(
        outcome="ask", reason=f"the policy requires a record of this decision: {trouble}; {reason}"
    )


def _use_up(box: Toolbox, explained: Explanation, answer: GuardAnswer) -> GuardAnswer:
    """SECURITY: a rule for one line is removed before that line runs."""
    import os

    from atip.errors import AtipError
    from atip.registry.rule_file import use_up
    from atip.server.configuration.json_lists import remove_value

    try:
        use_up(os.path.join(box.places.config, "policy.json"), explained.once, remove_value)
    except AtipError as error:
        return GuardAnswer(outcome="ask", reason=error.message)
    return answer


def _confine(
    box: Toolbox, client: str, request: HookRequest, explained: Explanation
) -> dict[str, Any] | None:
    """The answer that runs the line in the sandbox, where that makes it safe and the client runs rewritten lines."""
    from atip.cli.guard.rewriting import can_carry, rewritten_answer
    from atip.cli.output import clean

    line, cwd = explained.line, request.cwd
    if client == "generic" or not cwd or not can_carry(client, request.event):
        return None
    reason = "; ".join(explained.decision.reasons)
    if explained.in_sandbox.outcome == "confine":
        rewritten = box.rewrites.confine(
            line, client, cwd=cwd, read_only=request.mode == "plan"
        ).line
        message = (
            f"runs confined instead of asking: {reason}; `atip policy` shows how to allow more"
        )
    elif explained.decision.outcome == "allow" and _reads_here(explained):
        rewritten = box.rewrites.try_out(line, client, cwd=cwd)
        message = f"{reason}; runs confined to test whether this client runs rewritten lines"
    else:
        return None
    if rewritten is None:
        return None
    return rewritten_answer(client, request.arguments, rewritten, clean(message)[:2000])


def _reads_here(explained: Explanation) -> bool:
    """Whether the line behaves the same in a sandbox: it only reads, without network."""
    effects = explained.effects
    return effects.network is False and effects.filesystem.write is False


def reason_of(decision: Decision) -> str:
    """Render a decision: command, reasons, rule."""
    subject = (
        f"`{decision.subject[:200]}`: " if decision.subject and decision.outcome != "allow" else ""
    )
    return f"{subject}{'; '.join(decision.reasons)} [{decision.rule}]"


def _apply_switch(answer: GuardAnswer, decision: Decision, box: Toolbox) -> GuardAnswer:
    """While the guard is switched off, only the Never list applies."""
    from atip.cli.guard.protocols import OFF
    from atip.cli.guard.switch import off_until
    from atip.policy.decision import NEVER

    until = off_until(box.places.config)
    if not until or (answer.outcome == "deny" and decision.rule == NEVER):
        return answer
    return GuardAnswer(outcome=OFF, reason="the guard is switched off")


def _record(
    box: Toolbox, line: str, decision: Decision, *, client: str, request: HookRequest,
    answered: str, cwd: str, took_s: float,
) -> str:  # fmt: skip
    """Write the record; returns why that failed, or an empty string."""
    # imported where records are kept only: every other call of the guard starts without it
    from atip.cli.guard.protocols import client_outcome
    from atip.execution.audit.records import Records

    answer = client_outcome(client, request.event, answered)
    try:
        Records(box.audit).decision(
            line, decision, client=client, cwd=cwd, answer=answer, mode=request.mode or "", took_s=took_s
        )  # fmt: skip
    except Exception as error:
        return str(error) or type(error).__name__
    return ""


def _note_run(request: HookRequest, client: str, options: argparse.Namespace) -> GuardAnswer:
    """Record that a line ran: a line that needed confirmation was then approved (`guard learn`)."""
    if not options.record or request.line is None or request.is_self_test:
        return GuardAnswer(outcome=None)
    import os

    from atip.execution.audit.records import Records
    from atip.toolbox import Toolbox

    folder = request.cwd or os.getcwd()
    box = Toolbox(cwd=folder)
    confined = box.rewrites.check_ran(request.line, client, cwd=folder)
    Records(box.audit).ran(request.line, client=client, cwd=folder, confined=confined)
    return GuardAnswer(outcome=None)
