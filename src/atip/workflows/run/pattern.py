"""Run an executable pattern: every step is filled in and judged before the first one starts.

    results = Patterns(host).run("git", "new-branch", {"branch": "topic"})

Each step is an ordinary run: policy with the trust verdict of its tool, consent, sandbox, audit. The first step that
fails ends the pattern. Implements ATIP 0.6 §3.9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.calls.templates.pattern_steps import fill_pattern
from atip.errors import Denied, NotFoundError
from atip.workflows.run.runner import make_call, make_runner
from atip.workflows.tools import get_tool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.execution.call import CallOptions, ProgramCall
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.result import Result
    from atip.execution.runner import Runner
    from atip.model.tool import Pattern
    from atip.workflows.host import Host


class PatternPlan:
    """The steps of a pattern as calls, judged and not denied; `run` starts them."""

    def __init__(self, runner: Runner, calls: Sequence[ProgramCall], layer: str) -> None:
        """
        Raises:
            Denied: a step is denied; nothing was started.
        """
        self._runner = runner
        self.calls = tuple(calls)
        self.layer = layer
        """Layer of the pattern: tool, registry, system, organization, user or project."""
        self.decisions = tuple(runner.plan(call)[0].decision for call in calls)
        for decision in self.decisions:
            if decision.outcome == "deny":
                # SECURITY: half a pattern is worse than none
                reason = "; ".join(decision.reasons) or "policy forbids it"
                raise Denied("policy.denied", reason, details={"decision": decision.to_json()})

    def run(self) -> list[Result]:
        """Run the steps in order, up to the first failure; returns one Result per step that ran."""
        results: list[Result] = []
        for call in self.calls:
            results.append(self._runner.run(call))
            if results[-1].exit_code != 0:
                break
        return results

    def to_json(self) -> dict[str, object]:
        steps = [
            {"argv": list(call.argv), "cwd": call.cwd, "decision": decision.to_json()}
            for call, decision in zip(self.calls, self.decisions, strict=True)
        ]
        return {"from": self.layer, "steps": steps}


class Patterns:
    """`Toolbox.patterns`: the patterns of one user's tools, in layers."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def plan(
        self,
        tool: str,
        name: str,
        values: Mapping[str, object],
        options: CallOptions | None = None,
        *,
        preset: str | None = None,
        ask: ConsentPrompt | None = None,
    ) -> PatternPlan:
        """Fill in every step and judge it; nothing is started.

        Raises:
            NotFoundError: `pattern.not-found`.
            PolicyError: `pattern.advisory`.
            FormatError: `pattern.invalid`, with all problems.
            Denied: a step is denied.
        """
        pattern = self.find(tool, name)
        runner = make_runner(self._host, preset=preset, ask=ask)
        calls = [make_call(self._host, argv, options) for argv in fill_pattern(pattern, values)]
        origin = pattern.extra.get("x-atip")
        layer = str(origin.get("from", "tool")) if isinstance(origin, dict) else "tool"
        return PatternPlan(runner, calls, layer)

    def run(
        self,
        tool: str,
        name: str,
        values: Mapping[str, object],
        options: CallOptions | None = None,
        *,
        ask: ConsentPrompt | None = None,
    ) -> list[Result]:
        """Plan and run; errors as `plan`."""
        return self.plan(tool, name, values, options, ask=ask).run()

    def find(self, tool: str, name: str) -> Pattern:
        """A pattern of a tool by name.

        Raises:
            NotFoundError: `pattern.not-found`.
        """
        patterns = {pattern.name: pattern for pattern in get_tool(self._host, tool).patterns or ()}
        if name in patterns:
            return patterns[name]
        raise NotFoundError(
            "pattern.not-found",
            f"`{tool[:60]}` has no pattern `{name[:80]}`",
            hint="patterns: " + (", ".join(patterns) or "none"),
        )
