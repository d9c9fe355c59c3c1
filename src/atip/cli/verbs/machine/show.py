"""Show the metadata of one tool or one of its commands.

`--json` prints the ATIP document; where options add effects to the tool or the named command, `x-atip.claim` has both ends;
`--claims` adds them for every command. `--signature` prints one line per command; `--evidence` the origin of facts.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip show git", "atip show gh pr create", "atip show kubectl --depth 1 --json")


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import natural, positive

    parser.add_argument("tool", help="name of the tool")
    parser.add_argument("command", nargs="*", help="path of a command")
    parser.add_argument("--depth", type=natural, default=None, help="levels of subcommands")
    parser.add_argument("--commands", default="", help="only these subtrees, comma-separated")
    parser.add_argument("--signature", action="store_true", help="one line per command")
    parser.add_argument("--evidence", action="store_true", help="where each fact came from")
    parser.add_argument(
        "--claims", action="store_true", help="with --json: base and ceiling of every command"
    )
    parser.add_argument(
        "--max-bytes", type=positive, default=None, help="cut the tree until the document fits"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    commands = [name for name in options.commands.split(",") if name]
    if options.command:
        commands.append(" ".join(options.command))
    is_whole = not commands and options.depth is None and options.max_bytes is None
    if ctx.as_json and is_whole:
        if not (options.claims or ctx.is_tty):
            ctx.emit_pieces(ctx.app.document_pieces(options.tool))
            return 0
        document = {**ctx.app.get_document(options.tool), "name": options.tool}
        ctx.emit(ctx.app.with_claims(document, every=options.claims))
        return 0
    is_plain = not (options.commands or options.depth or options.max_bytes)
    if ctx.as_json and options.command and is_plain:
        stored = ctx.app.get_document(options.tool, options.command, only=True)
        if stored:
            ctx.emit(ctx.app.with_claims(stored, every=options.claims))
            return 0
    from atip.model.reading.branch import OVERVIEW
    from atip.model.view.partial import view

    # A document or a list of signatures covers the whole tool; a page may show a branch, or the overview.
    is_page = not (ctx.as_json or options.signature or options.commands or options.depth)
    tool = ctx.app.get(options.tool, (options.command or OVERVIEW) if is_page else ())
    part = (
        tool
        if is_whole
        else view(tool, commands=commands, depth=options.depth, max_bytes=options.max_bytes)
    )
    if ctx.as_json:
        from atip.model.reading.encode import encode

        ctx.emit(ctx.app.with_claims(encode(part), every=options.claims))
    else:
        from atip.cli.rendering.page import print_page, print_signatures

        if options.signature:
            print_signatures(ctx, part)
        else:
            print_page(ctx, part, tuple(options.command), evidence=options.evidence)
    return 0
