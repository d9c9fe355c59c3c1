"""Check documents against the specifications.

Detects ATIP metadata and shims, local registries, manifests, catalogues, policies and settings by
their content. Takes files, directories (walked), globs, and `-` or nothing for standard input.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from atip.cli.context import Context

EFFECTS = {"interactive": {"stdin": "optional", "prompts": False, "tty": False}}
EXAMPLES = (
    "atip validate tool.json",
    "mytool --agent | atip validate -",
    "atip validate --lenient shims/",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="file, directory, glob, or -")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--lenient", action="store_true", help="accept what is published in the wild")
    mode.add_argument(
        "--schema-only", action="store_true", help="check against the public 0.6 schema only"
    )
    parser.add_argument("--kind", help="treat every file as this kind of document")
    parser.add_argument("--quiet", action="store_true", help="print only files with errors")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.documents import expand

    mode = "lenient" if options.lenient else "schema" if options.schema_only else "strict"
    results = [_judge(name, options.kind, mode) for name in expand(options.files)]
    if ctx.as_json:
        ctx.emit({"valid": all(result["valid"] for result in results), "files": results})
    else:
        for result in results:
            _print(result, ctx, quiet=options.quiet)
    return 0 if all(result["valid"] for result in results) else 1


def _judge(name: str, kind: str | None, mode: Any) -> dict[str, Any]:
    from atip.cli.documents import load_bytes, parse, tool_folder
    from atip.codecs.cmp.check import judge_document
    from atip.errors import FormatError

    data = load_bytes(name)
    try:
        value = parse(name, data)
        report = judge_document(value, kind=kind, mode=mode, folder=tool_folder(name))
        problems = list(report.problems) + _file_name_problems(name, report.kind, data)
        document_kind = report.kind
    except FormatError as error:
        document_kind, problems = kind or "unknown", list(error.problems)
    valid = all(problem.severity != "error" for problem in problems)
    return {
        "file": name,
        "kind": document_kind,
        "valid": valid,
        "problems": [p.to_json() for p in problems],
    }


def _file_name_problems(name: str, kind: str, data: bytes) -> list[Any]:
    """A shim in a registry is named by the hash of its binary; the two must agree (§4.5)."""
    import os

    stem = os.path.basename(name).removesuffix(".json")
    if kind != "shim" or len(stem) != 64 or not all(digit in "0123456789abcdef" for digit in stem):
        return []
    from atip.model.problems import Problem
    from atip.model.reading.reader import read_json

    document: Any = read_json(data)
    claimed = str((document.get("binary") or {}).get("hash", "")).lower()
    if claimed == f"sha256:{stem}":
        return []
    return [
        Problem(
            path="$.binary.hash",
            code="format.hash-file-name",
            message="`binary.hash` differs from the digest in the file name",
            hint="rename the file or correct `binary.hash`",
        )
    ]


def _print(result: dict[str, Any], ctx: Context, *, quiet: bool) -> None:
    from atip.cli.output import clean, paint

    if quiet and result["valid"]:
        return
    word = paint(ctx, "valid", "green") if result["valid"] else paint(ctx, "invalid", "red")
    ctx.print(f"{clean(result['file'])}: {word} ({result['kind']})")
    for problem in result["problems"]:
        color = "red" if problem["severity"] == "error" else "yellow"
        label = paint(ctx, problem["severity"], color)
        ctx.print(
            f"  {label} {clean(problem['path'])}: {clean(problem['message'])} [{problem['code']}]"
        )
        if problem.get("hint"):
            ctx.print(f"        {clean(problem['hint'])}")
