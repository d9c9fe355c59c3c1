"""Intents of a bundle: phrases of INTENT.md, and the tool that serves them. Implements AIP-29 "With AIP-28".

An intent is an alias of a tool with phrases of users; it requests nothing beyond its tool, and is judged and confined
as that tool. Experiments are ignored: the default route is used.
"""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING, Any

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.codecs.climd.tool import BundleTool

FOLDER = "intents"
FILE = "INTENT.md"
MAX_INTENTS = 200
MAX_PHRASES = 50


class BundleIntent(Value):
    """One intent."""

    id: str
    label: str
    ref: str
    phrases: tuple[str, ...]
    path: tuple[str, ...] | None
    """Command words of its tool; None: no tool of this bundle serves it."""


def read_intents(
    documents: Sequence[tuple[str, Mapping[str, Any]]], tools: Sequence[BundleTool]
) -> tuple[BundleIntent, ...]:
    """The intents of a bundle's INTENT.md documents, in their order."""
    return tuple(_read(ref, fields, tools) for ref, fields in documents)


def find_intent_files(folder: str) -> Iterator[str]:
    """References to `intents/NAME/INTENT.md` and `intents/NAME.INTENT.md`, sorted; also those that CLI.md does not list."""
    try:
        names = sorted(os.listdir(os.path.join(folder, FOLDER)))[:MAX_INTENTS]
    except OSError:
        return
    for name in names:
        if name.endswith(f".{FILE}"):
            yield f"./{FOLDER}/{name}"
        elif os.path.isfile(os.path.join(folder, FOLDER, name, FILE)):
            yield f"./{FOLDER}/{name}/{FILE}"


def _read(ref: str, fields: Mapping[str, Any], tools: Sequence[BundleTool]) -> BundleIntent:
    label = str(fields.get("label") or fields.get("name") or "")
    examples = fields.get("examples")
    user_phrases = [example.get("user") for example in examples if isinstance(example, dict)] if isinstance(examples, list) else []  # fmt: skip
    phrases = [label, fields.get("name"), fields.get("description"), *_seeds(fields.get("intent")), *user_phrases]  # fmt: skip
    return BundleIntent(
        id=str(fields.get("id", "")),
        label=label,
        ref=ref,
        phrases=tuple(dict.fromkeys(str(phrase) for phrase in phrases if phrase))[:MAX_PHRASES],
        path=_path(ref, fields.get("implements"), tools),
    )


def _seeds(seeds: Any) -> list[Any]:
    """Words of one language, or of several by their codes."""
    if isinstance(seeds, dict):
        return [word for words in seeds.values() if isinstance(words, list) for word in words]
    return list(seeds) if isinstance(seeds, list) else []


def _path(ref: str, routes: Any, tools: Sequence[BundleTool]) -> tuple[str, ...] | None:
    known_paths = (
        [route for route in routes if isinstance(route, dict)] if isinstance(routes, list) else []
    )
    # The default first; conditions of other routes belong to the surface that asks.
    for route in sorted(known_paths, key=lambda one: not one.get("default")):
        target = str(route.get("tool", ""))
        sibling = posixpath.normpath(posixpath.join(posixpath.dirname(ref), target))
        for tool in tools:
            if target == tool.id or posixpath.normpath(tool.ref) in (
                posixpath.normpath(target),
                sibling,
            ):
                return tool.path
    return None
