"""Set this machine up for your coding agents: scan it, install the guard and the MCP server, write the note for agents.

Shows what it would change and asks once. Without CLIENT every coding agent found here is set up: claude-code, codex,
gemini-cli, cursor, copilot, opencode, kimi. A copy of each changed file is kept. `--remove` undoes everything:
files that are unchanged since are restored byte for byte, from others only our entries are removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from atip.cli.context import Context
    from atip.cli.first_setup.steps import SetupStep
    from atip.cli.guard.installation.installing import GuardChange, Scope

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": True},
    "network": False,
    "subprocess": True,
}
EXAMPLES = ("atip init --dry-run", "atip init", "atip init claude-code --yes", "atip init --remove")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "client", metavar="CLIENT", nargs="*", help="which agents; default: all found here"
    )
    parser.add_argument(
        "--project",
        action="store_true",
        help="use the files of the current project, not the user's",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would change, change nothing"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--no-scan", action="store_true", help="leave the scan out")
    parser.add_argument("--remove", action="store_true", help="undo an earlier init")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.cli.guard.installation.installing import Scope

    scope = Scope(home=ctx.app.places.home, cwd=os.getcwd(), project=options.project)
    if options.remove:
        return _remove(options, ctx, scope)
    steps = _steps(options, ctx, scope)
    planned = _plan(steps, scope)
    if options.dry_run:
        return _show(ctx, steps, planned)
    _check_server(steps)
    _agree(options, ctx, steps, planned)
    paths = _apply(ctx, steps, scope)
    scanned = False if options.no_scan else _scan(ctx)
    if ctx.as_json:
        ctx.emit({"steps": [step.title for step in steps], "written": paths, "scanned": scanned})
        return 0
    for path in paths:
        ctx.print(f"written: {path}")
    _next_steps(ctx, steps)
    return 0


def _steps(options: argparse.Namespace, ctx: Context, scope: Scope) -> list[SetupStep]:
    """Return the steps for the requested or installed clients.

    Raises:
        NotFoundError: `guard.unknown-client`, `init.no-client`.
    """
    import os

    from atip.cli.first_setup.clients import find_installed
    from atip.cli.first_setup.steps import steps_for
    from atip.cli.guard.installation.clients import CLIENTS, find_client
    from atip.errors import NotFoundError

    names = [find_client(name).name for name in options.client]
    names = names or [
        client.name for client in find_installed(scope.home, os.environ.get("PATH", ""))
    ]
    if not names:
        raise NotFoundError(
            "init.no-client",
            "no coding agent was found on this machine",
            hint="name one: atip init "
            + "|".join(CLIENTS)
            + "; `atip scan` works without a client",
        )
    return steps_for(names, has_project=os.path.exists(os.path.join(scope.cwd, ".git")))


def _plan(steps: Sequence[SetupStep], scope: Scope) -> list[list[GuardChange]]:
    from atip.cli.first_setup.steps import plan_step
    from atip.system.programs.own_program import own_program

    return [plan_step(step, scope, own_program()) for step in steps]


def _check_server(steps: Sequence[SetupStep]) -> None:
    """Test that the MCP server starts, before asking for confirmation.

    Raises:
        UsageError: `mcp.entry-does-not-start`.
    """
    from atip.server.configuration.self_test import check_starts
    from atip.system.programs.own_program import own_program

    if any(step.kind == "mcp" for step in steps):
        check_starts(own_program(), ["mcp", "serve"])


def _show(ctx: Context, steps: Sequence[SetupStep], planned: Sequence[list[GuardChange]]) -> int:
    if ctx.as_json:
        changes = [
            {
                "step": step.title,
                "path": change.path,
                "before": change.before,
                "after": change.after,
            }
            for step, changes_of_step in zip(steps, planned, strict=True)
            for change in changes_of_step
        ]
        ctx.emit({"changes": changes})
        return 0
    for line in _lines(steps, planned):
        ctx.print(line)
    ctx.note("nothing was changed; `atip init` asks before it writes")
    return 0


def _lines(steps: Sequence[SetupStep], planned: Sequence[list[GuardChange]]) -> list[str]:
    lines = []
    for step, changes in zip(steps, planned, strict=True):
        lines.append(step.title)
        for change in changes:
            word = (
                "no change"
                if change.before == change.after
                else "new"
                if change.before is None
                else "changed"
            )
            lines.append(f"  {change.path} ({word})")
    return lines


def _agree(
    options: argparse.Namespace,
    ctx: Context,
    steps: Sequence[SetupStep],
    planned: Sequence[list[GuardChange]],
) -> None:
    """Show the changes and ask for confirmation.

    Raises:
        NeedsConfirmation: `consent.no-terminal`, `init.refused`.
    """
    from atip.errors import NeedsConfirmation

    if options.yes or all(
        change.before == change.after for changes in planned for change in changes
    ):
        return
    for line in _lines(steps, planned):
        ctx.note(line)
    if not ctx.confirm("Make these changes?"):
        raise NeedsConfirmation("init.refused", "nothing was changed")


def _apply(ctx: Context, steps: Sequence[SetupStep], scope: Scope) -> list[str]:
    """Apply the steps in order; records the changes of each before the next one begins."""
    from atip.cli.first_setup.record import SetupRecord, add_setup, load_record, save_record
    from atip.cli.first_setup.steps import plan_step
    from atip.cli.guard.installation.installing import write_changes
    from atip.system.programs.own_program import own_program

    folder = ctx.app.places.data
    record = load_record(folder) or SetupRecord(
        cwd=scope.cwd, project=scope.project, steps=(), files=(), backups=()
    )
    paths: list[str] = []
    for step in steps:
        changes = plan_step(step, scope, own_program())
        backups = write_changes(changes)
        record = add_setup(record, [step], changes, backups)
        save_record(folder, record)
        paths += [change.path for change in changes if change.before != change.after]
    return list(dict.fromkeys(paths))


def _scan(ctx: Context) -> bool:
    from atip.cli.rendering.progress import ProgressLine
    from atip.discovery.scan import ScanOptions

    progress = ProgressLine(ctx)
    try:
        ctx.app.scan(ScanOptions(), progress=progress)
        ctx.app.build_search_index(progress)
    finally:
        progress.close()
    return True


def _next_steps(ctx: Context, steps: Sequence[SetupStep]) -> None:
    from atip.cli.output import table, width_of

    titles = dict.fromkeys(step.title.split(":")[0] for step in steps if step.client)
    ctx.print(f"\nrestart {', '.join(titles)}, then try:")
    rows = (
        ("atip explain 'rm -rf build'", "what would this line do?"),
        ("atip search compress a folder", "find a command by intent"),
        ("atip guard log", "what was allowed, asked, denied"),
    )
    for line in table(rows, width=width_of(ctx), wrapped=True):
        ctx.print(line)


def _remove(options: argparse.Namespace, ctx: Context, scope: Scope) -> int:
    """Undo the setup.

    Raises:
        NotFoundError: `init.not-set-up`.
        NeedsConfirmation: `consent.no-terminal`.
    """
    from atip.cli.first_setup.record import load_record
    from atip.cli.first_setup.removal import remove_setup
    from atip.errors import NeedsConfirmation, NotFoundError

    record = load_record(ctx.app.places.data)
    if record is None:
        raise NotFoundError(
            "init.not-set-up",
            "no setup by `atip init` is recorded",
            hint="`atip guard uninstall CLIENT` removes a single hook",
        )
    paths = [path.path for path in record.files]
    if options.dry_run:
        if ctx.as_json:
            ctx.emit({"files": paths})
        for path in () if ctx.as_json else paths:
            ctx.print(path)
        return 0
    if not options.yes:
        for path in paths:
            ctx.note(path)
        if not ctx.confirm("Undo what the setup changed in these files?"):
            raise NeedsConfirmation("init.refused", "nothing was changed")
    restored, edited = remove_setup(ctx.app.places.data, record, scope.home)
    if ctx.as_json:
        ctx.emit({"restored": restored, "edited": edited})
        return 0
    for path in restored:
        ctx.print(f"restored: {path}")
    for path in edited:
        ctx.print(f"changed since the setup, removed only our entries: {path}")
    return 0
