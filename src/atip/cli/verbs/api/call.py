"""Call one operation under policy: `atip api call SOURCE.OPERATION key=value key:=json`.

Arguments are validated before anything is sent; destructive operations need confirmation on the terminal. Prints the data of the answer.
Exit code 4 when the source requires credentials, 126 when policy refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {"network": True, "interactive": {"stdin": "none", "prompts": True, "tty": False}}
EXAMPLES = (
    "atip api call demo.get_user id=7",
    """atip api call demo.create_user body:='{"name": "Ada", "email": "ada@example.org"}'""",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="SOURCE.OPERATION", help="operation")
    parser.add_argument("words", nargs="*", metavar="KEY=VALUE", help="arguments; KEY:=JSON")
    parser.add_argument("--args", default="", metavar="JSON", help="arguments as a JSON object")
    parser.add_argument("--config", default=".", metavar="FILE", help="configuration or its folder")
    parser.add_argument("--yes", action="store_true", help="confirm where nothing can be destroyed")
    parser.add_argument("--policy", default=None, metavar="PRESET", help="preset for this call")
    parser.add_argument(
        "--ask",
        default="terminal",
        metavar="WHERE",
        help="where to ask: terminal, none, or fd:N, a socket to a program that asks the user",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.apis.arguments import to_schema_types
    from atip.apis.config import load_config
    from atip.apis.sync.operations import find_operation, split_target
    from atip.cli.prompts import prompt_for
    from atip.cli.runs.call_arguments import read_arguments

    source, name = split_target(options.target)
    _, _, document = find_operation(load_config(options.config), source, name)
    arguments = to_schema_types(
        document["inputSchema"], read_arguments(options.words, options.args)
    )
    result = ctx.app.apis.call(
        options.config,
        source,
        name,
        arguments,
        preset=options.policy,
        yes=options.yes,
        ask=prompt_for(options.ask),
    )
    if ctx.as_json:
        ctx.emit(
            {
                "data": result.data,
                "status": result.status,
                "nextPage": result.next_page,
                "problems": list(result.problems),
            }
        )
        return 0
    import json

    from atip.cli.output import clean

    text = (
        result.data
        if isinstance(result.data, str)
        else json.dumps(result.data, indent=2, ensure_ascii=False)
    )
    ctx.print_document(clean(text, newlines=True))
    if result.problems:
        ctx.note(f"the answer differs from its description in {len(result.problems)} places")
    return 0
