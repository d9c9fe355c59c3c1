"""Remove the hook from the settings of a coding agent. Confirmed on the terminal: an agent must not remove its own guard.

Other entries, comments and order of the file stay unchanged; a copy of the old file is kept beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": False,
    "interactive": {"stdin": "none", "prompts": True, "tty": True},
}
EXAMPLES = ("atip guard uninstall codex", "atip guard uninstall claude-code --dry-run")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", metavar="CLIENT", help="the coding agent")
    parser.add_argument("--user", action="store_true", help="for every project; the default")
    parser.add_argument(
        "--project", action="store_true", help="use the file of the current project, not the user's"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the change, write nothing")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.guard.installation.clients import find_client
    from atip.cli.guard.installation.installing import plan_uninstall, write_changes
    from atip.cli.verbs.guard.install import scope_of, show_changes

    client = find_client(options.client)
    changes = plan_uninstall(client, scope_of(options, ctx))
    changes = [change for change in changes if change.before != change.after]
    if options.dry_run:
        return show_changes(ctx, client.name, changes)
    if changes and not ctx.confirm(f"Stop judging what {client.title} runs?"):
        ctx.note("nothing was changed")
        return 1
    backups = write_changes(changes)
    if ctx.as_json:
        ctx.emit({"client": client.name, "written": [c.path for c in changes], "backups": backups})
        return 0
    for change in changes:
        ctx.print(f"{change.path}: hook removed")
    for backup in backups:
        ctx.note(f"the old file is kept as {backup}")
    if not changes:
        ctx.print(f"the hook is not installed in {client.title}")
    return 0
