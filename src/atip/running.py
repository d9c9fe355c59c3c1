"""Running a command: where policy, sandbox, consent and audit meet for one user.

    result = run_argv(box, ["gh", "pr", "list"])

Judges the argv as the line it stands for (`explaining`), plans the confinement (`planning`) and hands both to
`execution.runner`. Implements DESIGN §5 `Toolbox.run`.
"""

from __future__ import annotations

import os
import shlex

from atip.errors import UsageError
from atip.execution.audit import Audit
from atip.execution.conventions import USUAL, read_conventions, with_json
from atip.execution.login import login_of
from atip.execution.result import DEFAULT_MAX_BYTES
from atip.execution.runner import Call, Judgement, Runner, declared_timeout
from atip.explaining import explain_line, find_establisher, find_known
from atip.planning import notes_on, plan_call
from atip.registry.policies import load_policies
from atip.sandbox.run import start_confined
from atip.system.digests import sha256_hex
from atip.system.version_managers import resolve_shim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.execution.consent import Asker
    from atip.execution.conventions import Conventions
    from atip.execution.result import Result
    from atip.execution.runner import Judge
    from atip.explaining import Explanation
    from atip.model.tool import Tool
    from atip.sandbox.running import Running
    from atip.toolbox import Toolbox


def audit_of(box: Toolbox) -> Audit:
    """The user's audit chain."""
    return Audit(os.path.join(box.places.data, "audit"))


def outputs_of(box: Toolbox) -> str:
    """The folder of kept outputs."""
    from atip.execution.kept import FOLDER

    return os.path.join(box.places.cache, FOLDER)


def judge_for(box: Toolbox, *, preset: str | None = None) -> Judge:
    """What policy says of a call, for one user."""

    def judge(call: Call, digest: str) -> Judgement:
        policies = load_policies(box.places, call.cwd, preset=preset or box.policy)
        explained = explain_line(
            shlex.join(call.argv),
            policies,
            lookup=lambda name: find_known(box.places, name),
            cwd=call.cwd,
            home=box.places.home,
            establish=find_establisher(
                box.places, policies, call.cwd, (call.argv[0], call.program, digest)
            ),
        )
        effects = explained.effects
        tool = _only_tool(explained)
        timeout_s = call.timeout_s or declared_timeout(effects)
        confinement = plan_call(
            explained,
            policies,
            box.places,
            cwd=call.cwd,
            program=call.program,
            timeout_s=timeout_s,
        )
        return Judgement(
            decision=explained.decision,
            effects=effects,
            confinement=confinement,
            notes=notes_on(confinement, effects, box.places, call.cwd),
            audit=any(policy.audit for policy in policies),
            policy=sha256_hex(repr(policies).encode()),
            conventions=conventions_of(tool),
            login=login_of(tool, explained.invocations[0].path, call.argv, effects)
            if tool
            else None,
            keep="" if any(policy.keep_output is False for policy in policies) else outputs_of(box),
        )

    return judge


def _only_tool(explained: Explanation) -> Tool | None:
    """The one tool that a call starts; None: several, or nobody knows it."""
    return explained.invocations[0].known if len(explained.invocations) == 1 else None


def conventions_of(tool: Tool | None) -> Conventions:
    """How a tool speaks, as its description says.

    Raises:
        FormatError: `output.form`.
    """
    return read_conventions(tool.own.get("output")) if tool is not None else USUAL


def make_call(
    box: Toolbox,
    argv: Sequence[str],
    *,
    cwd: str | None = None,
    stdin: bytes | None = None,
    timeout_s: float | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    assume_yes: bool = False,
    structured: bool = False,
) -> Call:
    """The call for an argv: the program is found once, here.

    Args:
        structured: ask the tool for JSON where it is known how (AIP-29 `json_flag`); the Result has `data`.

    Raises:
        NotFoundError: `tool.not-found`.
        UsageError: `run.empty`, `run.nul`.
    """
    if not argv or not argv[0]:
        raise UsageError("run.empty", "there is no command to run")
    if any("\0" in word for word in argv):
        raise UsageError("run.nul", "an argument holds a NUL, which no program can be given")
    words = tuple(argv)
    if structured:
        words = with_json(words, conventions_of(find_known(box.places, os.path.basename(words[0]))))
    folder = os.path.realpath(cwd or os.getcwd())
    return Call(
        argv=words,
        program=resolve_shim(box.locate(_from(folder, argv[0])), folder, os.environ),
        cwd=folder,
        home=os.path.realpath(box.places.home),
        stdin=stdin,
        env=dict(os.environ),
        timeout_s=timeout_s,
        max_bytes=max_bytes,
        assume_yes=assume_yes,
        structured=structured,
    )


def _from(folder: str, name: str) -> str:
    """A path as the call would find it; a bare name stays one."""
    return os.path.join(folder, name) if os.sep in name else name


def make_runner(
    box: Toolbox,
    *,
    preset: str | None = None,
    ask: Asker | None = None,
    on_output: Callable[[str, bytes], None] | None = None,
    start: Callable[..., Running] = start_confined,
) -> Runner:
    """A runner with the policy, the audit and the remembered approvals of one user.

    Args:
        ask: reaches the user; None: nobody can be asked, and what needs a yes is refused.
        start: starts the confined program; see `Runner`.
    """
    from atip.execution.approvals import Approvals

    return Runner(
        judge_for(box, preset=preset),
        audit=audit_of(box),
        ask=ask,
        approved=Approvals(box.places.config).holds,
        on_output=on_output,
        start=start,
    )


class Runs:
    """Runners that were started for one caller, who may end them from another thread."""

    def __init__(self) -> None:
        self._runners: list[Runner] = []
        self._over = False

    def add(self, runner: Runner) -> None:
        self._runners.append(runner)
        if self._over:
            runner.cancel()

    def cancel(self) -> None:
        """End what runs, and what would start from now on."""
        self._over = True
        for runner in tuple(self._runners):
            runner.cancel()


def run_argv(
    box: Toolbox,
    argv: Sequence[str],
    *,
    cwd: str | None = None,
    stdin: bytes | None = None,
    timeout_s: float | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    structured: bool = False,
    ask: Asker | None = None,
    runs: Runs | None = None,
) -> Result:
    """Run one command under policy and sandbox; see `execution.runner.Runner.run`.

    Args:
        runs: lets the caller end it from another thread.
    """
    call = make_call(
        box, argv, cwd=cwd, stdin=stdin, timeout_s=timeout_s, max_bytes=max_bytes,
        structured=structured,
    )  # fmt: skip
    runner = make_runner(box, ask=ask)
    if runs is not None:
        runs.add(runner)
    return runner.run(call)
