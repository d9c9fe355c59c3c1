"""Losses of a format: the fields of a tool that it cannot express, by its table or by decoding its document again.

One walk over the ATIP document of a tool, one table per format. Fields about the document and not about the tool
(`atip`, evidence, `_…`) are not losses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.interface import Loss
from atip.model.problems import render_path
from atip.model.reading import encode as model_encode
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from atip.model.tool import Tool

    Place = tuple[str | int, ...]

_FRAME = frozenset(("atip", "name"))
_ABOUT = frozenset(("evidence", "confidence", "mentioned", "join", "intents", "category", "method"))
"""Keys of `x-atip` that say where a fact came from."""


class Vocabulary(Value):
    """Fields that a format can express, by the object of §3 that contains them. `own` are keys of `x-atip` on options."""

    tool: frozenset[str]
    command: frozenset[str]
    option: frozenset[str]
    argument: frozenset[str]
    own: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset(("string", "boolean"))
    alarms: frozenset[str] = frozenset()
    """Effects that the format can assert but not deny."""
    vendor: str = ""
    """The vendor field in which a document of this format keeps what the model has no field for."""

    def preserved_fields(self, extra: Mapping[str, object]) -> dict[str, Any]:
        """What a document of this format kept in the vendor field."""
        fields = extra.get(self.vendor)
        return dict(fields) if isinstance(fields, dict) else {}


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def find_losses(tool: Tool, vocabulary: Vocabulary, why: str) -> list[Loss]:
    """List the fields of the tool that the format cannot express."""
    document = model_encode.encode(tool)
    return [
        Loss(path=render_path(place), message=why)
        for place in _walk(document, (), vocabulary.tool, vocabulary)
    ]


def find_changes(tool: Tool, back: Tool) -> Iterator[tuple[Place, str]]:
    """Fields that differ between a tool and what was decoded from its encoding: `missing`, `changed` or `added`."""
    return _compare(model_encode.encode(tool), model_encode.encode(back), ())


def _compare(old: dict[str, Any], new: dict[str, Any], path: Place) -> Iterator[tuple[Place, str]]:
    for key, value in old.items():
        place = (*path, key)
        if key not in new:
            yield place, "missing"
        elif isinstance(value, dict) and isinstance(new[key], dict):
            yield from _compare(value, new[key], place)
        elif value != new[key]:
            yield place, "changed"
    yield from (((*path, key), "added") for key in new if key not in old)


def _walk(
    node: dict[str, Any], place: Place, fields: frozenset[str], table: Vocabulary
) -> Iterator[Place]:
    for key, value in node.items():
        if key == "commands":
            for name, child in value.items():
                yield from _walk(child, (*place, key, name), table.command, table)
        elif key in ("options", "globalOptions"):
            yield from _parameters(value, (*place, key), table.option, table)
        elif key == "arguments":
            yield from _parameters(value, (*place, key), table.argument, table)
        else:
            yield from _field(key, value, place, fields, table)


def _parameters(
    nodes: list[dict[str, Any]], place: Place, fields: frozenset[str], table: Vocabulary
) -> Iterator[Place]:
    for index, node in enumerate(nodes):
        for key, value in node.items():
            if key == "type":
                # the preserved source document holds the type in its own notation
                is_preserved = bool(table.vendor) and table.vendor in node
                is_choice = bool(node.get("enum")) and "enum" in fields
                if value not in table.types and not is_choice and not is_preserved:
                    yield (*place, index, key)
            else:
                yield from _field(key, value, (*place, index), fields, table)


def _field(
    key: str, value: Any, place: Place, fields: frozenset[str], table: Vocabulary
) -> Iterator[Place]:
    if key in fields or key in _FRAME or key == table.vendor or key.startswith(("_", "$")):
        return
    if key == "x-atip" and isinstance(value, dict):
        for entry, fact in value.items():
            if entry == "effects" and entry not in table.own and isinstance(fact, dict):
                yield from _facts(fact, (*place, key, entry), table)
            elif entry not in _ABOUT | table.own:
                yield (*place, key, entry)
    elif key == "effects" and isinstance(value, dict):
        yield from _facts(value, (*place, key), table)
    else:
        yield (*place, key)


def _facts(effects: dict[str, Any], place: Place, table: Vocabulary) -> Iterator[Place]:
    """Fact by fact: `effects.filesystem.write`, not `effects`."""
    for key, value in effects.items():
        if isinstance(value, dict):
            yield from ((*place, key, inner) for inner in value)
        elif not (value is True and key in table.alarms):
            yield (*place, key)
