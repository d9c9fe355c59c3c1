"""Infer metadata for a tool without native support, from its framework, completions, help and manual.

Probes the tool, confined: its own parser where it is a Python program, the completion protocol of cobra and yargs,
machine-readable descriptions, completion scripts, help recursively, the manual page; curated knowledge adds
effects. The result is a valid ATIP 0.6 shim marked as inferred. `--from help FILE` reads one text instead and runs
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.model.tool import Tool

EFFECTS = {"subprocess": True, "interactive": {"stdin": "optional", "prompts": False, "tty": False}}
EXAMPLES = (
    "atip infer jq",
    "atip infer git --explain",
    "mytool --help | atip infer --from help - --name mytool",
)
KINDS = (
    "help", "man", "bash", "zsh", "fish", "usage", "opencli", "fig", "carapace", "oclif", "click", "clap",
    "swift", "dotnet", "docker-docs", "cobra-docs", "calliope",
)  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tool", help="name on the PATH, a path, or with --from a file (- for standard input)"
    )
    parser.add_argument(
        "--from", dest="kind", choices=KINDS, help="read this kind of text from a file"
    )
    parser.add_argument("--name", help="name of the tool, with --from")
    parser.add_argument("--explain", action="store_true", help="print which source gave what")
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="write the shim here; in a directory, named by the binary's hash",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.model.reading.encode import encode

    if options.kind:
        tool, how = _from_text(options), {"rung": options.kind, "also": []}
    else:
        finding = ctx.app.infer(options.tool)
        tool, how = finding.tool, {"rung": finding.source_kind, "also": list(finding.also)}
    document = encode(tool)
    if options.output:
        _write(options.output, document)
    if ctx.as_json:
        ctx.emit({"metadata": document, **how})
    elif options.explain:
        _explain(ctx, tool, how)
    elif not options.output:
        import json

        from atip.cli.output import clean

        ctx.print_document(clean(json.dumps(document, indent=2, ensure_ascii=False), newlines=True))
    return 0


def _from_text(options: argparse.Namespace) -> Tool:
    import os

    from atip.cli.documents import load_bytes
    from atip.discovery.sources.inference_sources import read_text
    from atip.model.text.names import why_unsafe

    name = options.name or os.path.basename(options.tool).split(".")[0]
    if why_unsafe(name):
        from atip.errors import UsageError

        raise UsageError("cli.usage", "the tool has no name", hint="give it with `--name`")
    return read_text(options.kind, load_bytes(options.tool).decode("utf-8", "replace"), name)


def _write(path: str, document: dict[str, Any]) -> None:
    import json
    import os

    from atip.system.files import write_atomic

    if os.path.isdir(path):
        path = os.path.join(path, _shim_name(document))
    write_atomic(
        path, (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode(), mode=0o644
    )


def _shim_name(document: dict[str, Any]) -> str:
    """`<hash of the binary>.json`, as registries name shims (§4.5)."""
    digest = str(document.get("binary", {}).get("hash") or "")
    if not digest:
        from atip.errors import UsageError

        raise UsageError(
            "infer.no-binary",
            "the shim has no `binary.hash`",
            hint="give a file name instead of a directory",
        )
    return digest.removeprefix("sha256:") + ".json"


def _explain(ctx: Context, tool: Tool, how: dict[str, Any]) -> None:
    from atip.cli.output import clean, count, table, width_of
    from atip.model.evidence import evidence_of

    commands = sum(1 for _ in tool.walk())
    also = f", completed from {', '.join(how['also'])}" if how["also"] else ""
    ctx.print(
        f"{clean(tool.name)}: {count(commands, 'command')}; structure from {how['rung']}{also}"
    )
    rows = [(clean(place), clean(source)) for place, source in evidence_of(tool)]
    for line in table(rows, width=width_of(ctx)):
        ctx.print(line)
