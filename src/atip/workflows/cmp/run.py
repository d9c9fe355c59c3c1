"""Running a CMP intent: from a request in plain words to a checked result (CMP 0.2.0 §5.2 steps 5 and 6, §8).

(1) match the request to exactly one intent; several or none is an error that lists the choices
(2) build: template and values → argv; a shell only where the user named the tool in `cmpShell`
(3) find the program: in the tool's own `bin/`, else on the PATH (§9.1)
(4) judge: policy on the argv; what the intent declares may raise the effects, never lower them
(5) run, confined, through `execution.runner`; with confirmation where policy or the intent requires it
(6) check the output against `returns`
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.calls.effects.engine import program_name
from atip.calls.templates.cmp import build_argv
from atip.calls.templates.cmp_shell import build_line, needs_shell
from atip.discovery.cmp import tools as cmp_tools
from atip.errors import FormatError, NotFoundError, UsageError
from atip.model.effects import Effects, join
from atip.model.problems import Problem, render_path
from atip.model.value import Value
from atip.policy.decision import ALLOW, ASK, DENY, Decision
from atip.registry.settings import load_settings
from atip.workflows.cmp.places import cmp_places
from atip.workflows.lookup import look_up_tool
from atip.workflows.run.runner import judge_for, make_call
from atip.workflows.search.find import intents_of, match_cmp

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from atip.calls.templates.cmp import CmpIntent
    from atip.execution.call import CallOptions, Judgment, ProgramCall
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.result import Result
    from atip.execution.runner import Judge, Runner
    from atip.model.tool import Tool
    from atip.search.intents import Candidate, Match
    from atip.workflows.host import Host

UNDONE = "irreversible according to its description; make a copy first"
CONFIRMED = "its description requires confirmation"


class IntentCall(Value):
    """The command that a request resolved to; nothing has run."""

    tool: str
    """`domain/name`."""
    number: int
    intent: CmpIntent
    argv: tuple[str, ...]
    folder: str | None = None
    """The tool's own folder, where the program was found in it; readable for the run."""

    def to_json(self) -> dict[str, Any]:
        return {
            "tool": self.tool,
            "intent": self.number,
            "command": self.intent.command,
            "argv": list(self.argv),
            "confirm": self.intent.needs_consent,
            "destructive": self.intent.destructive,
            "idempotent": self.intent.is_idempotent,
        }


class IntentResult(Value):
    """The result of a run. `problems`: where the output does not match `returns`; None: no `returns` declared."""

    call: IntentCall
    result: Result
    problems: tuple[Problem, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        checked = None
        if self.problems is not None:
            problems = [problem.to_json() for problem in self.problems]
            checked = {"valid": not problems, "problems": problems}
        return {**self.result.to_json(), "intent": self.call.to_json(), "returns": checked}


def plan_intent(
    host: Host,
    request: str,
    values_by_name: Mapping[str, object],
    *,
    tool: str | None = None,
    number: int | None = None,
    texts: Collection[str] = (),
) -> IntentCall:
    """Steps 1 to 3; runs nothing.

    Args:
        number: index of the intent in the list of `tool`, instead of matching the request.
        texts: names whose values were typed as text; where a list is expected they are one item.

    Raises:
        NotFoundError: `cmp.no-match`, `cmp.not-found`, `tool.not-found`.
        UsageError: `cmp.unclear` with the choices.
        FormatError: `cmp.template`, `call.invalid`.
    """
    candidate = _choose_intent(host, request, tool, number)  # (1)
    where = cmp_places(host)
    cmp_tool = cmp_tools.find_tool(where, candidate.tool)
    intent = candidate.intent
    lists = {param.name for param in intent.params if param.type.startswith("array<")}
    values = {
        name: [value] if name in lists and name in texts and not isinstance(value, list) else value
        for name, value in values_by_name.items()
    }
    programs = _Programs(host, cmp_tool)
    if needs_shell(intent.command):  # (2)
        _refuse_shell(host, cmp_tool)
        line = build_line(intent, values, lookup=programs.look_up, rename=programs.locate)
        argv: tuple[str, ...] = ("sh", "-c", line)
    else:
        argv = build_argv(intent, values, tool=programs.look_up_for(intent))
        argv = (programs.locate(argv[0]), *argv[1:])  # (3)
    folder = cmp_tool.folder.path if programs.has_own else None
    return IntentCall(
        tool=candidate.tool, number=candidate.number, intent=intent, argv=argv, folder=folder
    )


def make_intent_runner(
    host: Host, call: IntentCall, *, preset: str | None = None, ask: ConsentPrompt | None = None
) -> Runner:
    """A runner whose judgment includes what the intent declares."""
    from atip.execution.approvals import Approvals
    from atip.execution.runner import Runner

    return Runner(
        _with_declared_effects(judge_for(host, preset=preset), call),
        audit=host.audit,
        ask=ask,
        approved=Approvals(host.places.config).holds,
    )


def check_returns(intent: CmpIntent, result: Result) -> tuple[Problem, ...] | None:
    """(6) Check the output against `returns`; None when nothing is declared or the tool failed."""
    if intent.returns is None or result.exit_code != 0:
        return None
    from atip.model.reading.reader import STORE, read_json
    from atip.model.shapes.json_schema import compile_schema, schema_problems

    if result.truncated:
        return (_problem("cmp.returns-cut", "the output was truncated and could not be checked"),)
    try:
        value = read_json(result.stdout.encode("utf-8", "surrogateescape"), STORE)
        mismatches = schema_problems(compile_schema(intent.returns), value)
    except FormatError as error:
        return (_problem("cmp.returns", error.message),)
    return tuple(_problem("cmp.returns", message, path) for path, message in mismatches)


def _problem(code: str, message: str, path: tuple[str | int, ...] = ()) -> Problem:
    return Problem(path=render_path(path), code=code, message=message)


def _choose_intent(host: Host, request: str, tool: str | None, number: int | None) -> Candidate:
    if number is not None:
        if tool is None:
            raise UsageError(
                "cmp.no-tool",
                "`--intent` is an index into the intents of one tool: add `--tool NAME`",
            )
        intents = intents_of(cmp_tools.find_tool(cmp_places(host), tool))
        if not 0 <= number < len(intents):
            raise NotFoundError("cmp.no-match", f"`{tool[:80]}` has no intent number {number}")
        return intents[number]
    match = match_cmp(host, request, tool=tool)
    if match.chosen is not None:
        return match.chosen.candidate
    details = {"choices": [choice.to_json() for choice in match.choices]}
    if not match.choices:
        raise NotFoundError(
            "cmp.no-match",
            "no CMP intent matches this request",
            hint="list the intents: `atip cmp list`",
        )
    raise UsageError(
        "cmp.unclear",
        f"the request is ambiguous: {match.reason}",
        hint="use a pattern word for word, or `--tool` and `--intent`; `atip cmp match` lists them",
        details=details,
    )


def _refuse_shell(host: Host, cmp_tool: cmp_tools.CmpTool) -> None:
    # SECURITY: only the user's own settings allow this, never a document.
    if cmp_tool.key not in load_settings(host.places, "config").get("cmpShell", ()):
        raise FormatError(
            "cmp.template",
            f"the command template of `{cmp_tool.key}` needs a shell",
            hint=f'to allow that, add "{cmp_tool.key}" to `cmpShell` in config.json',
        )


class _Programs:
    """Programs that a template uses: their paths and metadata."""

    def __init__(self, host: Host, cmp_tool: cmp_tools.CmpTool) -> None:
        self._host = host
        self._folder = cmp_tool.folder.path
        self.has_own = False

    def own(self, program: str) -> str | None:
        """The path of a program in the tool's own `bin/`."""
        path = os.path.join(self._folder, "bin", program)
        is_own = os.sep not in program and os.path.isfile(path) and os.access(path, os.X_OK)
        return path if is_own else None

    def locate(self, program: str) -> str:
        """Return the argv word that starts a program.

        # SECURITY: a program in the tool's own `bin/` is started by its path, so that `bin/ls` is never taken for `ls`.
        """
        own_path = self.own(program)
        if own_path is not None:
            self.has_own = True
            return own_path
        if os.sep in program and not os.path.isabs(program):
            raise FormatError(
                "cmp.template",
                "the command template uses a relative path for its program",
                hint="put the program in the tool's `bin/` folder",
            )
        return program

    def look_up(self, program: str) -> Tool | None:
        """Return metadata of a program outside the tool's own `bin/`."""
        name = program_name(program)
        if self.own(program) is not None or not name:
            return None
        return look_up_tool(self._host.places, name)

    def look_up_for(self, intent: CmpIntent) -> Tool | None:
        from atip.calls.templates.cmp import split_template

        return self.look_up(split_template(intent.command)[0])


def _with_declared_effects(judge: Judge, planned: IntentCall) -> Judge:
    """(4) Combine the judgment of policy with what the intent declares (§8.1, §8.2, C16)."""

    def judge_intent(call: ProgramCall, digest: str) -> Judgment:
        judgment = judge(call, digest)
        intent = planned.intent
        if planned.folder is not None:
            reads = (*judgment.confinement.fs_read, f"{planned.folder}/**")
            judgment = judgment.replace(confinement=judgment.confinement.replace(fs_read=reads))
        if intent.destructive:
            effects = Effects(destructive=True, reversible=False, idempotent=intent.is_idempotent)
            judgment = judgment.replace(effects=join(judgment.effects, effects))
        if intent.needs_consent:
            judgment = judgment.replace(decision=_require_confirmation(judgment.decision, intent))
        return judgment

    return judge_intent


def _require_confirmation(decision: Decision, intent: CmpIntent) -> Decision:
    reason = UNDONE if intent.destructive else CONFIRMED
    if decision.outcome == DENY:
        return decision
    reasons = () if decision.outcome == ALLOW else decision.reasons
    rule = "always: CMP confirm" if decision.outcome == ALLOW else decision.rule
    return decision.replace(outcome=ASK, reasons=(*reasons, reason), rule=rule)


class Intents:
    """CMP tools of one user: list folders, match a request to an intent, plan and run it."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def places(self) -> list[str]:
        """Folders of CMP tools; the first is the canonical folder."""
        return cmp_places(self._host)

    def match(self, words: str, *, tool: str | None = None) -> Match:
        """Match a request to intents, with reasons; raises `cmp.not-found`."""
        return match_cmp(self._host, words, tool=tool)

    def plan(
        self,
        request: str,
        values: Mapping[str, object],
        *,
        tool: str | None = None,
        number: int | None = None,
        texts: Collection[str] = (),
    ) -> IntentCall:
        """Resolve a request to a command; arguments and errors as in `plan_intent`."""
        return plan_intent(self._host, request, values, tool=tool, number=number, texts=texts)

    def make_runner(
        self, planned: IntentCall, *, preset: str | None = None, ask: ConsentPrompt | None = None
    ) -> Runner:
        """A runner whose judgment includes what the intent declares."""
        return make_intent_runner(self._host, planned, preset=preset, ask=ask)

    def check(self, planned: IntentCall, result: Result) -> IntentResult:
        """Check the result against what the intent declares."""
        problems = check_returns(planned.intent, result)
        return IntentResult(call=planned, result=result, problems=problems)

    def run(
        self,
        request: str,
        values: Mapping[str, object] | None = None,
        *,
        tool: str | None = None,
        number: int | None = None,
        options: CallOptions | None = None,
        ask: ConsentPrompt | None = None,
    ) -> IntentResult:
        """Run all six steps; errors as in `plan_intent` and in a run."""
        planned = self.plan(request, values or {}, tool=tool, number=number)
        call = make_call(self._host, planned.argv, options)
        return self.check(planned, self.make_runner(planned, ask=ask).run(call))
