"""Review shims: new tools, and updates that declare fewer dangers than before.

Without an option, lists the queue; --show prints one entry with its differences. --accept moves a shim into the
registry's source, --reject refuses it permanently, --edit accepts it with the content of a file, --promote changes an
accepted inferred shim to `community`, which the maintainers' key signs. Each decision is recorded with its author.
`atip registry build` publishes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": True},
    "reversible": True,
    "interactive": {"stdin": "none", "prompts": False, "tty": False},
}
EXAMPLES = (
    "atip crawl review catalogue",
    "atip crawl review catalogue --show 3f2a9c",
    "atip crawl review catalogue --accept 3f2a9c --reason 'checked the manual'",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="source folder of the registry")
    parser.add_argument(
        "--show", default="", metavar="HASH", help="one entry, with its differences"
    )
    parser.add_argument(
        "--accept", default="", metavar="HASH", help="accept it; `all` for the whole queue"
    )
    parser.add_argument("--reject", default="", metavar="HASH", help="refuse it permanently")
    parser.add_argument(
        "--edit", default="", metavar="FILE", help="with --accept: accept this file instead"
    )
    parser.add_argument(
        "--promote", default="", metavar="HASH", help="change an accepted shim to `community`"
    )
    parser.add_argument("--by", default="", metavar="WHO", help="who decides (the user)")
    parser.add_argument("--reason", default="", help="why, for the record")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean
    from atip.crawler.reviewing import ReviewQueue

    queue = ReviewQueue(options.folder)
    if options.show:
        return _show(queue.get(options.show), ctx)
    decisions = _decide(options, queue)
    if decisions is None:
        return _list(queue.waiting(), ctx)
    if ctx.as_json:
        ctx.emit(decisions)
    else:
        for kind, digits in decisions.items():
            ctx.print(f"{kind}: {clean(', '.join(digest[:16] for digest in digits))}")
    return 0


def _decide(options: argparse.Namespace, queue: Any) -> dict[str, list[str]] | None:
    import getpass

    from atip.crawler.reviewing import ReviewDecision
    from atip.system.clock import now_iso

    decision = ReviewDecision(
        by=options.by or getpass.getuser(), at=now_iso(), reason=options.reason
    )
    if options.accept == "all":
        hashes = [str(entry["hash"]) for entry in queue.waiting()]
        return {"accepted": [queue.accept(digest, decision) for digest in hashes]}
    if options.accept:
        edited = _read_edited(options.edit) if options.edit else None
        return {"accepted": [queue.accept(options.accept, decision, edited=edited)]}
    if options.reject:
        return {"rejected": [queue.reject(options.reject, decision)]}
    if options.promote:
        return {"promoted": [queue.promote(options.promote, decision)]}
    return None


def _read_edited(file: str) -> dict[str, Any]:
    from atip.cli.documents import load_bytes, parse
    from atip.errors import FormatError

    document = parse(file, load_bytes(file))
    if not isinstance(document, dict):
        raise FormatError("crawl.edit", f"`{file}` is not a shim")
    return document


def _list(entries: list[dict[str, Any]], ctx: Context) -> int:
    from atip.cli.output import clean, table, width_of

    if ctx.as_json:
        ctx.emit({"waiting": entries})
        return 0
    rows = [
        (
            entry["hash"][7:19],
            clean(entry["name"]),
            clean(entry["version"]),
            entry["kind"],
            clean(entry["package"]),
        )
        for entry in entries
    ]
    for line in table(rows, width=width_of(ctx)):
        ctx.print(line)
    if not rows:
        ctx.print("the review queue is empty")
    return 0


def _show(entry: dict[str, Any], ctx: Context) -> int:
    from atip.cli.output import clean

    if ctx.as_json:
        ctx.emit(entry)
        return 0
    ctx.print(
        f"{clean(entry['name'])} {clean(entry['version'])} ({entry['kind']}) from {clean(entry['package'])}"
    )
    ctx.print(f"  {clean(str(entry['shim'].get('description', '')))}")
    for line in entry["differences"][:60]:
        ctx.print(f"  {clean(line)}")
    return 0
