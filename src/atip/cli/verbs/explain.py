"""What a shell line will do, command by command, and whether policy lets it run. Nothing is executed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from atip.cli.context import Context
    from atip.explaining import Explanation
    from atip.policy.decision import Decision
    from atip.policy.subject import Subject

EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": False}
EXAMPLES = (
    "atip explain 'git status && rm -rf build'",
    "atip explain --json 'curl -T x https://h/'",
)
_STYLES = {"allow": "green", "ask": "yellow", "deny": "red"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("line", help="the shell line, quoted as one word")
    parser.add_argument("--cwd", help="where it would run (default: here)")
    parser.add_argument("--policy", help="preset instead of the configured one")


def run(options: argparse.Namespace, ctx: Context) -> int:
    if options.policy:
        ctx.app.policy = options.policy
    found = ctx.app.explain(options.line, cwd=options.cwd)
    if ctx.as_json:
        ctx.emit(to_json(found))
    else:
        _print(ctx, found)
    return 0


def to_json(found: Explanation) -> dict[str, Any]:
    """The document of `--json`."""
    from atip.model.encode import encode_effects

    return {
        "line": found.line,
        "invocations": [
            _invocation(subject, decision)
            for subject, decision in zip(found.invocations, found.decisions, strict=True)
        ],
        "effects": encode_effects(found.effects),
        **found.decision.to_json(),
        "problem": found.problem,
    }


def _invocation(subject: Subject, decision: Decision) -> dict[str, Any]:
    from atip.model.encode import encode_effects

    return {
        "tool": _shown(subject.tool),
        "command": list(subject.path),
        "argv": [_shown(word) for word in subject.argv],
        "text": subject.text,
        "effects": encode_effects(subject.effects),
        "evidence": subject.evidence,
        "reasons": [
            {"subject": r.subject, "says": r.says, "evidence": r.evidence} for r in subject.reasons
        ],
        "paths": [_shown(path) for path in subject.paths],
        "hosts": list(subject.hosts),
        "decision": decision.outcome,
        "rule": decision.rule,
    }


def _shown(text: str) -> str:
    """`…` for what is only known when the line runs."""
    for mark in ("\0", "\1", "\2"):
        text = text.replace(mark, "…")
    return text


def _print(ctx: Context, found: Explanation) -> None:
    from atip.cli.output import clean, paint

    for subject, decision in zip(found.invocations, found.decisions, strict=True):
        mark = paint(ctx, f"{decision.outcome:<5}", _STYLES[decision.outcome])
        ctx.print(f"{mark} {clean(_shown(subject.text or subject.tool))}")
        for reason in subject.reasons:
            ctx.print(f"      {clean(_shown(reason.subject))}: {reason.says} ({reason.evidence})")
    outcome = paint(ctx, found.decision.outcome, _STYLES[found.decision.outcome])
    ctx.print(
        f"{outcome}: {clean('; '.join(found.decision.reasons))} [{clean(found.decision.rule)}]"
    )
