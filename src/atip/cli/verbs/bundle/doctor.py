"""Show what a bundle needs to be ready, and the exact command that gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"subprocess": True}
EXAMPLES = ("atip bundle doctor examples/bundles/httpie",)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="BUNDLE", help="folder or id")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.bundles.doctor import advise
    from atip.cli.groups.bundle_surface import make_host
    from atip.cli.output import clean, paint

    host = make_host(ctx)
    bundle = host.load(options.bundle)
    status = host.status(bundle)
    advices = advise(
        bundle,
        is_installed=status.installed is not None,
        unmet=status.unmet,
        proposal=host.propose(bundle) if status.installed is None else None,
        finding=status.finding,
        changes=status.changes,
        pending=status.pending,
        auth=status.auth,
    )
    # what is missing comes first: an "ok" above it reads like the answer
    advices = sorted(advices, key=lambda advice: advice.ok)
    if ctx.as_json:
        ctx.emit(
            {
                "bundle": bundle.key,
                "ready": status.is_ready,
                "phase": status.phase,
                "advice": [advice.to_json() for advice in advices],
            }
        )
    else:
        for advice in advices:
            mark = paint(ctx, "ok", "green") if advice.ok else paint(ctx, "--", "yellow")
            ctx.print(f"{mark} {clean(advice.what)}")
            if advice.fix:
                ctx.print(f"     {clean(advice.fix)}")
    return 0 if status.is_ready else 1
