"""The tool side of a small AI platform (ATIP 0.6 §13.3): scan, compile, run, and MCP only for what is not a program.

    python examples/ai_platform.py FOLDER…  < response.json

Scans the folders (default: the PATH), compiles every known command and every synced API to OpenAI's format, reads one response
from standard input and runs its tool calls. Programs run directly, confined, under the user's policy; operations of
an MCP server (`atip api sync`) go to that server. A call that may destroy data never runs without a person's confirmation.
"""

from __future__ import annotations

import json
import sys

import atip
from atip.discovery.scan import ScanOptions


def start(box: atip.Toolbox, folders: tuple[str, ...]) -> atip.Session:
    """At start-up: find the tools of this machine, and compile them for the provider."""
    box.scan(ScanOptions(paths=folders))
    known = [tool for entry in box.list() if (tool := box.find(entry["name"])) is not None]
    return atip.Session(known, provider="openai")


def answer(box: atip.Toolbox, session: atip.Session, response: object) -> list[dict[str, object]]:
    """One message for every tool call of a response."""
    messages = []
    for call in session.parse(response):
        try:
            messages.append(session.result(call, box.call(call)))
        except atip.AtipError as refused:
            told = json.dumps({"error": {"code": refused.code, "message": refused.message}})
            messages.append({"role": "tool", "tool_call_id": call.id, "content": told})
    return messages


def main() -> int:
    box = atip.Toolbox()  # with the user's own policy (`atip policy show`)
    session = start(box, tuple(sys.argv[1:]))
    print(f"{len(session.tools)} functions are offered", file=sys.stderr)
    for message in answer(box, session, json.load(sys.stdin)):
        print(json.dumps(message))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
