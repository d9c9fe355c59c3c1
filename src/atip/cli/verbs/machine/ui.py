"""Pages about this machine in your browser: tools, explain with the policies in force, log, approvals, bundles.

Served on loopback only. The address contains a one-time token that sets a session cookie; requests without the cookie
get 401. Pages read; revoking an approval asks for confirmation. `--export` writes a report instead, with known kinds
of secrets hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.pages.machine.pages import MachinePages

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": True,
    "subprocess": True,
    "destructive": False,
}
EXAMPLES = ("atip ui", "atip ui --port 8600 --no-open", "atip ui --export report")


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import port

    parser.add_argument("--port", type=port, default=0, help="port on loopback (a free one)")
    parser.add_argument("--no-open", action="store_true", help="only print the address")
    parser.add_argument("--export", default="", metavar="DIR", help="write a report and exit")


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os

    from atip.cli.groups.machine import LocalMachine
    from atip.pages.machine.pages import MachinePages

    pages = MachinePages(LocalMachine(ctx, os.getcwd()))
    if options.export:
        return _export(ctx, pages, options.export)
    return _serve(ctx, pages, options)


def _export(ctx: Context, pages: MachinePages, folder: str) -> int:
    import os

    from atip.cli.output import clean, count
    from atip.system.files import make_private, write_atomic

    files = pages.export()
    for path, data in sorted(files.items()):
        target = os.path.join(folder, path)
        make_private(os.path.dirname(target))
        write_atomic(target, data, durable=False)
    if ctx.as_json:
        ctx.emit({"folder": folder, "files": sorted(files)})
    else:
        ctx.print(f"{clean(folder)}: {count(len(files), 'file')}; open index.html")
    return 0


def _serve(ctx: Context, pages: MachinePages, options: argparse.Namespace) -> int:
    import signal

    from atip.pages.rendering import POLICY
    from atip.system.network.page_server import PageServer

    server = PageServer(pages.answer, policy=POLICY, port=options.port)
    address = f"{server.url}/?token={server.token}"
    if ctx.as_json:
        ctx.emit({"url": address, "port": server.port})
    else:
        ctx.print(address)
    ctx.out.flush()
    if not options.no_open and ctx.is_tty:
        import webbrowser

        webbrowser.open(address)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        server.run()
    except KeyboardInterrupt:
        return 0
    return 0
