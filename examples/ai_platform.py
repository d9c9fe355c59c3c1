"""The tool side of a small AI platform (ATIP 0.6 §13.3): scan, compile, run, and MCP only for what is no program.

    python examples/ai_platform.py FOLDER…  < response.json

Scans the folders (the PATH without any), offers every command that is known, and every synced API, in OpenAI's form, and answers the tool
calls of one response, which it reads from standard input. Programs run directly, confined, under the user's policy; operations of
an MCP server (`atip api sync`) go to that server. What may lose data is never run without a person.
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
