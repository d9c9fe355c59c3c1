"""Claims in a document: what a command does by itself, and the most that it may do, where these differ.

ATIP states the effects of a command without options, so `destructive: false` may stand beside an option that destroys.
The document states both in our vendor block: `"x-atip": {"claim": {"base", "ceiling", "with"}}`.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from atip.calls.effects.ceiling import Claim
    from atip.model.tool import Tool
    from atip.workflows.host import Host

    Document = dict[str, Any]


def with_claims(host: Host, document: Document, *, every: bool = False) -> Document:
    """Return the document with claims for the commands that it was filtered for, else for the tool itself.

    Args:
        every: for every command in it, which takes long for large tools.
    """
    commands = (document.get("filter") or {}).get("commands") or ()
    paths = [tuple(words.split()) for words in commands] or [()]
    tool = _with_knowledge(host, document if every or commands else _without_details(document))
    if every:
        paths = [(), *(path for path, _ in tool.walk())]
    return _add_claims(document, tool, paths)


def _with_knowledge(host: Host, document: Document) -> Tool:
    from atip.model.reading.decode import decode_tool
    from atip.workflows.lookup import Lookup

    return Lookup(host.places, os.getcwd()).over(decode_tool(document))


def _without_details(document: Document) -> Document:
    """Drop the commands: the claim of a tool depends only on whether there are any, and copying hundreds is slow."""
    commands = document.get("commands")
    if not isinstance(commands, dict):
        return document
    itself = {"": commands[""]} if "" in commands else {}
    first = next((name for name in commands if name), "")
    return {**document, "commands": {**itself, **({first: {"description": ""}} if first else {})}}


def _add_claims(document: Document, tool: Tool, paths: Iterable[Sequence[str]]) -> Document:
    from atip.calls.effects.ceiling import command_claim

    for path in paths:
        claim = command_claim(tool, path)
        if claim.base != claim.ceiling:
            document = _place(document, tuple(path), _encode(claim))
    return document


def _place(node: Document, path: tuple[str, ...], claim: Document) -> Document:
    """Copy the nodes along the path and add the claim; a command that the document leaves out gets none."""
    if not path:
        extension = node.get("x-atip")
        return {
            **node,
            "x-atip": {**(extension if isinstance(extension, dict) else {}), "claim": claim},
        }
    commands = node.get("commands")
    subcommand = commands.get(path[0]) if isinstance(commands, dict) else None
    if not isinstance(subcommand, dict):
        return node
    return {**node, "commands": {**node["commands"], path[0]: _place(subcommand, path[1:], claim)}}


def _encode(claim: Claim) -> Document:
    from atip.calls.effects.claim_words import more_words
    from atip.model.reading.encode import encode_effects

    return {
        "base": encode_effects(claim.base),
        "ceiling": encode_effects(claim.ceiling),
        "with": more_words(claim, doubts=True),
    }
