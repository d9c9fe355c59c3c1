"""Show which coding agents call the hook: whether it is installed, works, and when it was last called.

Each hook is called as its client would, with a read-only line and with one that is always denied; neither runs.
Exit code 1 if an installed hook does not work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True, "write": False, "delete": False},
    "network": False,
    "subprocess": True,
}
EXAMPLES = ("atip guard status", "atip guard status codex --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", nargs="?", metavar="CLIENT", help="only this one")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.guard.installation.clients import CLIENTS, find_client
    from atip.cli.guard.switch import off_until

    clients = [find_client(options.client)] if options.client else list(CLIENTS.values())
    rows = [row for client in clients for row in _rows(ctx, client)]
    until = off_until(ctx.app.places.config)
    if ctx.as_json:
        ctx.emit({"clients": rows, "offUntil": until or None})
    else:
        _show(ctx, rows, until)
    return 1 if any(row["installed"] and not row["works"] for row in rows) else 0


def _rows(ctx: Context, client: Any) -> list[dict[str, Any]]:
    """One row per scope in which the hook is installed, or one row with `not installed`."""
    import os

    from atip.cli.guard.decisions import last_call
    from atip.cli.guard.installation.installing import Scope, file_of, hooks_of
    from atip.cli.guard.installation.self_test import is_tested, test_hook
    from atip.errors import AtipError

    rows: list[dict[str, Any]] = []
    called = last_call(ctx.app.audit, client.name)
    for scope in ("user", "project") if client.project else ("user",):
        where = Scope(home=ctx.app.places.home, cwd=os.getcwd(), project=scope == "project")
        path = file_of(client, where)
        if any(path == row["path"] for row in rows):
            continue  # the home itself is the project
        row = {"client": client.name, "scope": scope, "path": path, "lastCall": called}
        try:
            hooks = hooks_of(client, path)
        except AtipError as error:
            rows.append({**row, "installed": True, "works": False, "says": error.message})
            continue
        deciding = [(e, hook) for e, hook in hooks if is_tested(e)]
        if deciding:
            tests = [test_hook(client, event, hook, where.cwd) for event, hook in deciding]
            works = all(test.works for test in tests)
            says = next((test.says for test in tests if not test.works), tests[0].says)
            rows.append({**row, "installed": True, "works": works, "says": says})
    none = {"client": client.name, "scope": "", "path": "", "lastCall": called}
    return rows or [{**none, "installed": False, "works": False, "says": "not installed"}]


def _show(ctx: Context, rows: list[dict[str, Any]], until: float) -> None:
    from atip.cli.output import table, width_of
    from atip.system.clock import iso

    lines = []
    for row in rows:
        called = f"last called {iso(row['lastCall'])}" if row["lastCall"] else "never called"
        tail = f"  {called}  {row['path']}" if row["installed"] else ""
        scope = f" ({row['scope']})" if row["scope"] else ""
        lines.append((f"{row['client']}{scope}", f"{row['says']}{tail}"))
    for line in table(lines, indent="", width=width_of(ctx), wrapped=True):
        ctx.print(line)
    if until:
        ctx.note(f"the guard is switched off until {iso(until)}; `atip guard on` switches it on")
