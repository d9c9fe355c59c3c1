"""Add the hook to the settings of a coding agent, so that every shell line is judged before it runs.

CLIENT is claude-code, codex, gemini-cli, cursor, copilot, opencode or kimi. Other entries, comments and order of the file stay
unchanged; a copy of the old file is kept beside it; a damaged file is refused. The installed command stops the agent's
line where the guard is missing, killed, slow or broken, and writes each decision into the audit (`atip guard log`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.cli.guard.installation.installing import GuardChange, Scope

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": False,
    "subprocess": True,
}
EXAMPLES = (
    "atip guard install claude-code",
    "atip guard install codex --dry-run",
    "atip guard install cursor --project",
    "atip guard install claude-code --without Read --without mcp",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", metavar="CLIENT", help="the coding agent")
    parser.add_argument("--user", action="store_true", help="for every project; the default")
    parser.add_argument(
        "--project", action="store_true", help="use the file of the current project, not the user's"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the change, write nothing")
    parser.add_argument(
        "--without", action="append", default=[], metavar="TOOL",
        help="do not judge this tool of the client (`Read`, `mcp`); the shell is always judged",
    )  # fmt: skip
    parser.add_argument(
        "--command", default="", metavar="PATH", help="program to call; default: this one"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    import shutil

    from atip.cli.guard.installation.clients import find_client, without_tools
    from atip.cli.guard.installation.installing import (
        file_of,
        hooks_of,
        plan_install,
        write_changes,
    )
    from atip.cli.guard.installation.self_test import is_tested, test_hook
    from atip.system.programs.own_program import own_program

    client = without_tools(find_client(options.client), options.without)
    scope = scope_of(options, ctx)
    program = options.command or own_program()
    changes = plan_install(client, scope, program=program, limiter=shutil.which("timeout") or "")
    if options.dry_run:
        return show_changes(ctx, client.name, changes)
    backups = write_changes(changes)
    path = file_of(client, scope)
    tests = [test_hook(client, event, hook, scope.cwd) for event, hook in hooks_of(client, path)
             if is_tested(event)]  # fmt: skip
    works = bool(tests) and all(test.works for test in tests)
    changed = [change.path for change in changes if change.before != change.after]
    if ctx.as_json:
        ctx.emit({"client": client.name, "path": path, "written": changed, "backups": backups, "works": works})  # fmt: skip
        return 0 if works else 1
    for change in changes:
        ctx.print(f"{change.path}: {'written' if change.path in changed else 'already up to date'}")
    for backup in backups:
        ctx.note(f"the old file is kept as {backup}")
    for test in tests:
        if not test.works:
            ctx.note(f"the hook does not work: {test.says}")
    if changed:
        ctx.note(f"restart {client.title} to use it; `atip guard status` tests it")
    return 0 if works else 1


def scope_of(options: argparse.Namespace, ctx: Context) -> Scope:
    """Return the scope from `--user` and `--project`.

    Raises:
        UsageError: `cli.usage` for both scopes at once.
    """
    import os

    from atip.cli.guard.installation.installing import Scope
    from atip.errors import UsageError

    if options.user and options.project:
        raise UsageError("cli.usage", "`--user` and `--project` exclude each other")
    return Scope(home=ctx.app.places.home, cwd=os.getcwd(), project=options.project)


def show_changes(ctx: Context, client: str, changes: list[GuardChange]) -> int:
    """Print the changes as a unified difference."""
    import difflib

    if ctx.as_json:
        documents = [{"path": c.path, "before": c.before, "after": c.after} for c in changes]
        ctx.emit({"client": client, "changes": documents})
        return 0
    for change in changes:
        old = (change.before or "").splitlines(keepends=True)
        new = (change.after or "").splitlines(keepends=True)
        for line in difflib.unified_diff(old, new, change.path, change.path):
            ctx.out.write(line if line.endswith("\n") else line + "\n")
    if all(change.before == change.after for change in changes):
        ctx.note("nothing would change")
    return 0
