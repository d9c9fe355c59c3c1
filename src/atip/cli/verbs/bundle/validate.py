"""Check bundles against AIP-29: every document, every reference, every narrowing. Folders are searched at any depth.

`--schema-only` checks single documents against the public schemas. `--against OLD` reports the version step that the
changes since an older bundle require.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError, FormatError

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip bundle validate examples/bundles", "atip bundle validate --lenient .cli --json")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="BUNDLE", help="folders or documents")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--lenient", action="store_true", help="accept what is published in the wild")
    mode.add_argument(
        "--schema-only", action="store_true", help="check against the public schemas only"
    )
    parser.add_argument(
        "--against", default=None, metavar="OLD", help="older bundle to compare with"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    results = []
    for path in options.paths:
        is_file = os.path.isfile(path)
        for one in [path] if is_file else _bundles(path):
            results.append(_document(one, options) if is_file else _bundle(one, options))
    valid = bool(results) and all(result["valid"] for result in results)
    if ctx.as_json:
        ctx.emit({"valid": valid, "bundles": results})
    else:
        _print(ctx, results)
    return 0 if valid else 1


def _bundles(path: str) -> list[str]:
    from atip.bundles.documents.loading import find_bundles

    return list(find_bundles(path)) or [path]


def _bundle(path: str, options: argparse.Namespace) -> dict[str, Any]:
    from atip.bundles.documents.loading import load_bundle
    from atip.bundles.governance import missing_bump

    advice = None
    try:
        bundle = load_bundle(path, strict=not options.lenient)
        problems = list(bundle.problems)
        key: str | None = bundle.key
        if options.against:
            old = load_bundle(options.against)
            advice = missing_bump(old.manifest.fields, bundle.manifest.fields)
    except FormatError as error:
        problems, key = list(error.problems), None
    except AtipError as error:
        return {"path": path, "bundle": None, "valid": False, "problems": [error.to_json()]}
    return _result(path, key, problems, advice)


def _document(path: str, options: argparse.Namespace) -> dict[str, Any]:
    from atip.codecs.climd.check import check_fields
    from atip.codecs.climd.document import kind_of_name, read_document
    from atip.system.files import read_bytes

    mode: Any = "lenient" if options.lenient else "schema" if options.schema_only else "strict"
    kind = kind_of_name(path) or "CLI"
    try:
        document = read_document(read_bytes(path, 1_000_000), kind)
        problems = check_fields(kind, document.fields, mode)
    except FormatError as error:
        problems = list(error.problems)
    return _result(path, None, problems, None)


def _result(path: str, key: str | None, problems: list[Any], advice: str | None) -> dict[str, Any]:
    return {
        "path": path,
        "bundle": key,
        "valid": not advice and all(problem.severity != "error" for problem in problems),
        "problems": [problem.to_json() for problem in problems],
        **({"bump": advice} if advice else {}),
    }


def _print(ctx: Context, results: list[dict[str, Any]]) -> None:
    from atip.cli.output import clean, paint

    for result in results:
        word = paint(ctx, "valid", "green") if result["valid"] else paint(ctx, "invalid", "red")
        ctx.print(f"{clean(result['path'])}: {word}")
        for problem in result["problems"]:
            where = clean(str(problem.get("path", "")))
            level = problem.get("severity", "error")
            ctx.print(f"  {level} {where}: {clean(problem['message'])} [{problem['code']}]")
        if result.get("bump"):
            ctx.print(f"  {clean(result['bump'])}")
