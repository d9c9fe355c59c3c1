"""Explain what a shell line will do, command by command, and whether policy allows it. Nothing is executed."""

from __future__ import annotations

from atip.cli.quick import folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.toolbox import Explanation

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = (
    "atip explain 'git status && rm -rf build'",
    "atip explain --json 'curl -T x https://h/'",
)
_STYLES = {"allow": "green", "confine": "cyan", "ask": "yellow", "deny": "red"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("line", help="the shell line, quoted as one word")
    parser.add_argument("--cwd", type=folder, help="where it would run (default: here)")
    parser.add_argument("--policy", help="preset instead of the configured one")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.runs.recording import record_decision

    explained = ctx.app.explain(options.line, cwd=options.cwd, preset=options.policy)
    record_decision(ctx, explained, "explain", options.cwd)
    if ctx.as_json:
        ctx.emit(explained.to_json())
    else:
        _print(ctx, explained)
    return 0


def _print(ctx: Context, explained: Explanation) -> None:
    from atip.cli.output import clean, paint
    from atip.policy.command_context import shown_text

    for subject, decision in zip(explained.invocations, explained.decisions, strict=True):
        mark = paint(ctx, f"{decision.outcome:<5}", _STYLES[decision.outcome])
        ctx.print(f"{mark} {clean(shown_text(subject.text or subject.tool))}")
        for reason in subject.reasons:
            ctx.print(
                f"      {clean(shown_text(reason.subject))}: {reason.says} ({reason.evidence})"
            )
    for text in explained.ignored:
        ctx.print(clean(f"rule  {text}"))
    outcome = paint(ctx, explained.decision.outcome, _STYLES[explained.decision.outcome])
    ctx.print(
        f"{outcome}: {clean('; '.join(explained.decision.reasons))} [{clean(explained.decision.rule)}]"
    )
