"""Run a tool under policy and sandbox; its output comes back redacted, cleaned and bounded.

Policy decides on the parsed command. What it asks for is put to you on your terminal; `--yes` answers
only where nothing can be destroyed. The exit code is the tool's own; 124 time-out, 125 our failure,
126 refused, 127 not found. Options of `run` come before the tool.
"""

from __future__ import annotations

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
    from atip.execution.result import Result
    from atip.execution.runner import Call, Runner

EFFECTS = {"subprocess": True}
EXAMPLES = ("atip run git status", "atip run --dry-run --json git push", "atip run --yes make")
MAX_INPUT = 64 * 1024 * 1024


def configure(parser: argparse.ArgumentParser) -> None:
    import argparse as library

    parser.add_argument(
        "--yes", action="store_true", help="answer yes where nothing can be destroyed"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print argv, decision, confinement; run nothing"
    )
    parser.add_argument("--policy", default=None, metavar="PRESET", help="preset for this run")
    parser.add_argument(
        "--timeout", type=float, default=None, metavar="S", help="seconds until killed"
    )
    parser.add_argument("--max-bytes", type=int, default=None, help="keep this much of each stream")
    parser.add_argument("--stdin", action="store_true", help="hand standard input to the tool")
    parser.add_argument(
        "--raw",
        action="store_true",
        help="pass output on as it comes, redacted, not cleaned or cut",
    )
    parser.add_argument("tool", help="name on the PATH, or a path")
    parser.add_argument("words", nargs=library.REMAINDER, help="its arguments, passed as they are")


def run(options: argparse.Namespace, ctx: Context) -> int:
    try:
        return _run(options, ctx)
    except AtipError as error:
        error.exit_code = _exit_code(error)
        raise


def _exit_code(error: AtipError) -> int:
    if error.code == "tool.not-found":
        return EXIT_NOT_FOUND
    if isinstance(error, TrustError):
        return EXIT_REFUSED
    return EXIT_OUR_FAILURE if error.exit_code == EXIT_FAILURE else error.exit_code


def _run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.execution.consent import ask_on_terminal
    from atip.execution.result import DEFAULT_MAX_BYTES
    from atip.running import make_call, make_runner

    if options.raw and (ctx.as_json or ctx.is_tty):
        raise UsageError(
            "run.raw", "`--raw` is for a pipe or a file: not for a terminal or `--json`"
        )
    call = make_call(
        ctx.app,
        [options.tool, *options.words],
        stdin=_input(ctx) if options.stdin else None,
        timeout_s=options.timeout,
        max_bytes=options.max_bytes or DEFAULT_MAX_BYTES,
        assume_yes=options.yes,
    )
    runner = make_runner(
        ctx.app,
        preset=options.policy,
        ask=ask_on_terminal,
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
    from atip.execution.result import clean_output

    ctx.out.write(clean_output(result.stdout))
    ctx.out.flush()
    ctx.err.write(clean_output(result.stderr))
    if result.timed_out:
        ctx.note(f"atip: stopped after {result.duration_s:.1f} s")
    for note in result.notes:
        ctx.note(f"atip: {clean_output(note)}")


def _print_plan(ctx: Context, call: Call, runner: Runner, **more: object) -> int:
    from atip.execution.consent import clean_line, shown_word

    judgement, digest = runner.plan(call)
    confinement = judgement.confinement
    document = {
        "argv": list(call.argv),
        "program": call.program,
        "digest": digest,
        "cwd": call.cwd,
        "decision": judgement.decision.to_json(),
        "confinement": confinement.to_json(),
        "env": sorted({*confinement.env_pass, *(name for name, _ in confinement.env_set)}),
        "audit": judgement.audit,
        **more,
    }
    if ctx.as_json:
        ctx.emit(document)
        return 0
    decision = judgement.decision
    ctx.print("argv         " + " ".join(shown_word(word) for word in call.argv))
    ctx.print(f"program      {clean_line(call.program)}  {digest}")
    ctx.print(f"decision     {decision.outcome}  ({clean_line(decision.rule)})")
    for reason in decision.reasons:
        ctx.print(f"             {clean_line(reason)}")
    for name, block in confinement.to_json().items():
        ctx.print(f"{name:<12} {clean_line(str(block))}")
    return 0
