"""Check an `.agent-ready.json`: shape, sums, derived facts, checksum, no credentials.

Without a file it looks where ATM §5.3 says: `.agent-ready.json`, `agent-ready.json`, `*.agent-ready.json`. For a URL, fetches
`/.well-known/agent-ready.json`, then the `<link rel="agent-ready">` of its page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"network": True}
EXAMPLES = (
    "atip api validate",
    "atip api validate --lenient my.agent-ready.json --json",
    "atip api validate https://api.example.com",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", default="", metavar="FILE|URL", help="manifest, folder or URL"
    )
    parser.add_argument(
        "--private", action="store_true", help="the URL may be on this machine or a private network"
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--lenient", action="store_true", help="accept what is published in the wild")
    mode.add_argument(
        "--schema-only", action="store_true", help="check against the public schema only"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.model.shapes.check_atm import check_manifest

    path, manifest = _read(options)
    mode = "lenient" if options.lenient else "schema" if options.schema_only else "strict"
    problems = check_manifest(manifest, mode)  # type: ignore[arg-type]
    valid = all(problem.severity != "error" for problem in problems)
    if ctx.as_json:
        problem_list = [problem.to_json() for problem in problems]
        ctx.emit({"file": path, "valid": valid, "problems": problem_list})
        return 0 if valid else 1
    from atip.cli.output import clean

    for problem in problems:
        ctx.print(clean(f"{problem.severity}: {problem.path}: {problem.message} ({problem.code})"))
    ctx.print(f"{path}: {'valid' if valid else 'not valid'}")
    return 0 if valid else 1


def _read(options: argparse.Namespace) -> tuple[str, object]:
    """Path or address of the manifest, and its values."""
    from atip.apis.manifests import fetch_offered, find_manifest, read_manifest

    if "://" not in options.file:
        path = find_manifest(options.file)
        return path, read_manifest(path)
    from atip.system.network.http_addresses import Access, parse_address

    private = (parse_address(options.file).origin,) if options.private else ()
    return fetch_offered(options.file, access=Access(private=private))
