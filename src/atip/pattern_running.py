"""Running an executable pattern: every step is filled in and judged before the first one starts.

    results = run_pattern(box, "git", "new-branch", {"branch": "topic"})

Each step is an ordinary run: policy with the trust verdict of its tool, consent, sandbox, audit. The first step that
fails ends the pattern. Implements ATIP 0.6 §3.9.
"""

from __future__ import annotations

from atip.calls.pattern_steps import fill_pattern
from atip.errors import Denied, NotFoundError
from atip.running import make_call, make_runner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.execution.consent import Asker
    from atip.execution.result import Result
    from atip.model.tool import Pattern
    from atip.toolbox import Toolbox


def run_pattern(
    box: Toolbox,
    tool: str,
    name: str,
    values: Mapping[str, object],
    *,
    cwd: str | None = None,
    timeout_s: float | None = None,
    ask: Asker | None = None,
) -> list[Result]:
    """Run the steps of a pattern; returns one Result per step that ran.

    Raises:
        NotFoundError: `pattern.not-found`.
        PolicyError: `pattern.advisory`.
        FormatError: `pattern.invalid`, with all problems.
        Denied: a step is denied; nothing was started.
    """
    steps = fill_pattern(find_pattern(box, tool, name), values)
    runner = make_runner(box, ask=ask)
    calls = [make_call(box, argv, cwd=cwd, timeout_s=timeout_s) for argv in steps]
    for call in calls:
        decision = runner.plan(call)[0].decision
        if decision.outcome == "deny":
            # SECURITY: half a pattern is worse than none
            reason = "; ".join(decision.reasons) or "policy forbids it"
            raise Denied("policy.denied", reason, details={"decision": decision.to_json()})
    results: list[Result] = []
    for call in calls:
        results.append(runner.run(call))
        if results[-1].exit_code != 0:
            break
    return results


def find_pattern(box: Toolbox, tool: str, name: str) -> Pattern:
    """A pattern of a tool by name.

    Raises:
        NotFoundError: `pattern.not-found`.
    """
    for pattern in box.get(tool).patterns or ():
        if pattern.name == name:
            return pattern
    raise NotFoundError("pattern.not-found", f"`{tool[:60]}` has no pattern `{name[:80]}`")
