"""MCP: what finding one command and calling it costs a model's context, against listing the same tools.

Every curated tool of ours is known to the server; requests are put through the official client, in memory. Tokens are
those of cl100k. Counted on our side: the list of tools with the instructions, the call of `find` and its answer, the
call of `run` and the answer to it without what the program itself prints. On the other side: `tools/list` of a server
that publishes each command as a tool of its own, as compiled by us, and one call.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import anyio
import mcp_types as types
from mcp import Client

from atip.execution.output.result import Result
from atip.knowledge.reading import load, names
from atip.model.reading.encode import encode
from atip.server.app import App
from atip.server.marks import rendered
from atip.server.runs import Bounds
from atip.session import Session
from atip.system.tokens import find_counter
from atip.toolbox import Toolbox
from benchmarks.measure import figure

MAX_SURFACE = 350
MAX_IN_ALL = 900
MAX_FIRST_S = 0.35
REQUESTS = (
    # what a user says, the command that is run, its words
    ("list open pull requests", "gh pr list", ["--state", "open"]),
    ("show the last commits", "git log", ["-3", "--oneline"]),
    ("find large files", "find", [".", "-size", "+10M"]),
    ("restart a deployment", "kubectl rollout restart", ["deployment/web"]),
    ("list running containers", "docker ps", []),
    ("extract a tar archive", "tar", ["-xzf", "a.tgz"]),
    ("download a file over https", "curl", ["-O", "https://example.org/a"]),
    ("search text in files recursively", "grep", ["-rn", "needle", "."]),
    ("install a python package", "pip install", ["httpx"]),
    ("show disk usage", "df", ["-h"]),
    ("copy files to a bucket", "aws s3 cp", ["a", "s3://b/a"]),
    ("run the database migrations", "alembic upgrade", ["head"]),
)


def main() -> bool:
    tokenizer, count = find_counter()
    with tempfile.TemporaryDirectory() as folder:
        box, tools = _known(pathlib.Path(folder))
        app = App(box, Bounds(root=folder))
        surface, rows = anyio.run(_measured, app, count)
        listing, functions = _listing(tools, count)
        first = min(first_answer(folder) for _ in range(5))
    total = sum(1 for _ in tools)
    print(f"tokenizer {tokenizer}; {total} tools, {functions} commands known")
    good = _line("surface: tools/list and instructions", surface, MAX_SURFACE)
    good &= figure("MCP initialize answered", first, MAX_FIRST_S, unit="s CPU")
    for request, cost in rows:
        good &= _line(f"find and call: {request}", surface + cost, MAX_IN_ALL)
    worst = surface + max(cost for _, cost in rows)
    detail = f"{listing / worst:,.0f} times the dearest request"
    figure("listing the same tools through MCP", listing, None, unit="tokens", detail=detail)
    return good


def first_answer(home: str) -> float:
    """Processor time of the server until `initialize` is answered, in seconds."""
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    command = [sys.executable, "-m", "atip.cli.main", "mcp", "serve"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, env={**os.environ, "HOME": home}
    ) as server:
        assert server.stdin and server.stdout
        server.stdin.write(_compact(request).encode() + b"\n")
        server.stdin.flush()
        assert b'"result"' in server.stdout.readline()
        fields = pathlib.Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
        server.stdin.close()
        server.wait()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _line(name: str, found: int, bar: int) -> bool:
    return figure(name, found, bar, unit="tokens")


def _known(home: pathlib.Path) -> tuple[Toolbox, list]:
    """A store that knows every curated tool, all for the file of this interpreter."""
    from atip.registry.layout import personality_name
    from atip.system.clock import now_iso

    box = Toolbox(home=str(home))
    status = os.stat(sys.executable)
    key = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    tools = [tool for tool in map(load, names()) if tool is not None]
    entries = {}
    for tool in tools:
        place = personality_name("sha256:" + "0" * 64, tool.name)
        document = {key: value for key, value in encode(tool).items() if key != "x-atip"}
        entries[tool.name] = {
            "path": sys.executable,
            "hash": "sha256:" + "0" * 64,
            "source": "inferred",
            "metadataPath": place,
            "lastChecked": now_iso(),
            "x-atip": {"metadataHash": box.store.save_metadata(place, document), "stat": key},
        }
    box.store.put(entries)
    return box, tools


async def _measured(app: App, count) -> tuple[int, list[tuple[str, int]]]:
    async with Client(app.server) as client:
        listed = await client.list_tools()
        shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools]
        surface = count(_compact(shown)) + count(client.instructions or "")
        rows = []
        start = time.perf_counter()
        for request, command, words in REQUESTS:
            asked = {"query": request}
            answer = await client.call_tool("find", asked)
            cost = count(_compact({"name": "find", "arguments": asked})) + count(_text(answer))
            ran = {"command": command, "argv": words}
            empty = rendered(Result(argv=(command,), exit_code=0, stdout="."))
            cost += count(_compact({"name": "run", "arguments": ran})) + count(empty)
            rows.append((request, cost))
        print(f"     {len(rows)} requests in {time.perf_counter() - start:.1f} s, index included")
    return surface, rows


def _listing(tools: list, count) -> tuple[int, int]:
    made = Session(tools, "mcp", strategy="discrete").compiled.declarations
    return sum(count(_compact(one)) for one in made), len(made)


def _text(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
