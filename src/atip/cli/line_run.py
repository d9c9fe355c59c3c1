"""`run --line`: a whole shell line in one sandbox, its streams passed on as they come. No option widens it."""

from __future__ import annotations

import os
import signal

from atip.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from types import FrameType

    from atip.cli.context import Context
    from atip.execution.consent import Asker
    from atip.execution.result import Result
    from atip.execution.runner import ProgramCall, Runner

_OPTIONS = (
    *("yes", "preview", "keep", "structured", "policy", "stdin", "raw", "timeout", "max_bytes"),
    "words",
)


def run_line(
    options: argparse.Namespace,
    ctx: Context,
    ask: Asker,
    show_plan: Callable[[Context, ProgramCall, Runner], int],
) -> int:
    """Judge the line again, run it confined, end as it ended."""
    if given := [name for name in _OPTIONS if getattr(options, name)]:
        raise UsageError(
            "run.line-options",
            f"`--line` takes one quoted line and no `{given[0].replace('_', '-')}`",
            hint="what a line may do is in the policy",
        )
    runner, call = ctx.app.line_runner(
        options.tool,
        stdin_fd=_input(),
        # SECURITY: an agent can type at a terminal that its client made, so it is not where a person is asked
        ask=None if options.unattended else ask,
        on_output=_pass_on(ctx),
        read_only=options.read_only,
    )
    if options.dry_run:
        return show_plan(ctx, call, runner)
    if options.token:
        ctx.app.rewrites.accept(options.token)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)  # what the line may not leave behind is undone before we go
    result = runner.run(call)
    _tell(ctx, result)
    return result.exit_code


def _input() -> int:
    """Standard input as it is; a terminal is nobody's to type at from inside."""
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
    """What the sandbox stopped, and what would grant it."""
    from atip.execution.consent import clean_line

    for note in (*result.notes, *(each for each in result.backend_notes if "set aside" in each)):
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
