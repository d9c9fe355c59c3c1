"""Print the entry that makes an MCP client start the server; with `--write`, write it to the client's file.

CLIENT is claude-code, claude-desktop, codex, gemini-cli, cursor, vscode or opencode. Other entries, comments and spacing of the
file stay as they are; a copy of the old file is kept beside it; a damaged file is refused, and so is an entry whose server
does not start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"filesystem": {"read": True, "write": True, "delete": False}, "network": False}
EXAMPLES = (
    "atip mcp config claude-code",
    "atip mcp config codex --write",
    "atip mcp config vscode --project --write --expose 'git status'",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", metavar="CLIENT", help="the MCP client")
    parser.add_argument("--write", action="store_true", help="write it to the client's file")
    parser.add_argument(
        "--project", action="store_true", help="use the file of the current project, not the user's"
    )
    parser.add_argument("--name", default="atip", help="name of the entry; default atip")
    parser.add_argument(
        "--command", default="", metavar="PATH", help="program to start; default: this one"
    )
    parser.add_argument(
        "--expose", action="append", default=[], metavar="TOOL", help="passed on to `mcp serve`"
    )
    parser.add_argument("--policy", default="", metavar="PRESET", help="passed on to `mcp serve`")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os
    import sys

    from atip.server.configuration import clients
    from atip.server.configuration.self_test import check_starts
    from atip.system.programs.own_program import own_program

    client = clients.find_client(options.client)
    args = ["mcp", "serve"]
    for target in options.expose:
        args += ["--expose", target]
    args += ["--policy", options.policy] if options.policy else []
    program = options.command or own_program()
    entry = clients.entry_of(client, program, args)
    path = clients.place_of(
        client,
        home=ctx.app.places.home,
        cwd=os.getcwd(),
        project=options.project,
        apple=sys.platform == "darwin",
    )
    if not options.write:
        return _print(options, ctx, path, clients.fragment(client, entry, options.name), entry)
    change = clients.plan_change(client, path, entry, options.name)
    if change.changes:
        check_starts(program, args)
    backup = clients.write_change(change)
    if ctx.as_json:
        ctx.emit(
            {
                "client": client.name,
                "path": path,
                "entry": entry,
                "written": change.changes,
                "backup": backup,
            }
        )
        return 0
    ctx.print(f"{path}: {'written' if change.changes else 'already up to date'}")
    if backup:
        ctx.note(f"the old file is kept as {backup}")
    if change.changes:
        ctx.note(f"restart {client.title} to use it")
    return 0


def _print(
    options: argparse.Namespace, ctx: Context, path: str, text: str, entry: dict[str, object]
) -> int:
    if ctx.as_json:
        ctx.emit({"client": options.client, "path": path, "entry": entry, "written": False})
        return 0
    ctx.out.write(text if text.endswith("\n") else text + "\n")
    ctx.note(f"belongs in {path}; `--write` writes it there")
    return 0
