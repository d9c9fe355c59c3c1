"""Set a bundle up: run its pending steps, each once. After an interruption it resumes where it stopped.

Questions come on your terminal, with `--web` on a page of this machine, or are answered beforehand with `--answer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from atip.bundles.documents.bundle import Bundle
    from atip.cli.context import Context
    from atip.codecs.climd.manifest import BundleStep

EFFECTS = {
    "network": True,
    "subprocess": True,
    "filesystem": {"read": True, "write": True, "delete": False},
    "interactive": {"stdin": "optional", "prompts": True, "tty": False},
}
EXAMPLES = ("atip bundle setup demo", "atip bundle setup demo --answer gateway-url=wss://x --yes")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="BUNDLE", help="folder or id")
    parser.add_argument("--web", action="store_true", help="ask on a local web page")
    parser.add_argument("--yes", action="store_true", help="confirm the commands of the steps")
    parser.add_argument(
        "--answer", action="append", default=[], metavar="ID=VALUE", help="answer beforehand"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.bundles.governance import changed_documents, refuse_unreviewed
    from atip.bundles.state import get_installed
    from atip.cli.groups.bundle_surface import make_host

    answers = dict(_split(word) for word in options.answer)
    host = make_host(ctx, web=options.web)
    bundle = host.load(options.bundle)
    installed = get_installed(host.store, bundle)
    refuse_unreviewed(bundle.key, changed_documents(bundle, installed))
    setup = host.setup(bundle, installed, answers=answers)
    pending = setup.pending()
    steps: list[str] = []
    if pending:
        _confirm(ctx, bundle, pending, yes=options.yes or not host.surface.can_ask)
        try:
            steps = setup.run()
        finally:
            host.surface.close()
    status = host.status(bundle)
    if ctx.as_json:
        ctx.emit({"done": steps, **status.to_json()})
    else:
        ctx.print(f"{bundle.key}: {len(steps)} steps done; next: {status.phase}")
    return 0


def _confirm(ctx: Context, bundle: Bundle, pending: list[BundleStep], *, yes: bool) -> None:
    """Show what the steps will run, before the first of them runs."""
    from atip.cli.output import clean
    from atip.errors import Denied

    ctx.note(f"steps of {bundle.key}:")
    for step in pending:
        what = step.cmd or step.prompt or step.url or step.secret_slug
        ctx.note(f"  {clean(step.id)} ({step.kind}): {clean(what)}")
    if not yes and not ctx.confirm("Go on?"):
        raise Denied("bundle.not-confirmed", "not confirmed; nothing was run")


def _split(word: str) -> tuple[str, str]:
    name, mark, value = word.partition("=")
    if not mark or not name:
        raise UsageError("setup.answer", f"`{word[:60]}` is not `ID=VALUE`")
    return name, value
