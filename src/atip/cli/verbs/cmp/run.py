"""Run the intent of a CMP tool that matches a request, under policy and sandbox.

The request must match one intent; several are listed and nothing runs. An intent that requires confirmation or
cannot be undone is confirmed on your terminal. Values: `name=text`, `name:=JSON`, or `--args JSON` (`-` for stdin).
The exit code is the tool's own; 124 time-out, 125 our failure, 126 refused, 127 not found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import AtipError, UsageError

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.toolbox import IntentResult

MAX_INPUT = 1_000_000
EFFECTS = {"subprocess": True}
EXAMPLES = (
    'atip cmp run "restore emails" count=3',
    'atip cmp run "delete emails" --args \'{"ids": ["a1"]}\' --dry-run --json',
)


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import natural, positive, seconds

    parser.add_argument("request", metavar="REQUEST", help="what you want, in one argument")
    parser.add_argument("values", nargs="*", metavar="NAME=VALUE", help="values of the intent")
    parser.add_argument("--args", default=None, metavar="JSON", help="all values as one object")
    parser.add_argument("--tool", default=None, metavar="TOOL", help="only intents of this tool")
    parser.add_argument(
        "--intent", type=natural, default=None, metavar="N", help="number of the intent in --tool"
    )
    parser.add_argument("--yes", action="store_true", help="confirm where nothing can be destroyed")
    parser.add_argument(
        "--dry-run", action="store_true", help="print argv, decision, confinement; run nothing"
    )
    parser.add_argument("--policy", default=None, metavar="PRESET", help="preset for this run")
    parser.add_argument(
        "--timeout", type=seconds, default=None, metavar="S", help="seconds until killed"
    )
    parser.add_argument(
        "--max-bytes", type=positive, default=None, help="keep this much of each stream"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.verbs.running.run import _exit_code

    try:
        return _run(options, ctx)
    except AtipError as error:
        error.exit_code = _exit_code(error)
        raise


def _run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.verbs.running.run import _print_plan
    from atip.execution.call import CallOptions
    from atip.execution.consent import ask_on_terminal

    _sort_words(options)
    values, texts = _values(options, ctx)
    planned = ctx.app.intents.plan(
        options.request, values, tool=options.tool, number=options.intent, texts=texts
    )
    bounds = CallOptions(
        timeout_s=options.timeout, max_bytes=options.max_bytes, assume_yes=options.yes
    )
    call = ctx.app.make_call(planned.argv, bounds)
    runner = ctx.app.intents.make_runner(planned, preset=options.policy, ask=ask_on_terminal)
    if options.dry_run:
        return _print_plan(ctx, call, runner, intent=planned.to_json())
    outcome = ctx.app.intents.check(planned, runner.run(call))
    _print(ctx, outcome)
    return outcome.result.exit_code


def _sort_words(options: argparse.Namespace) -> None:
    """Find the request among the values: the one word that is not NAME=VALUE."""
    words = [options.request, *options.values]
    others = [word for word in words if not word.partition("=")[0].rstrip(":").isidentifier()]
    others += [word for word in words if "=" not in word and word not in others]
    if len(others) == 1:
        words.remove(others[0])
        options.request, options.values = others[0], words


def _values(options: argparse.Namespace, ctx: Context) -> tuple[dict[str, object], set[str]]:
    """Values by name, and the names of those that were typed as text."""
    from atip.cli.runs.call_arguments import read_arguments

    document = options.args or ""
    if document == "-":
        document = ctx.stdin.read(MAX_INPUT + 1)
        if len(document) > MAX_INPUT:
            raise UsageError("call.args", f"more than {MAX_INPUT:,} characters of arguments")
    names = (word.partition("=")[0] for word in options.values)
    return read_arguments(options.values, document), {n for n in names if not n.endswith(":")}


def _print(ctx: Context, outcome: IntentResult) -> None:
    if ctx.as_json:
        ctx.emit(outcome.to_json())
        return
    from atip.cli.output import clean
    from atip.cli.verbs.running.run import _print as print_result

    print_result(ctx, outcome.result)
    for problem in outcome.problems or ():
        ctx.note(f"atip: output does not match `returns`: {problem.path} {clean(problem.message)}")
