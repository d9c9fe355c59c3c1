"""Claims in a document: what a command does by itself, and the most that it may do, where these differ.

ATIP states the effects of a command as it is called plainly, so `destructive: false` may stand beside an option that destroys.
Whoever reads the document alone is told both, in our vendor block: `"x-atip": {"claim": {"base", "ceiling", "with"}}`.
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
    """The document with the claims of what it is about: the commands that it was filtered for, else the tool itself.

    Args:
        every: of every command in it, which takes long for large tools.
    """
    asked = (document.get("filter") or {}).get("commands") or ()
    paths = [tuple(words.split()) for words in asked] or [()]
    tool = _known(host, document if every or asked else _without_details(document))
    if every:
        paths = [(), *(path for path, _ in tool.walk())]
    return _written(document, tool, paths)


def _known(host: Host, document: Document) -> Tool:
    from atip.model.reading.decode import decode_tool
    from atip.workflows.lookup import Lookup

    return Lookup(host.places, os.getcwd()).over(decode_tool(document))


def _without_details(document: Document) -> Document:
    """The claim of a tool looks at no command below it, only whether there is one; two hundred cost more than all the rest."""
    commands = document.get("commands")
    if not isinstance(commands, dict):
        return document
    itself = {"": commands[""]} if "" in commands else {}
    first = next((name for name in commands if name), "")
    return {**document, "commands": {**itself, **({first: {"description": ""}} if first else {})}}


def _written(document: Document, tool: Tool, paths: Iterable[Sequence[str]]) -> Document:
    from atip.calls.effects.ceiling import command_claim

    for path in paths:
        claim = command_claim(tool, path)
        if claim.base != claim.ceiling:
            document = _placed(document, tuple(path), _encoded(claim))
    return document


def _placed(node: Document, path: tuple[str, ...], claim: Document) -> Document:
    """A copy of the nodes on the way; one that the document leaves out gets no claim."""
    if not path:
        own = node.get("x-atip")
        return {**node, "x-atip": {**(own if isinstance(own, dict) else {}), "claim": claim}}
    commands = node.get("commands")
    below = commands.get(path[0]) if isinstance(commands, dict) else None
    if not isinstance(below, dict):
        return node
    return {**node, "commands": {**node["commands"], path[0]: _placed(below, path[1:], claim)}}


def _encoded(claim: Claim) -> Document:
    from atip.calls.effects.claim_words import more_words
    from atip.model.reading.encode import encode_effects

    return {
        "base": encode_effects(claim.base),
        "ceiling": encode_effects(claim.ceiling),
        "with": more_words(claim, doubts=True),
    }
