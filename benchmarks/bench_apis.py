"""API documents: to tools against other converters, sync in full and of one change, tokens for one call.

    python benchmarks/bench_apis.py [DIRECTORY OF corpora/openapi] [--peers PYTHON]

`--peers` is the interpreter of an environment with `utcp`, `utcp-http` and `fastmcp` (installed for the bench only);
without it the ratios are left out. All figures are CPU seconds of one run, the best of three.
"""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import typing

from benchmarks.measure import figure

HERE = pathlib.Path(__file__).resolve().parent

OURS = """
import json, sys, time
import atip
from atip.codecs.apis.tree import tool_of
document = json.load(open(sys.argv[1]))
best = 9e9
for _ in range(3):
    begin = time.process_time()
    tool = tool_of(atip.load_api(document, name="github"))
    best = min(best, time.process_time() - begin)
print(len(tool.commands), best)
"""
UTCP = """
import json, sys, time
from utcp_http.openapi_converter import OpenApiConverter
document = json.load(open(sys.argv[1]))
best = 9e9
for _ in range(3):
    begin = time.process_time()
    manual = OpenApiConverter(document, spec_url="https://api.github.com/x.json").convert()
    best = min(best, time.process_time() - begin)
print(len(manual.tools), best)
"""
FASTMCP = """
import json, sys, time
import httpx2, fastmcp
document = json.load(open(sys.argv[1]))
begin = time.process_time()
server = fastmcp.FastMCP.from_openapi(document, httpx2.AsyncClient(base_url="https://api.github.com"))
spent = time.process_time() - begin
import asyncio
print(len(asyncio.run(server.list_tools())), spent)
"""


def main(given: list[str] | None = None) -> bool:
    """Prints a line per figure; true when every bar that could be measured is met."""
    arguments = [each for each in given or [] if not each.startswith("--")]
    peers = arguments.pop() if "--peers" in (given or []) else ""
    default = os.environ.get("ATIP_SHARED") or str(HERE.parent.parent / "shared")
    corpus = pathlib.Path(arguments[0] if arguments else f"{default}/corpora/openapi")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        document = folder / "github.json"
        packed = next(corpus.glob("github*.json.gz"))
        document.write_bytes(gzip.decompress(packed.read_bytes()))
        good = compare(document, peers)
        good &= sync_figures(folder)
        good &= token_figures(corpus)
    return good


def compare(document: pathlib.Path, peers: str) -> bool:
    count, ours = run(sys.executable, OURS, document)
    name = f"GitHub's OpenAPI document, {count} operations, to tools"
    if not peers:
        return figure(name, ours, None, unit="s CPU", detail="peers: `--peers PYTHON`")
    good = True
    for name, program, bar in (("python-utcp", UTCP, 1.5), ("fastmcp", FASTMCP, 0.25)):
        found, theirs = run(peers, program, document)
        detail = f"{ours:.3f} s / {theirs:.3f} s for {found} tools"
        good &= figure(
            f"GitHub's OpenAPI document to tools / {name}",
            ours / theirs,
            bar,
            unit="×",
            detail=detail,
        )
    return good


def run(python: str, program: str, document: pathlib.Path) -> tuple[int, float]:
    done = subprocess.run([python, "-c", program, str(document)], capture_output=True, text=True, check=True)  # fmt: skip
    count, spent = done.stdout.split()[-2:]
    return int(count), float(spent)


def sync_figures(folder: pathlib.Path) -> bool:
    """In full, unchanged, and after one operation changed."""
    from atip.apis.config import load_config
    from atip.apis.interface import open_access
    from atip.apis.sync.syncing import sync

    told = {"sources": {"openapi": {"github": {"type": "openapi", "spec": "github.json"}}}}
    (folder / "codegen.config.json").write_text(json.dumps(told))
    config = load_config(str(folder))

    def timed() -> tuple[float, typing.Any]:
        begin = time.process_time()
        report = sync(config, open_access())
        return time.process_time() - begin, report.sources[0]

    full, report = timed()
    figure("api sync in full", full, None, unit="s CPU", detail=f"{report.written} files")
    unchanged, report = timed()
    figure("api sync unchanged / in full", unchanged / full, None, unit="×")
    text = (folder / "github.json").read_bytes()
    place = text.index(b'"summary":"Create an issue"') + len(b'"summary":"')
    (folder / "github.json").write_bytes(text[:place] + b"Changed: " + text[place:])
    one, report = timed()
    return figure("api sync of one change / in full", one / full, 0.05, unit="×")


def token_figures(corpus: pathlib.Path) -> bool:
    """What must be read for one call, against the raw document, for a large and for a small API."""
    import atip
    from atip.apis.sync.incremental import SyncState
    from atip.apis.sync.tokens import figures, path_tokens, raw_tokens
    from atip.model.reading.document_pieces import split_document

    good = True
    for packed in (*corpus.glob("github*.json.gz"), *corpus.glob("scalar*.json.gz")):
        raw = gzip.decompress(packed.read_bytes())
        api = atip.load_api(atip.read_api_document(raw), name="x")
        state = SyncState(
            digests={}, names={}, parts={}, required=False,
            tokens=raw_tokens(raw.decode(), split_document(raw)), path_tokens=path_tokens(api, "python"),
        )  # fmt: skip
        found = figures([state])
        share = found["codeMode"] / found["traditional"]
        detail = f"{found['codeMode']:,} of {found['traditional']:,} tokens"
        bar = 0.02 if packed.name.startswith("github") else None
        good &= figure(
            f"{packed.name}: tokens for one call / raw document",
            share,
            bar,
            unit="×",
            detail=detail,
        )
    return good


if __name__ == "__main__":
    raise SystemExit(0 if main(sys.argv[1:]) else 1)
