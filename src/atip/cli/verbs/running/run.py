"""Run a tool under policy and sandbox; its output comes back redacted, cleaned and bounded.

Policy decides on the parsed command. Where it asks, you confirm on your terminal; `--yes` confirms
only where nothing can be destroyed. `--preview` runs on a copy of the files it may write, shows what would
change, and keeps it only if you confirm. The exit code is the tool's own; 4 login needed, 124 timeout, 125 our
failure, 126 refused, 127 not found. Options of `run` come before the tool. `--line` runs a whole shell line in one
sandbox, with streaming output; if the sandbox makes it safe it runs without confirmation, and no option widens it.
`--pattern` runs the steps of an executable pattern; all of them are judged before the first one starts.
"""

from __future__ import annotations

from atip.cli.quick import REMAINDER
from atip.errors import (
    EXIT_FAILURE,
    EXIT_NOT_FOUND,
    EXIT_OUR_FAILURE,
    EXIT_REFUSED,
    AtipError,
    TrustError,
    UsageError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.result import Result
    from atip.execution.runner import ProgramCall, Runner
    from atip.model.permissions.confinement import Confinement
    from atip.toolbox import Preview

EFFECTS = {"subprocess": True}
EXAMPLES = (
    *("atip run git status", "atip run --dry-run --json git push", "atip run --yes make"),
    "atip run --line 'npm ci && npm test'",
    "atip run --pattern git.new-branch branch=topic",
)
LINE_ONLY = ("read_only", "unattended", "token")
MAX_INPUT = 64 * 1024 * 1024


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import positive, seconds

    parser.add_argument("--yes", action="store_true", help="confirm where nothing can be destroyed")
    parser.add_argument(
        "--dry-run", action="store_true", help="print argv, decision, confinement; run nothing"
    )
    parser.add_argument(
        "--preview", action="store_true", help="run on a copy of the files; show what would change"
    )
    parser.add_argument(
        "--keep", action="store_true", help="with --preview --json: ask on the terminal to keep it"
    )
    parser.add_argument(
        "--structured", action="store_true", help="ask the tool for JSON where it is known how"
    )
    parser.add_argument(
        "--line", action="store_true", help="TOOL is a whole shell line: all of it in one sandbox"
    )
    parser.add_argument(
        "--read-only", action="store_true", help="with --line: the workspace cannot be written"
    )
    parser.add_argument(
        "--unattended", action="store_true", help="with --line: refuse what needs confirmation"
    )
    parser.add_argument(
        "--token",
        default="",
        help="with --line: token of a test whether a client runs rewritten lines",
    )
    parser.add_argument(
        "--pattern", action="store_true", help="TOOL is TOOL.NAME, the rest key=value: its steps"
    )
    parser.add_argument("--policy", default=None, metavar="PRESET", help="preset for this run")
    parser.add_argument(
        "--timeout", type=seconds, default=None, metavar="S", help="seconds until killed"
    )
    parser.add_argument(
        "--max-bytes", type=positive, default=None, help="keep this much of each stream"
    )
    parser.add_argument("--stdin", action="store_true", help="hand standard input to the tool")
    parser.add_argument(
        "--raw", action="store_true", help="stream the output, redacted, not cleaned or cut"
    )
    parser.add_argument("tool", help="name on the PATH, or a path")
    parser.add_argument("words", nargs=REMAINDER, help="its arguments, passed unchanged")


def run(options: argparse.Namespace, ctx: Context) -> int:
    with as_run_errors():
        return _run(options, ctx)


class as_run_errors:
    """Gives errors the exit codes of a run."""

    def __enter__(self) -> None:
        """Nothing is set up."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, AtipError):
            error.exit_code = _exit_code(error)


def terminal_prompt(ctx: Context) -> ConsentPrompt:
    """Asks on the user's terminal, and stores an approval if the user wants that."""
    from atip.execution.consent import Question, ask_on_terminal

    def remember(question: Question) -> None:
        from atip.execution.approvals import Approvals

        Approvals(ctx.app.places.config).remember(
            question.binding, question.argv, question.cwd, destructive=question.destructive
        )

    return lambda question: ask_on_terminal(question, remember=remember)


def _exit_code(error: AtipError) -> int:
    if error.code == "tool.not-found":
        return EXIT_NOT_FOUND
    if isinstance(error, TrustError):
        return EXIT_REFUSED
    return EXIT_OUR_FAILURE if error.exit_code == EXIT_FAILURE else error.exit_code


def _run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.execution.call import CallOptions

    if options.line:
        from atip.cli.runs.line_run import run_line

        return run_line(options, ctx, terminal_prompt(ctx), _print_plan)
    if unsupported := [name for name in LINE_ONLY if getattr(options, name)]:
        raise UsageError("run.line-only", f"`--{unsupported[0].replace('_', '-')}` needs `--line`")
    if options.raw and (ctx.as_json or ctx.is_tty):
        raise UsageError(
            "run.raw", "`--raw` is for a pipe or a file: not for a terminal or `--json`"
        )
    bounds = CallOptions(
        stdin=_input(ctx) if options.stdin else None,
        timeout_s=options.timeout,
        max_bytes=options.max_bytes,
        assume_yes=options.yes,
        structured=options.structured,
    )
    if options.pattern:
        from atip.cli.runs.pattern_run import run_pattern

        return run_pattern(options, ctx, bounds, terminal_prompt(ctx), _print)
    call = ctx.app.make_call([options.tool, *options.words], bounds)
    if options.preview and not options.dry_run:
        return _preview(options, ctx, call)
    runner = ctx.app.make_runner(
        preset=options.policy,
        ask=terminal_prompt(ctx),
        on_output=_pass_on(ctx) if options.raw else None,
    )
    if options.dry_run:
        return _print_plan(ctx, call, runner)
    result = runner.run(call)
    if ctx.as_json:
        ctx.emit(result.to_json())
    elif not options.raw:
        _print(ctx, result)
    return result.exit_code


def _preview(options: argparse.Namespace, ctx: Context, call: ProgramCall) -> int:
    if options.raw:
        raise UsageError("run.raw", "`--raw` cannot be combined with `--preview`")
    prompt = terminal_prompt(ctx)
    with ctx.app.preview_call(call, preset=options.policy, ask=prompt) as preview:
        if ctx.as_json:
            if options.keep and preview.changes and _wants(preview):
                preview.keep()
            ctx.emit(preview.to_json())
            return preview.result.exit_code
        _print(ctx, preview.result)
        ctx.note(preview.render().rstrip("\n"))
        if preview.changes and _wants(preview, anyway=not options.keep):
            outcome = preview.keep()
            ctx.note(f"atip: kept {len(outcome.applied)} change(s)")
            for path, why in outcome.left_out:
                ctx.note(f"atip: left out {path}: {why}")
        else:
            ctx.note("atip: nothing was kept")
        return preview.result.exit_code


def _wants(preview: Preview, *, anyway: bool = False) -> bool:
    """Ask on the terminal whether to keep the changes.

    Args:
        anyway: without a terminal return False, instead of an error.
    """
    from atip.errors import NeedsConfirmation
    from atip.execution.consent import answer_on_terminal

    changes = preview.render()
    try:
        answer = answer_on_terminal(
            f"{changes}Type `yes` to keep these {len(preview.changes)} change(s), anything else to drop them: "
        )
    except NeedsConfirmation:
        if anyway:
            return False
        raise
    return answer == "yes"


def _input(ctx: Context) -> bytes:
    data: bytes = ctx.stdin.buffer.read(MAX_INPUT + 1)
    if len(data) > MAX_INPUT:
        raise UsageError("run.input", f"more than {MAX_INPUT:,} bytes of input")
    return data


def _pass_on(ctx: Context):  # type: ignore[no-untyped-def]
    def write(name: str, data: bytes) -> None:
        stream = ctx.out if name == "stdout" else ctx.err
        stream.buffer.write(data)
        stream.buffer.flush()

    return write


def _print(ctx: Context, result: Result) -> None:
    from atip.execution.output.result import clean_output

    ctx.out.write(clean_output(result.stdout))
    ctx.out.flush()
    ctx.err.write(clean_output(result.stderr))
    if result.timed_out:
        ctx.note(f"atip: stopped after {result.duration_s:.1f} s")
    for note in result.notes:
        ctx.note(f"atip: {clean_output(note)}")


def _env_names(confinement: Confinement) -> list[str]:
    return sorted({*confinement.env_pass, *(name for name, _ in confinement.env_set)})


def _print_plan(ctx: Context, call: ProgramCall, runner: Runner, **more: object) -> int:
    from atip.execution.consent import clean_line, shown_word
    from atip.execution.proposal import starts_in

    judgment, digest = runner.plan(call)
    confinement = judgment.confinement
    document = {
        "argv": list(call.argv),
        "program": call.program,
        "digest": digest,
        "cwd": call.cwd,
        "startsIn": starts_in(confinement, call.cwd),
        "decision": judgment.decision.to_json(),
        "confinement": confinement.to_json(),
        "env": _env_names(confinement),
        "audit": judgment.audit,
        **more,
    }
    if ctx.as_json:
        ctx.emit(document)
        return 0
    decision = judgment.decision
    ctx.print("argv         " + " ".join(shown_word(word) for word in call.argv))
    ctx.print(f"program      {clean_line(call.program)}  {digest}")
    ctx.print(f"decision     {decision.outcome}  ({clean_line(decision.rule)})")
    for reason in decision.reasons:
        ctx.print(f"             {clean_line(reason)}")
    ctx.print(f"variables    {' '.join(_env_names(confinement))}")
    for name, block in confinement.to_json().items():
        ctx.print(f"{name:<12} {clean_line(str(block))}")
    return 0
