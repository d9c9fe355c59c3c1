"""Permission hook for coding agents: their JSON on standard input, their JSON on standard output.

Judges the shell line that the agent wants to run, and nothing else: other tools get no opinion. Whatever goes
wrong inside is answered with `ask` (or what the client has for it), never with silence that would allow.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from atip.cli.context import Context

JSON = False
EFFECTS = {
    "filesystem": {"read": True, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "interactive": {"stdin": "required", "prompts": False, "tty": False},
}
EXAMPLES = (
    """echo '{"line": "git status && rm -rf build", "cwd": "/tmp"}' | atip guard""",
    "atip guard --for claude",
)
CLIENTS = ("claude", "codex", "gemini", "cursor", "generic")
MAX_REQUEST = 1_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--for",
        dest="client",
        choices=CLIENTS,
        default="generic",
        help="whose hook protocol to speak",
    )
    parser.add_argument("--policy", help="preset instead of the configured one")
    parser.add_argument(
        "--ask-as",
        choices=("ask", "deny"),
        default="ask",
        help="say deny instead, for clients that do not ask reliably",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    import json

    event, outcome, reason = "", "ask", "atip guard could not judge this line"
    opinion: str | None = outcome
    from atip.cli.guard_protocols import BadRequest, answer, read_request

    try:
        # bytes: the locale of a hook's environment is not to be relied on
        data = ctx.stdin.buffer.read(MAX_REQUEST + 1)
        if len(data) > MAX_REQUEST:
            raise BadRequest("the request is too long")
        request = read_request(options.client, json.loads(data.decode("utf-8")))
        event = request.event
        if request.line is None:
            opinion, reason = None, "not a shell line"
        else:
            opinion, reason = _judge(ctx, options.policy, request.line, request.cwd)
    except (ValueError, RecursionError) as error:
        reason = f"the request cannot be read: {error}"
    except Exception as error:
        # SECURITY: fail closed. A crash of the guard must not become a permission.
        reason = f"atip guard failed: {type(error).__name__}: {error}"
    if opinion == "ask" and options.ask_as == "deny":
        opinion = "deny"
    from atip.cli.output import clean

    said: dict[str, Any] = answer(options.client, event, opinion, clean(reason)[:2000])
    ctx.out.write(json.dumps(said) + "\n")
    return 0


def _judge(ctx: Context, preset: str | None, line: str, cwd: str) -> tuple[str, str]:
    import os

    from atip.explaining import explain_line, find_known
    from atip.registry.policies import load_policies
    from atip.system.paths import find_places

    folder = cwd if os.path.isabs(cwd) else os.getcwd()
    places = find_places(cwd=folder)
    found = explain_line(
        line, load_policies(places, folder, preset=preset),
        lookup=lambda name: find_known(places, name), cwd=folder, home=places.home,
    )  # fmt: skip
    decision = found.decision
    subject = (
        f"`{decision.subject[:200]}`: " if decision.subject and decision.outcome != "allow" else ""
    )
    return decision.outcome, f"{subject}{'; '.join(decision.reasons)} [{decision.rule}]"
