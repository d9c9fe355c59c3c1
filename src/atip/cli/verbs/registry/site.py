"""Write the static catalogue of a published registry: a page per tool and command, search, feeds, JSON beside each page.

REGISTRY is a published tree (`DIR/public`). OUT can be served by any web server and read without JavaScript. A
second build renders only what changed. `--judge` names a folder with the npm package `pyodide`, so that a line can
be explained in the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.pages.site.build import SiteReport

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": True},
    "network": False,
    "reversible": True,
}
EXAMPLES = (
    "atip registry site registry/public site",
    "atip registry site registry/public site --base https://tools.example/site --judge node_modules",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("registry", metavar="REGISTRY", help="published tree")
    parser.add_argument("out", metavar="OUT", help="folder of the site")
    add_site_options(parser)


def add_site_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `registry site` shares with `registry build --site`."""
    parser.add_argument(
        "--base", default="", metavar="URL", help="address of the site (the registry's, with /site)"
    )
    parser.add_argument(
        "--judge", default="", metavar="DIR", help="node_modules folder that holds `pyodide`"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    report = write_site(options, ctx, options.registry, options.out)
    if ctx.as_json:
        ctx.emit(report.to_json())
    else:
        print_site(ctx, report)
    return 0


def write_site(options: argparse.Namespace, ctx: Context, registry: str, out: str) -> SiteReport:
    """Build a site with the options of its verb."""
    from atip.cli.rendering.progress import ProgressLine
    from atip.pages.site.build import SiteOrder, build_site

    order = SiteOrder(registry=registry, out=out, base=options.base, node_modules=options.judge)
    progress = ProgressLine(ctx)
    try:
        return build_site(order, progress)
    finally:
        progress.close()


def print_site(ctx: Context, report: SiteReport) -> None:
    from atip.cli.output import clean, count

    ctx.print(
        f"{clean(report.out)}: {count(report.tools, 'tool')}, {count(report.pages, 'page')}; "
        f"{report.rendered} rendered, {report.removed} removed, {count(report.written, 'file')} written"
    )
    if not report.explains:
        ctx.note(
            "lines cannot be explained in the page: npm install pyodide, then --judge node_modules"
        )
