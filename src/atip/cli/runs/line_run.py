"""`run --line`: a whole shell line in one sandbox, with streaming output. No option widens the confinement."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # without enumerations, which cost 2 ms
import os

from atip.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from types import FrameType

    from atip.cli.context import Context
    from atip.cli.runs.line_background import BackgroundLine
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.result import Result
    from atip.execution.runner import ProgramCall, Runner

_OPTIONS = (
    *("yes", "preview", "keep", "structured", "policy", "stdin", "raw", "timeout", "max_bytes"),
    "words",
)


def run_line(
    options: argparse.Namespace,
    ctx: Context,
    ask: ConsentPrompt,
    show_plan: Callable[[Context, ProgramCall, Runner], int],
) -> int:
    """Judge the line again, run it confined, and return its exit code."""
    if unsupported := [name for name in _OPTIONS if getattr(options, name)]:
        raise UsageError(
            "run.line-options",
            f"`--line` takes one quoted line and no `{unsupported[0].replace('_', '-')}`",
            hint="the policy decides what a line may do",
        )
    has_terminal = os.isatty(0) and os.isatty(1)
    background = None if has_terminal or options.dry_run else _background(ctx, options.tool)
    runner, call = ctx.app.line_runner(
        options.tool,
        stdin_fd=_input(),
        # SECURITY: the line gets a terminal of its own; the user's is only read here, and what is typed goes inside
        keyboard=0 if has_terminal else -1,
        # SECURITY: an agent can type at a terminal that its client made, so it is not used for confirmation
        ask=None if options.unattended else ask,
        on_output=background.pass_on if background else _pass_on(ctx),
        read_only=options.read_only,
        mark=background.mark if background else "",
    )
    if options.dry_run:
        return show_plan(ctx, call, runner)
    if options.token:
        ctx.app.rewrites.accept(options.token)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)  # what the line may not leave behind is undone before we go
    if background:
        background.watch(runner.cancel)
    result = runner.run(call)
    if not (background and background.is_over):
        _tell(ctx, result)
    return result.exit_code


def _background(ctx: Context, line: str) -> BackgroundLine | None:
    """For a line with background jobs: keeps them until the client ends; None: no jobs, or no known client."""
    if "&" not in line:
        return None
    from atip.calls.shell.jobs import leaves_jobs
    from atip.cli.runs.line_background import BackgroundLine
    from atip.system.programs.callers import find_caller

    caller = find_caller() if leaves_jobs(line) else None
    return BackgroundLine(caller, _pass_on(ctx)) if caller is not None else None


def _input() -> int:
    """Standard input of the line; never the user's terminal."""
    try:
        return -1 if os.isatty(0) else os.dup(0)
    except OSError:
        return -1


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _pass_on(ctx: Context):  # type: ignore[no-untyped-def]
    def write(name: str, data: bytes) -> None:
        stream = ctx.out if name == "stdout" else ctx.err
        stream.buffer.write(data)
        stream.buffer.flush()

    return write


def _tell(ctx: Context, result: Result) -> None:
    """Print what the sandbox stopped, and the command that grants it."""
    from atip.execution.consent import clean_line

    for note in (
        *result.notes,
        *(backend_note for backend_note in result.backend_notes if "set aside" in backend_note),
    ):
        ctx.note(f"atip: {clean_line(note)}")
    needs = result.needs
    for need in needs:
        command = clean_line(need.command)
        how = f"`{command}` grants it" if command else "the system is read-only for every line"
        ctx.note(f"atip: the sandbox stopped `{clean_line(need.text)}`; {how}")
    if result.exit_code and not needs:
        ctx.note(
            "atip: the line ran confined (hosts that policy grants, an empty home, writes in the workspace only); "
            "`atip policy allow --host|--connect|--write` allows more"
        )
