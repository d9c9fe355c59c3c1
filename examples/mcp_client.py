"""A standalone MCP client: start `atip mcp serve`, find a command by words, read its description, run it.

    python examples/mcp_client.py count lines of a file -- wc FILE:='["notes.txt"]'

Needs the official SDK (`pip install mcp`). The server applies policy, sandbox and audit. If a call needs confirmation, the server
asks through the client (elicitation); this client always declines.
"""

from __future__ import annotations

import json
import os
import sys

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters


async def decline(_context: object, _question: object) -> types.ElicitResult:
    """Nobody is here to decide."""
    return types.ElicitResult(action="decline")


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


async def work(query: str, command: str, arguments: dict[str, object]) -> int:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "atip.cli.main", "mcp", "serve"], env=dict(os.environ)
    )
    async with Client(server, elicitation_callback=decline) as client:
        print(text_of(await client.call_tool("find", {"query": query})))
        print(text_of(await client.call_tool("describe", {"command": command})))
        done = await client.call_tool("run", {"command": command, "arguments": arguments})
        print(text_of(done))
        return 1 if done.is_error else 0


def main(words: list[str]) -> int:
    at = words.index("--")
    given = (word.partition("=") for word in words[at + 2 :])
    arguments = {
        key.rstrip(":"): json.loads(value) if key.endswith(":") else value
        for key, _, value in given
    }
    return anyio.run(work, " ".join(words[:at]), words[at + 1], arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
