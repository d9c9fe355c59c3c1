"""Log in to a bundle's service by its own login command, confined; or store the credentials that it names.

The exit code is 0 when you are logged in afterwards. `--check` changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import EXIT_AUTH_REQUIRED

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "network": True,
    "subprocess": True,
    "filesystem": {"read": True, "write": True, "delete": False},
    "interactive": {"stdin": "optional", "prompts": True, "tty": False},
}
EXAMPLES = ("atip bundle login demo", "atip bundle login demo --check --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="BUNDLE", help="folder or id")
    parser.add_argument(
        "--check", action="store_true", help="only check; exit code 4 when not logged in"
    )
    parser.add_argument("--web", action="store_true", help="ask on a local web page")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.bundles.governance import changed_documents, refuse_unreviewed
    from atip.bundles.state import get_installed
    from atip.cli.groups.bundle_surface import make_host

    host = make_host(ctx, web=options.web and not options.check)
    bundle = host.load(options.bundle)
    installed = get_installed(host.store, bundle)
    refuse_unreviewed(bundle.key, changed_documents(bundle, installed))
    login = host.login(bundle, installed)
    if not login.needs_login:
        state = "none"
    elif options.check:
        login.check()
        state = login.reported
    else:
        try:
            login.login()
        finally:
            host.surface.close()
        state = login.reported
    if ctx.as_json:
        ctx.emit({"bundle": bundle.key, "auth": state})
    else:
        ctx.print(f"{bundle.key}: {'needs no login' if state == 'none' else state}")
    return 0 if state in ("none", "authed") else EXIT_AUTH_REQUIRED
