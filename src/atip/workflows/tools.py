"""Metadata of tools: listed, resolved, refreshed when a file changed, discovered on demand, ready for use."""

from __future__ import annotations

import os

from atip.errors import NotFoundError
from atip.model.reading.plain_json import dumps
from atip.registry.settings import load_settings
from atip.workflows.cmp.places import find_document, with_cmp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from atip.discovery.mcp.configs import McpConfigs
    from atip.model.tool import Tool
    from atip.workflows.host import Host


def list_tools(host: Host) -> list[dict[str, Any]]:
    """Every known tool, as index entries with their names; CMP tools last."""
    tools = host.store.load_index()["tools"]
    return with_cmp(host, [{"name": name, **entry} for name, entry in sorted(tools.items())])


def find_tool(host: Host, name: str) -> Tool | None:
    """Metadata of a tool, or None when there is none."""
    try:
        return get_tool(host, name)
    except NotFoundError:
        return None


def get_tool(host: Host, name: str, words: Sequence[str] = ()) -> Tool:
    """Metadata of a tool, with curated knowledge, the user's override and layered patterns; ready for use.

    Args:
        words: of a command line; of a very large tool, only the commands in these words are complete.

    Raises:
        NotFoundError: `tool.not-found` or `store.no-metadata`.
    """
    from atip.model.reading.decode import decode_tool
    from atip.registry.patterns import layered_patterns
    from atip.workflows.lookup import Lookup

    document = get_document(host, name, words)
    tool = Lookup(host.places, os.getcwd()).over(decode_tool(document).replace(name=name))
    return tool.replace(patterns=layered_patterns(tool, host.places) or tool.patterns)


def get_document(host: Host, name: str, words: Sequence[str] = ()) -> dict[str, Any]:
    """Metadata as stored, plain values. `words` as for `get_tool`."""
    document = find_document(host, name)
    return document or host.store.load_metadata(name, resolve(host, name), words)


def with_patterns(host: Host, document: dict[str, Any]) -> dict[str, Any]:
    """A stored document with the patterns of every layer, as `get_tool` gives them; what `show --json` prints."""
    from atip.registry.patterns import has_pattern_files, layered_patterns

    if not (document.get("patterns") or has_pattern_files(host.places)):
        return document
    from atip.model.reading.decode import decode_tool
    from atip.model.reading.encode import encode

    top_level = decode_tool({key: value for key, value in document.items() if key != "commands"})
    tool = top_level.replace(patterns=layered_patterns(top_level, host.places))
    patterns = encode(tool).get("patterns")
    return {**document, "patterns": patterns} if patterns else document


def document_pieces(host: Host, name: str) -> list[bytes | memoryview]:
    """The output of `show --json` in pieces: the document of a tool with the claim of the tool itself. The commands of a
    large tool are one piece as stored: they are neither parsed nor copied.

    Raises:
        NotFoundError: `tool.not-found` or `store.no-metadata`.
    """
    from atip.workflows.claims import with_claims

    cmp_document = find_document(host, name)
    entry = {} if cmp_document else resolve(host, name)
    texts = None if cmp_document else host.store.load_texts(name, entry)
    document = texts[0] if texts else cmp_document or host.store.load_metadata(name, entry)
    document = with_patterns(host, document)
    merged = with_claims(host, {**document, "name": name})
    if texts is None:
        try:
            return [dumps(merged, allow_nan=False).encode()]
        except UnicodeEncodeError:  # half a character: only an escape can say it
            return [dumps(merged, allow_nan=False, ensure_ascii=True).encode()]
    keys = list(merged)
    at = keys.index("commands")
    before, after = (
        "".join(f"{dumps({key: merged[key]}, allow_nan=False)[1:-1]}, " for key in part)
        for part in (keys[:at], keys[at + 1 :])
    )
    end = f", {after[:-2]}}}" if after else "}"
    return [f'{{{before}"commands": '.encode(), texts[1], end.encode()]


def get_only(host: Host, name: str, words: Sequence[str]) -> dict[str, Any]:
    """One command of a tool as stored, in a document that lists what it leaves out; empty where `view` has to build it."""
    from atip.model.view.plain import plain_part

    document = find_document(host, name)
    if document is None:
        entry = resolve(host, name)
        document = host.store.load_part(name, entry, words[0])
        document = document or host.store.load_metadata(name, entry, words)
    part = plain_part(document, words)
    return {**part, "name": name} if part else {}


def resolve(host: Host, name: str) -> dict[str, Any]:
    """The index entry of a tool, refreshed when its file changed or the entry is too old, and
    discovered on demand when there is none (0.1 §3.4.2, 0.6 §4.3).

    Raises:
        NotFoundError: `tool.not-found`.
    """
    from atip.discovery.freshness import why_stale

    entry = host.store.find(name)
    reason = why_stale(entry, lambda: load_settings(host.places, "config"))
    if reason is not None:
        _rescan(host, name, entry, refresh=reason == "expired")
        entry = host.store.find(name)
    if entry is None:
        raise _unknown(host, name)
    return entry


def _rescan(host: Host, name: str, entry: dict[str, Any] | None, *, refresh: bool) -> None:
    from atip.model.text.names import why_unsafe

    if why_unsafe(name):
        return
    from atip.discovery.scan import ScanOptions
    from atip.workflows.scan.machine import scan

    extension = (entry or {}).get("x-atip") or {}
    learn = extension.get("rung") in ("framework", "help")
    paths = (os.path.dirname(entry["path"]),) if entry else ()
    scan(host, ScanOptions(paths=paths, only=(name,), refresh=refresh, learn=learn))
    if entry is not None and not os.path.exists(entry["path"]):
        host.store.forget([name])


def _unknown(host: Host, name: str) -> NotFoundError:
    from atip.model.shapes.shape import closest

    index = host.store.load_index()["tools"]
    close = closest(name, index)
    hint = f"did you mean `{close}`?" if close else "if it is installed, run `atip scan`"
    return NotFoundError("tool.not-found", f"no tool `{name[:80]}` found", hint=hint)


def get_part(host: Host, name: str, commands: Sequence[str]) -> Tool:
    """Some command subtrees of a tool: as stored, or, where only an overview is stored, by probing
    the tool for just these, confined (§3.1.1 agent strategy).

    Raises:
        NotFoundError: `view.unknown-command`.
    """
    from atip.model.view.partial import view

    tool = get_tool(host, name)
    missing = [path for path in commands if not _is_expanded(tool, path)]
    if not (tool.partial and missing and tool.trust and tool.trust.source == "native"):
        return view(tool, commands=commands)
    from atip.discovery.sources.native import judge_answer
    from atip.workflows.lookup import Lookup, locate
    from atip.workflows.scan.machine import open_prober

    path = locate(str(resolve(host, name)["path"]))
    with open_prober(_visible(path), 1) as box:
        answer = box.run([path, "--agent", "--commands=" + ",".join(commands)])
    return Lookup(host.places, os.getcwd()).over(judge_answer(name, answer).tool)


def _visible(path: str) -> Sequence[str]:
    from atip.discovery.files.stubs import head_of, needed_paths, parse_stub

    return [os.path.dirname(path), *needed_paths(path, parse_stub(path, head_of(path)))]


def _is_expanded(tool: Tool, path: str) -> bool:
    """Whether the stored tree has the details of a command, not only its name."""
    command = tool.find(tuple(path.replace(".", " ").split()))
    return command is not None and bool(command.commands or command.options or command.arguments)


def mcp_servers(host: Host, cwd: str = "") -> McpConfigs:
    """MCP servers in the configuration of the user's clients; none is started."""
    from atip.discovery.mcp.configs import read_mcp_configs

    extra = load_settings(host.places, "config").get("mcpConfigs", ())
    return read_mcp_configs(host.places, cwd or os.getcwd(), extra)
