"""`run --pattern TOOL.NAME key=value…`: the steps of an executable pattern, each judged before the first one starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from atip.cli.context import Context
    from atip.execution.call import CallOptions
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.result import Result

_OPTIONS = ("line", "preview", "keep", "structured", "stdin", "raw")


def run_pattern(
    options: argparse.Namespace,
    ctx: Context,
    bounds: CallOptions,
    ask: ConsentPrompt,
    show: Callable[[Context, Result], None],
) -> int:
    """Fill, judge and run the steps; returns the exit code of the last step that ran."""
    from atip.cli.runs.call_arguments import read_arguments

    if unsupported := [name for name in _OPTIONS if getattr(options, name)]:
        raise UsageError(
            "run.pattern-options", f"`--pattern` cannot be combined with `--{unsupported[0]}`"
        )
    tool, _, name = options.tool.rpartition(".")
    if not tool or not name:
        raise UsageError(
            "run.pattern-name",
            f"`{options.tool[:80]}` is not a pattern",
            hint="write TOOL.NAME, then key=value for each variable",
        )
    values = read_arguments(options.words)
    plan = ctx.app.patterns.plan(tool, name, values, bounds, preset=options.policy, ask=ask)
    if options.dry_run:
        return _print_plan(ctx, options.tool, plan.to_json())
    results = plan.run()
    if ctx.as_json:
        steps = [result.to_json() for result in results]
        ctx.emit({"pattern": options.tool, "from": plan.layer, "steps": steps})
    else:
        for result in results:
            show(ctx, result)
    return results[-1].exit_code


def _print_plan(ctx: Context, name: str, document: dict[str, object]) -> int:
    from atip.execution.consent import clean_line, shown_word

    if ctx.as_json:
        ctx.emit({"pattern": name, **document})
        return 0
    ctx.print(f"pattern      {clean_line(name)}  (from: {document['from']})")
    steps = document["steps"]
    assert isinstance(steps, list)
    for step in steps:
        words = " ".join(shown_word(word) for word in step["argv"])
        ctx.print(f"{step['decision']['decision']:<12} {words}")
    return 0
