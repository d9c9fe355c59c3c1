"""Install a bundle's program: shows the plan, asks, installs, checks the version, records what you granted.

An installed program with a version in range is used as it is. Commands that need root are confirmed one by
one (`--root` confirms them beforehand). What fails leaves nothing behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "network": True,
    "subprocess": True,
    "filesystem": {"read": True, "write": True, "delete": False},
    "interactive": {"stdin": "optional", "prompts": True, "tty": False},
}
EXAMPLES = (
    "atip bundle install examples/bundles/jq --dry-run",
    "atip bundle install examples/bundles/httpie --yes",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", metavar="BUNDLE", help="folder, CLI.md, or id of a known bundle")
    parser.add_argument("--dry-run", action="store_true", help="print the plan, do nothing")
    parser.add_argument("--yes", action="store_true", help="confirm the plan (not root)")
    parser.add_argument("--root", action="store_true", help="allow the commands that need root")
    parser.add_argument(
        "--again", action="store_true", help="install even if a suitable program exists"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.groups.bundle_surface import (
        confirm_plan,
        confirm_root,
        make_host,
        plan_lines,
        sandbox_lines,
    )
    from atip.cli.output import clean

    host = make_host(ctx)
    bundle = host.load(options.bundle)
    for problem in bundle.problems:
        ctx.note(f"{problem.severity}: {clean(problem.path)}: {clean(problem.message)}")
    if options.dry_run:
        proposal = host.propose(bundle, again=options.again)
        if ctx.as_json:
            ctx.emit({**proposal.to_json(), "sandbox": dict(bundle.manifest.sandbox)})
        else:
            for line in (*plan_lines(proposal), *sandbox_lines(bundle.manifest.sandbox)):
                ctx.print(line)
        return 0
    for line in sandbox_lines(bundle.manifest.sandbox):
        ctx.note(line)
    installed = host.install(
        bundle,
        confirm=confirm_plan(ctx, yes=options.yes),
        confirm_root=confirm_root(ctx, granted=options.root),
        again=options.again,
    )
    status = host.status(bundle)
    if ctx.as_json:
        ctx.emit(status.to_json())
    else:
        ctx.print(f"{clean(bundle.key)}: {clean(installed.binary)} {clean(installed.version)}")
        ctx.print(f"next: {status.phase}" if not status.is_ready else "ready")
    return 0
