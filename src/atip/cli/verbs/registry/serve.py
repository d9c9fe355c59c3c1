"""Serve a registry to this machine, for development: static files on loopback, with the headers of a real host.

DIR is a published tree. Prints the address on standard output and requests on standard error, until interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

JSON = False
EFFECTS = {"filesystem": {"read": True, "write": False, "delete": False}, "network": True}
EXAMPLES = (
    "atip registry serve registry/public",
    "atip registry serve registry/public --port 8080 --token-env TOKEN",
)


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import port

    parser.add_argument("folder", metavar="DIR", help="published tree")
    parser.add_argument("--port", type=port, default=0, help="port on loopback (a free one)")
    parser.add_argument(
        "--token-env", default="", metavar="VARIABLE", help="require the token in this variable"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    import os
    import signal

    from atip.cli.output import clean
    from atip.errors import UsageError
    from atip.registry.publish.files.delivery import headers_for
    from atip.system.network.static_server import StaticServer

    token = os.environ.get(options.token_env, "") if options.token_env else ""
    if options.token_env and not token:
        raise UsageError("serve.no-token", f"{options.token_env} is empty or not set", hint=f"export {options.token_env}=…")  # fmt: skip

    def log(method: str, path: str, status: int) -> None:
        ctx.note(f"{status} {method} {clean(path)}")

    server = StaticServer(options.folder, headers_for, port=options.port, token=token, log=log)
    ctx.print(server.url)
    ctx.out.flush()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        server.run()
    except KeyboardInterrupt:
        return 0
    return 0
