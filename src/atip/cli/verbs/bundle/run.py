"""Run a tool of a bundle: `atip bundle run BUNDLE COMMAND… key=value key:=json`.

Inputs are checked by the tool's schema; the run is confined to what bundle, tool and policy allow together. Prints the
value; `--json` prints the whole envelope. It starts in the current directory if its sandbox includes that, else in an
empty home; prompt, audit record and `--dry-run` show which (`startsIn`). Exit code: the program's own, 4 login needed, 126 refused.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from atip.errors import EXIT_AUTH_REQUIRED, EXIT_FAILURE, EXIT_OUR_FAILURE, AtipError, TrustError

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.toolbox import Envelope

EFFECTS = {"subprocess": True, "interactive": {"stdin": "optional", "prompts": True, "tty": False}}
EXAMPLES = (
    "atip bundle run jq filter=.version file=package.json",
    "atip bundle run httpie offline url=https://example.com/ --json",
)


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import seconds

    parser.add_argument("bundle", metavar="BUNDLE", help="folder or id")
    parser.add_argument("words", nargs="*", metavar="WORD", help="command words, then KEY=VALUE")
    parser.add_argument("--args", default="", metavar="JSON", help="inputs as a JSON object")
    parser.add_argument("--structured", action="store_true", help="ask the program for JSON")
    parser.add_argument("--yes", action="store_true", help="confirm where nothing can be destroyed")
    parser.add_argument("--timeout", type=seconds, default=None, metavar="S", help="seconds")
    parser.add_argument("--dry-run", action="store_true", help="print argv and confinement only")


def run(options: argparse.Namespace, ctx: Context) -> int:
    try:
        return _run(options, ctx)
    except AtipError as error:
        if isinstance(error, TrustError):
            error.exit_code = 126
        elif error.exit_code == EXIT_FAILURE:
            error.exit_code = EXIT_OUR_FAILURE
        raise


def _run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.apis.arguments import to_schema_types
    from atip.cli.groups.bundle_surface import make_host
    from atip.cli.runs.call_arguments import read_arguments
    from atip.execution.call import CallOptions
    from atip.execution.consent import ask_on_terminal
    from atip.execution.proposal import starts_in

    host = make_host(ctx)
    bundle = host.load(options.bundle)
    words = [word for word in options.words if "=" not in word]
    tool = bundle.get(words)
    values = read_arguments([word for word in options.words if "=" in word], options.args)
    inputs = to_schema_types(dict(tool.inputs), values)
    if options.dry_run:
        bounds = CallOptions(structured=options.structured)
        call, judgment, digest = host.plan(bundle, words, inputs, bounds)
        ctx.emit(
            {
                "argv": list(call.argv),
                "program": call.program,
                "digest": digest,
                "image": call.image or None,
                "cwd": call.cwd,
                "startsIn": starts_in(judgment.confinement, call.cwd),
                "decision": judgment.decision.to_json(),
                "confinement": judgment.confinement.to_json(),
            }
        )
        return 0
    envelope = host.run(
        bundle, words, inputs, ask=ask_on_terminal,
        assume_yes=options.yes, structured=options.structured, timeout_s=options.timeout,
    )  # fmt: skip
    _print(ctx, envelope)
    if envelope.meaning == "auth_required":
        return EXIT_AUTH_REQUIRED
    return envelope.result.exit_code or (0 if envelope.ok else EXIT_FAILURE)


def _print(ctx: Context, envelope: Envelope) -> None:
    from atip.cli.output import clean

    if ctx.as_json:
        ctx.emit(envelope.to_json())
        return
    if envelope.error is not None:
        ctx.note(f"{clean(str(envelope.error['code']))}: {clean(str(envelope.error['message']))}")
        return
    value = envelope.value
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    ctx.print_document(clean(text.rstrip("\n"), newlines=True))
