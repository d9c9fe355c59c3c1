"""Compile tools to the function-calling format of a provider.

TOOL is a known tool or a file with metadata. The list of functions goes to standard output; what a budget left
out, and how to get it, to standard error. `--count` prints the tokens of each function instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.codecs.providers.tools import CompiledTools
    from atip.model.tool import Tool

EFFECTS = {"interactive": {"stdin": "optional", "prompts": False, "tty": False}}
EXAMPLES = (
    "atip compile gh --for anthropic",
    "atip compile tool.json --for openai --strict",
    "atip compile kubectl --for gemini --max-tokens 4000",
    "atip compile gh --count",
)


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import positive

    parser.add_argument("tools", nargs="+", metavar="TOOL", help="known tool, file, or -")
    parser.add_argument(
        "--for",
        dest="provider",
        default="openai",
        metavar="PROVIDER",
        help="openai (default), anthropic, gemini or mcp",
    )
    parser.add_argument("--strict", action="store_true", help="strict mode of OpenAI")
    parser.add_argument(
        "--shape", choices=("chat", "responses"), default="", help="interface of OpenAI"
    )
    parser.add_argument(
        "--strategy",
        choices=("auto", "discrete", "action"),
        default="auto",
        help="one function per command, or one per group with an action (auto: as --max-tokens allows)",
    )
    parser.add_argument(
        "--max-tokens", type=positive, default=None, help="budget for the whole list"
    )
    parser.add_argument("--commands", default="", help="only these subtrees, comma-separated")
    parser.add_argument(
        "--creates", action="store_true", help="add to descriptions what a command creates"
    )
    parser.add_argument("--examples", action="store_true", help="put examples into descriptions")
    parser.add_argument("--count", action="store_true", help="print tokens per function")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.codecs.providers.shapes import dialect_of
    from atip.codecs.providers.tools import Extras, compile_tools

    dialect_of(
        options.provider, options.strict
    )  # reports a misspelt provider before looking up tools
    tools = [_tool(name, ctx) for name in options.tools]
    if options.commands:
        from atip.model.view.partial import view

        commands = [name for name in options.commands.split(",") if name]
        tools = [view(tool, commands=commands) for tool in tools]
    counts = options.count or options.max_tokens is not None
    tokenizer, count = _counter() if counts else ("", None)
    compiled = compile_tools(
        tools,
        options.provider,
        strict=options.strict,
        shape=options.shape,
        strategy=options.strategy,
        max_tokens=options.max_tokens,
        count=count,
        extras=Extras(creates=options.creates, examples=options.examples),
    )
    if options.count:
        _print_count(ctx, compiled, tokenizer, count)
    elif ctx.as_json:
        ctx.emit(_report(compiled, tokenizer, count))
    else:
        ctx.print_document(_render(compiled.declarations, ctx))
    if not ctx.as_json:
        for function in compiled.left_out:
            ctx.note(f"left out {function.line}: {function.how}")
        for name, message in compiled.losses:
            ctx.note(f"changed {name}: {message}")
    return 0


def _render(declarations: list[dict[str, Any]], ctx: Context) -> str:
    if ctx.is_tty:
        import json

        return json.dumps(declarations, ensure_ascii=False, indent=2)
    from atip.model.reading.plain_json import dumps

    return dumps(declarations)


def _tool(name: str, ctx: Context) -> Tool:
    import os

    if name == "-":
        from atip.cli.documents import load_bytes

        return _decode(load_bytes(name))
    if os.sep in name or name.endswith(".json"):
        from atip.model.reading.reader import DOCUMENT
        from atip.system.files import read_bytes

        return _decode(read_bytes(name, DOCUMENT.max_bytes))
    return ctx.app.get(name)


def _decode(data: bytes) -> Tool:
    from atip.model.reading.decode import decode

    return decode(data).tool


def _counter() -> tuple[str, Any]:
    from atip.system.tokens import find_counter

    return find_counter()


def _count_tokens(compiled: CompiledTools, count: Any) -> list[dict[str, Any]]:
    from atip.codecs.providers.tools import tokens_of

    names = [_name(declaration) for declaration in compiled.declarations]
    tokens = [tokens_of(declaration, count) for declaration in compiled.declarations]
    return [{"name": n, "tokens": t} for n, t in zip(names, tokens, strict=True)]


def _name(declaration: dict[str, Any]) -> str:
    inner = declaration.get("function", declaration)
    return str(inner["name"])


def _report(compiled: CompiledTools, tokenizer: str, count: Any) -> dict[str, Any]:
    report: dict[str, Any] = {
        "provider": compiled.provider,
        "strategy": compiled.strategy,
        "tools": compiled.declarations,
        "leftOut": [function.to_json() for function in compiled.left_out],
        "losses": [{"function": name, "message": message} for name, message in compiled.losses],
    }
    if count is not None:
        report["tokenizer"] = tokenizer
        report["tokens"] = sum(row["tokens"] for row in _count_tokens(compiled, count))
    return report


def _print_count(ctx: Context, compiled: CompiledTools, tokenizer: str, count: Any) -> None:
    rows = _count_tokens(compiled, count)
    total = sum(row["tokens"] for row in rows)
    if ctx.as_json:
        document = {"tokenizer": tokenizer, "total": total, "functions": rows}
        document["leftOut"] = [function.to_json() for function in compiled.left_out]
        ctx.emit(document)
        return
    from atip.cli.output import table

    for line in table([(str(row["tokens"]), row["name"]) for row in rows], indent=""):
        ctx.print(line)
    ctx.print(f"{total} tokens in {len(rows)} functions, by {tokenizer}")
