"""ATIP 0.1: for agents that support nothing newer. Reading is the model's own; writing drops what 0.1
cannot express (trust, binary, interactive effects, partial answers) and lists it as losses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.interface import Decoded, Encoded, Loss
from atip.model.problems import render_path
from atip.model.reading import encode as model_encode

if TYPE_CHECKING:
    from atip.model.tool import Tool

_ROOT_ONLY_LATER = (
    "trust", "binary", "partial", "filter", "totalCommands", "includedCommands", "omitted",
)  # fmt: skip
_COSTS = {"free": "none"}


def decode(data: bytes | dict[str, Any], *, origin: str = "") -> Decoded:
    """Decode 0.1 metadata with the same reader as 0.6 (A1, A35)."""
    from atip.codecs import atip_current

    return atip_current.decode(data, origin=origin)


def encode(tool: Tool) -> Encoded:
    """Encode a tool as a 0.1 document; fields that 0.1 lacks are losses."""
    document = model_encode.encode(tool)
    losses: list[Loss] = []
    protocol = document["atip"]
    if isinstance(protocol, dict):
        for field in protocol:
            if field != "version":
                losses.append(_loss(("atip", field), "0.1 has only a version here"))
    document["atip"] = "0.1"
    for field in _ROOT_ONLY_LATER:
        if field in document:
            del document[field]
            losses.append(_loss((field,), f"0.1 has no `{field}`"))
    _strip(document, (), losses)
    return Encoded(data=document, losses=tuple(losses))


def _strip(node: dict[str, Any], path: tuple[str | int, ...], losses: list[Loss]) -> None:
    effects = node.get("effects")
    if isinstance(effects, dict):
        if "interactive" in effects:
            del effects["interactive"]
            losses.append(
                _loss((*path, "effects", "interactive"), "0.1 has no interactive effects")
            )
        cost = effects.get("cost")
        if isinstance(cost, dict) and cost.get("estimate") in _COSTS:
            cost["estimate"] = _COSTS[cost["estimate"]]
        if not effects:
            del node["effects"]
    patterns = node.get("patterns")
    for index, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
        if pattern.pop("executable", None):
            losses.append(
                _loss((*path, "patterns", index, "executable"), "0.1 patterns are never executable")
            )
    for name, command in (node.get("commands") or {}).items():
        _strip(command, (*path, "commands", name), losses)


def _loss(path: tuple[str | int, ...], message: str) -> Loss:
    return Loss(path=render_path(path), message=message)
