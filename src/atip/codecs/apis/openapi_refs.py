"""References inside an API description: `$ref` by JSON Pointer, cycle-safe, never outside the document.

SECURITY: only `#/…` is followed. A reference to a file or an address could make us read or fetch what the author
of the document chooses (row 25); documents that are split over files are bundled by the caller, who
names the files it allows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from atip.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_HOPS = 32


class ReferenceProblem(FormatError):
    """A reference whose target is missing, circular or outside the document."""


class Pointers(Mapping[str, "Any"]):
    """A document seen as a mapping from reference (`#/components/schemas/User`) to its target."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._targets: dict[str, Any] = {}

    def __getitem__(self, reference: str) -> Any:
        target = self._targets.get(reference, self)
        if target is self:
            target = self._targets[reference] = _walk(self._document, reference)
        return target

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)

    def resolve(self, value: Any) -> Any:
        """Return `value` itself, or the end of its chain of references.

        Raises:
            ReferenceProblem: `api.reference-outside`, `api.reference-missing`, `api.reference-circle`.
        """
        for _ in range(_MAX_HOPS):
            if not (isinstance(value, dict) and isinstance(value.get("$ref"), str)):
                return value
            value = self[value["$ref"]]
        raise ReferenceProblem("api.reference-circle", "a `$ref` refers to itself")


def _walk(document: Mapping[str, Any], reference: str) -> Any:
    if not reference.startswith("#"):
        raise ReferenceProblem(
            "api.reference-outside",
            f"`$ref` points outside the document: {reference[:120]}",
            hint="bundle the document into one file first",
        )
    node: Any = document
    for part in unquote(reference[1:]).split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and key in node:
            node = node[key]
        elif isinstance(node, list) and key.isdecimal() and int(key) < len(node):
            node = node[int(key)]
        else:
            raise ReferenceProblem(
                "api.reference-missing", f"`$ref` has no target: {reference[:120]}"
            )
    return node
