"""Run a command for one user, with policy, sandbox, consent and audit.

    result = run_argv(host, ["gh", "pr", "list"])

Judges the argv (`judge`), plans the confinement (`plan`) and hands both to
`execution.runner`. See docs/architecture.md `Toolbox.run`.
"""

from __future__ import annotations

import os

from atip.errors import UsageError
from atip.execution.call import CallOptions, Judgment, ProgramCall
from atip.execution.login import login_of
from atip.execution.output.conventions import USUAL, read_conventions, with_json
from atip.execution.output.result import DEFAULT_MAX_BYTES
from atip.execution.runner import Runner, declared_timeout
from atip.sandbox.run import start_confined
from atip.system.programs.version_managers import resolve_shim
from atip.workflows.judge import LocalJudge
from atip.workflows.lookup import locate, look_up_tool
from atip.workflows.run.plan import notes_on, plan_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.execution.call import OperationCall
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.conventions import Conventions
    from atip.execution.output.result import OperationAnswer, Result
    from atip.execution.runner import Judge, Operations
    from atip.execution.runs import ActiveRuns
    from atip.model.tool import Tool
    from atip.sandbox.running import RunningProcess
    from atip.workflows.host import Host
    from atip.workflows.judge import Explanation


def judge_for(host: Host, *, preset: str | None = None) -> Judge:
    """A judge of calls by one user's policies."""

    def judge(call: ProgramCall, digest: str) -> Judgment:
        local = LocalJudge(host, call.cwd, preset=preset)
        policies = local.policies
        explained = local.argv(call.argv, call.program, digest)
        effects = explained.effects
        tool = _only_tool(explained)
        timeout_s = call.timeout_s or declared_timeout(effects)
        confinement = plan_call(
            explained,
            policies,
            host.places,
            cwd=call.cwd,
            program=call.program,
            timeout_s=timeout_s,
        )
        return Judgment(
            decision=explained.decision,
            effects=effects,
            confinement=confinement,
            notes=notes_on(explained, confinement, host.places, call.cwd),
            audit=local.audit,
            policy=local.digest,
            conventions=conventions_of(tool),
            login=login_of(tool, explained.invocations[0].path, call.argv, effects)
            if tool
            else None,
            keep="" if any(policy.keep_output is False for policy in policies) else host.outputs,
        )

    return judge


def _only_tool(explained: Explanation) -> Tool | None:
    """The one tool that a call starts; None: several, or no metadata."""
    return explained.invocations[0].metadata if len(explained.invocations) == 1 else None


def conventions_of(tool: Tool | None) -> Conventions:
    """Output conventions of a tool, from its description.

    Raises:
        FormatError: `output.form`.
    """
    return read_conventions(tool.own.get("output")) if tool is not None else USUAL


def make_call(host: Host, argv: Sequence[str], options: CallOptions | None = None) -> ProgramCall:
    """Make the call for an argv; resolves the program once, here.

    Raises:
        NotFoundError: `tool.not-found`.
        UsageError: `run.not-a-list`, `run.empty`, `run.nul`.
    """
    options = options or CallOptions()
    if isinstance(argv, str | bytes):
        # a string is a sequence of strings, too: its characters
        raise UsageError(
            "run.not-a-list",
            "a command is a list of words, not a string",
            hint='for example ["wc", "-l", "notes.txt"]; `shlex.split` makes one of a line without operators',
        )
    if not argv or not argv[0]:
        raise UsageError("run.empty", "the command is empty")
    if any("\0" in word for word in argv):
        raise UsageError(
            "run.nul", "an argument contains a NUL byte, which cannot be passed to a program"
        )
    words = tuple(argv)
    if options.structured:
        metadata = look_up_tool(host.places, os.path.basename(words[0]))
        words = with_json(words, conventions_of(metadata))
    folder = os.path.realpath(options.cwd or os.getcwd())
    return ProgramCall(
        argv=words,
        program=resolve_shim(locate(_from(folder, argv[0])), folder, os.environ),
        cwd=folder,
        home=os.path.realpath(host.places.home),
        stdin=options.stdin,
        env=dict(os.environ),
        timeout_s=options.timeout_s,
        max_bytes=options.max_bytes or DEFAULT_MAX_BYTES,
        assume_yes=options.assume_yes,
        structured=options.structured,
    )


def _from(folder: str, name: str) -> str:
    """Resolve a path against the call's folder; a bare name stays unchanged."""
    return os.path.join(folder, name) if os.sep in name else name


def make_runner(
    host: Host,
    *,
    preset: str | None = None,
    ask: ConsentPrompt | None = None,
    on_output: Callable[[str, bytes], None] | None = None,
    start: Callable[..., RunningProcess] = start_confined,
    judge: Judge | None = None,
) -> Runner:
    """Make a runner with the policy, the audit and the stored approvals of one user.

    Args:
        judge: decides and confines; None: `judge_for` this user.
        ask: prompts the user; None: a call that needs confirmation is refused.
        start: starts the confined program; see `Runner`.
    """
    from atip.execution.approvals import Approvals

    return Runner(
        judge or judge_for(host, preset=preset),
        audit=host.audit,
        ask=ask,
        approved=Approvals(host.places.config).holds,
        on_output=on_output,
        start=start,
        operations=_Operations(host, preset),
    )


class _Operations:
    """API operations, imported on the first call, so that programs do not pay for them."""

    def __init__(self, host: Host, preset: str | None) -> None:
        self._host, self._preset = host, preset

    def judge(self, call: OperationCall) -> Judgment:
        return self._load_operations().judge(call)

    def prepare(self, call: OperationCall, ask: ConsentPrompt | None) -> None:
        self._load_operations().prepare(call, ask)

    def send(self, call: OperationCall) -> OperationAnswer:
        return self._load_operations().send(call)

    def _load_operations(self) -> Operations:
        from atip.workflows.api.operations import HostOperations

        return HostOperations(self._host, self._preset)


def run_argv(
    host: Host,
    argv: Sequence[str],
    options: CallOptions | None = None,
    *,
    ask: ConsentPrompt | None = None,
    runs: ActiveRuns | None = None,
) -> Result:
    """Run one command under policy and sandbox; see `execution.runner.Runner.run`.

    Args:
        runs: lets the caller stop it from another thread.
    """
    call = make_call(host, argv, options)
    runner = make_runner(host, ask=ask)
    if runs is not None:
        runs.add(runner)
    return runner.run(call)
