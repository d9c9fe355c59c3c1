"""Serve all known tools to an MCP client through three fixed tools: find, describe, run.

Speaks MCP on standard input and output, or with `--http` as streamable HTTP on the loopback interface, where every
request needs a bearer token (`ATIP_MCP_TOKEN`, or one that is generated and printed once on standard error).
Your policy decides on calls, and they run in the sandbox; where confirmation is needed the client asks you, and the call
is refused where it cannot. `atip mcp config CLIENT` writes the client's entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.server.app import App

JSON = False
EFFECTS = {"subprocess": True, "interactive": {"stdin": "required", "prompts": False, "tty": False}}
EXAMPLES = (
    "atip mcp serve",
    "atip mcp serve --expose 'git status' --expose gh",
    "atip mcp serve --http --port 8765",
)


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import port, positive, seconds

    parser.add_argument(
        "--expose",
        action="append",
        default=[],
        metavar="TOOL",
        help="publish a tool, or one of its commands, as MCP tools of their own (repeatable)",
    )
    parser.add_argument("--policy", default=None, metavar="PRESET", help="preset for all runs")
    parser.add_argument(
        "--root", default=".", metavar="DIR", help="runs start here or below; default: here"
    )
    parser.add_argument(
        "--timeout", type=seconds, default=None, metavar="S", help="seconds until a run is killed"
    )
    parser.add_argument(
        "--max-bytes", type=positive, default=None, help="keep this much of each stream of a run"
    )
    parser.add_argument("--http", action="store_true", help="streamable HTTP instead of stdio")
    parser.add_argument("--host", default="127.0.0.1", help="loopback address; default 127.0.0.1")
    parser.add_argument("--port", type=port, default=0, help="default: any that is free")


def run(options: argparse.Namespace, ctx: Context) -> int:
    token, is_new = "", False
    if options.http:
        from atip.server.transport.access import choose_token, refuse_other_hosts

        refuse_other_hosts(options.host)
        token, is_new = choose_token()
    import os

    if not os.path.isdir(options.root):
        raise UsageError("mcp.root", f"`{options.root}` is not a directory")
    _check_extra()
    from atip.server.transport.handshake import Opening, answer_opening

    opening = Opening()
    if not options.http:
        opening = answer_opening(lambda: os.read(0, 65536), lambda data: os.write(1, data))
    app = _app(options, ctx)
    if app.exposed.withheld:
        names = ", ".join(function.line for function in app.exposed.withheld.values())
        ctx.note(f"atip: not published until you run `atip mcp approve`: {names}")
    with ctx.app.apis.keep_sessions():
        if options.http:
            from atip.server.transport.http import run_http

            return run_http(app, token, is_new=is_new, host=options.host, port=options.port)
        from atip.server.transport.stdio import run_stdio

        return run_stdio(app, opening)


def _check_extra() -> None:
    """Check that the required package is installed, before the server answers anything."""
    from importlib.util import find_spec

    for package in ("mcp", "mcp_types", "anyio"):
        if find_spec(package) is None:
            raise UsageError(
                "mcp.missing-extra",
                f"the server needs the package `{package}`",
                hint="install it: pip install 'atip-cli[mcp]'",
            )


def _app(options: argparse.Namespace, ctx: Context) -> App:
    import os

    from atip.server.app import App
    from atip.server.runs import DEFAULT_MAX_BYTES, Bounds

    bounds = Bounds(
        root=os.path.abspath(options.root),
        preset=options.policy,
        timeout_s=options.timeout,
        max_bytes=options.max_bytes or DEFAULT_MAX_BYTES,
    )
    return App(ctx.app, bounds, options.expose)
