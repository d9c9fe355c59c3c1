"""Check an `.agent-ready.json`: shape, sums, derived facts, checksum, no credentials.

Without a file it looks where ATM §5.3 says: `.agent-ready.json`, `agent-ready.json`, `*.agent-ready.json`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip api validate", "atip api validate --lenient my.agent-ready.json --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default="", metavar="FILE", help="manifest or folder")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--lenient", action="store_true", help="accept what is published in the wild")
    mode.add_argument("--schema-only", action="store_true", help="judge by the public schema alone")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.apis.manifests import find_manifest, read_manifest
    from atip.model.check_atm import check_manifest

    path = find_manifest(options.file)
    mode = "lenient" if options.lenient else "schema" if options.schema_only else "strict"
    problems = check_manifest(read_manifest(path), mode)  # type: ignore[arg-type]
    valid = all(problem.severity != "error" for problem in problems)
    if ctx.as_json:
        told = [problem.to_json() for problem in problems]
        ctx.emit({"file": path, "valid": valid, "problems": told})
        return 0 if valid else 1
    from atip.cli.output import clean

    for problem in problems:
        ctx.print(clean(f"{problem.severity}: {problem.path}: {problem.message} ({problem.code})"))
    ctx.print(f"{path}: {'valid' if valid else 'not valid'}")
    return 0 if valid else 1
