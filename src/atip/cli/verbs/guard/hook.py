"""Permission hook for coding agents: their JSON on standard input, their JSON on standard output.

`atip guard` is the same. Judges the shell line that the agent wants to run, files that it reads and writes, pages that it fetches, and MCP tools; other
tools and events get no opinion. Every internal failure is answered with `ask` (or the client's equivalent), never with an empty answer that would allow.
With `auditAllCalls` in the policy, each decision is written into the audit: no record, no permission.
"""

from __future__ import annotations

from atip.cli.guard.names import SPOKEN, full_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

JSON = False
EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": False,
    "subprocess": False,
    "interactive": {"stdin": "required", "prompts": False, "tty": False},
}
EXAMPLES = (
    """echo '{"line": "git status && rm -rf build", "cwd": "/tmp"}' | atip guard""",
    "atip guard --for claude-code",
)
MAX_REQUEST = 1_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--for",
        dest="client",
        choices=SPOKEN,
        default="generic",
        help="client whose hook protocol to use",
    )
    parser.add_argument("--policy", help="preset instead of the configured one")
    parser.add_argument(
        "--ask-as",
        choices=("ask", "deny"),
        default="ask",
        help="answer deny instead, for clients that do not ask reliably",
    )
    parser.add_argument(
        "--record", action="store_true", help="write each decision into the audit; see `guard log`"
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    # bytes: the locale of a hook's environment is not to be relied on
    ctx.out.write(judge(options, ctx.stdin.buffer.read(MAX_REQUEST + 1)).decode())
    return 0


def judge(options: argparse.Namespace, data: bytes) -> bytes:
    """Answer a request in the client's protocol."""
    # not `json`: a hook starts for every command, and that import costs half a start of Python
    from atip.cli.guard.judging import GuardAnswer, judge_request
    from atip.cli.guard.modes import in_mode
    from atip.cli.guard.protocols import (
        BadRequest,
        HookRequest,
        answer,
        read_request,
        unique_object,
    )
    from atip.cli.output import clean
    from atip.model.reading.plain_json import dumps, loads

    client = full_name(options.client)
    # a request that cannot be read may have any mode
    request = HookRequest(mode="unknown")
    guard_answer = GuardAnswer(outcome="ask", reason="atip guard could not judge this line")
    try:
        if len(data) > MAX_REQUEST:
            raise BadRequest("the request is too long")
        request = read_request(client, loads(data.decode("utf-8"), object_pairs_hook=unique_object))
        guard_answer = judge_request(request, client, options)
    except (ValueError, RecursionError) as error:
        guard_answer = guard_answer.replace(reason=f"the request cannot be read: {error}")
    except Exception as error:
        # SECURITY: fail closed. A crash of the guard must not become a permission.
        guard_answer = guard_answer.replace(
            reason=f"atip guard failed: {type(error).__name__}: {error}"
        )
    outcome, reason = guard_answer.outcome, guard_answer.reason
    if outcome == "ask" and options.ask_as == "deny":
        outcome = "deny"
    if outcome is not None:
        outcome, reason = in_mode(client, request.mode, outcome, reason)
    reply = guard_answer.confined or answer(client, request.event, outcome, clean(reason)[:2000])
    return (dumps(reply, ensure_ascii=True) + "\n").encode("ascii")
