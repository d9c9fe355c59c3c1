"""Facts of a usage spec beyond the model: kept in the vendor field `x-usage`, so that they can be written again.

SECURITY: what runs a program when the user presses the tab key (`complete run=`, `mount run=`, `parse=`) is not kept:
metadata may travel through registries, and a completion must not carry foreign code. `losses` names each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.described.facts import RUNS, Unread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from atip.inference.described.usage.kdl import KdlNode

KEPT = "x-usage"
_ROOT = frozenset(
    ("name", "bin", "about", "version", "min_usage_version", "usage", "license", "repository")
)
_COMMAND_NODES = frozenset(("cmd", "flag", "arg", "alias", "help", "example"))
_COMMAND = frozenset(("help", "hide", "deprecated", "effect"))
_FLAG = frozenset(
    ("help", "default", "required", "var", "count", "hide", "env", "deprecated", "global", "effect",
     "negate", "conflicts")
)  # fmt: skip
_FLAG_NODES = frozenset(("alias", "arg", "choices", "conflicts"))
_ARGUMENT = frozenset(("help", "required", "var", "default", "effect"))
_RUNS = frozenset(("run", "parse", "mount", "include"))


def of_command(
    nodes: tuple[KdlNode, ...], properties: Mapping[str, object], depth: int
) -> dict[str, Any]:
    names = _COMMAND_NODES | (_ROOT if depth == 0 else frozenset())
    examples = [plain for plain in (_example(one) for one in nodes) if plain]
    rest = _rest(nodes, names, properties, _COMMAND)
    if examples:
        rest.setdefault(KEPT, {})["examples"] = examples
    return rest


def of_flag(node: KdlNode, value: str, inner: KdlNode | None) -> dict[str, Any]:
    # the model has no default for a switch
    keys = _FLAG if value else _FLAG - {"default"}
    rest = _rest(node.children, _FLAG_NODES, node.properties, keys)
    others = rest.get(KEPT, {})
    if value:
        others["value"] = value
    if inner is not None:
        below = _rest(inner.children, frozenset(("choices",)), inner.properties, frozenset())
        if below:
            others["arg"] = below[KEPT]
    others.update(_rich_choices(inner) or _rich_choices(node))
    return {KEPT: others} if others else {}


def of_argument(node: KdlNode) -> dict[str, Any]:
    rest = _rest(node.children, frozenset(("choices",)), node.properties, _ARGUMENT)
    return {KEPT: {**rest.get(KEPT, {}), "spelled": node.first, **_rich_choices(node)}}


def _rich_choices(node: KdlNode | None) -> dict[str, Any]:
    """Choices that say more than their names."""
    choices = node.child("choices") if node else None
    if choices is None or _runs(choices):
        return {}
    more = any(one.properties or one.children for one in choices.children)
    return {"choices": _plain(choices)} if more or choices.properties else {}


def losses(nodes: Iterable[KdlNode], path: str = "$") -> list[Unread]:
    """Every place that runs something, and is left out for that reason."""
    places: list[Unread] = []
    for node in nodes:
        place = f"{path}.{node.name}" + (f"[{node.first}]" if node.values else "")
        keys = [key for key in node.properties if key in _RUNS]
        places += [Unread(path=f"{place}.{key}", message=RUNS) for key in keys]
        if node.name in _RUNS:
            places.append(Unread(path=place, message=RUNS))
        places += losses(node.children, place)
    return places


def _example(node: KdlNode) -> dict[str, Any] | None:
    if node.name != "example" or (not node.properties and len(node.values) == 1):
        return None
    return {"values": list(node.values), **dict(node.properties)}


def _rest(
    nodes: Iterable[KdlNode],
    names: frozenset[str],
    properties: Mapping[str, object],
    keys: frozenset[str],
) -> dict[str, Any]:
    others = {k: v for k, v in properties.items() if k not in keys and k not in _RUNS}
    below = [_plain(node) for node in nodes if node.name not in names and not _runs(node)]
    parts: dict[str, Any] = {}
    if others:
        parts["properties"] = others
    if below:
        parts["nodes"] = below
    return {KEPT: parts} if parts else {}


def _runs(node: KdlNode) -> bool:
    return (node.name in _RUNS or any(key in _RUNS for key in node.properties)) or any(
        _runs(child) for child in node.children
    )


def _plain(node: KdlNode) -> dict[str, Any]:
    document: dict[str, Any] = {"name": node.name}
    if node.values:
        document["values"] = list(node.values)
    if node.properties:
        document["properties"] = dict(node.properties)
    if node.children:
        document["children"] = [_plain(child) for child in node.children]
    return document
